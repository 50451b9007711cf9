// SPDX-License-Identifier: BSL-1.0
// A command that shows any pipeline schedule: as a table, as CSV, as the lowered programs of its IPUs, as a picture, as
// a trace, as a page with all of it, or as one JSON object of its figures; or compares them for times as they were measured. Bad input ends with one sentence and exit status 2.
#include "command_line/command_line.hpp"

#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/report/page/schedule_part.hpp>
#include <ipuflow/report/schedules/comparison_text.hpp>
#include <ipuflow/report/schedules/frontier_svg.hpp>
#include <ipuflow/report/schedules/frontier_text.hpp>
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/report/schedules/schedule_trace.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/critical_path.hpp>
#include <ipuflow/schedule/analysis/path_shares.hpp>
#include <ipuflow/schedule/generators/compare.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/generators/about.hpp>
#include <ipuflow/schedule/generators/catalogue_points.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/lowering/pytorch.hpp>
#include <ipuflow/schedule/search/found_costs.hpp>
#include <ipuflow/schedule/search/frontier.hpp>
#include <ipuflow/schedule/search/restarts.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/schedule/search/stop_after.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <future>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <tuple>
#include <vector>

using namespace ipuflow;

namespace {

struct request {
  std::string name;
  std::string file;
  std::string format = "table";
  std::string command{};
  std::string mode_name = "training";
  std::string cost = "1,1,1,0";
  std::string cost_file;
  std::string unit;
  std::size_t value_bytes = 0;
  std::optional<std::size_t> wrap;
  std::string compare;
  bool compares = false;
  bool measured = false;
  bool measured_file = false;
  schedule::setup asked{};
  std::string placement = "line";
  std::string activation = "1,0,-1";
  std::string limit;
  std::string of_search;      ///< an option that was given and only a search has
  std::string of_generators;  ///< an option that was given and a search has not
  bool frontier = false;
  bool repeating = false;
  std::vector<std::size_t> limits;
  std::string metric = "span";
  double seconds = 1;
  std::size_t iterations = std::size_t{1} << 40;
  std::size_t seed = 1;
  schedule::cores cores{};
  std::string recompute;
  std::string offload;
  std::size_t capacity = schedule::nowhere;
};

/// What a search adds to the summary of its schedule.
struct search_result {
  schedule::searched found{};
  double seconds = 0;
  schedule::measured_costs costs{{}};  ///< with the times of what is done with activations
};

schedule::measured_costs costs_of(const request& wanted) {
  return schedule::read_costs(wanted.measured_file ? command_line::read_file(wanted.cost_file) : wanted.cost, wanted.unit);
}

/// Measured times are those of whole stages, as in a comparison; without them each stage of the timetable takes steps of 1.
template <schedule::timetable T>
schedule::measured_costs costs_of(const request& wanted, const T& t, const std::string& name) {
  const schedule::measured_costs whole = costs_of(wanted);
  if (!wanted.measured) return whole;
  const schedule::measured_costs own = schedule::costs_of_parts(t, whole);
  const std::size_t parts = schedule::parts_of(t);
  if (parts > 1 && whole.records() != t.where.stages) {
    std::cerr << "ipuflow: times are of " << t.where.ipus << " whole stages, one for each IPU; " << name << " has " << parts
              << " stages an IPU, so each of yours is cut into " << parts << ", as --compare does\n";
  }
  return own;
}

template <class Value, class Values>
std::string json_list(const Values& values, Value value) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + value(i);
  return text + "]";
}

std::string json_list(const schedule::counts& values) {
  return json_list(values, [&](std::size_t i) { return std::to_string(values[i]); });
}

std::string json_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

/// What decides the makespan: how much of it each pass of a stage and each link has, the largest parts first, and how the path is repeated.
std::string path_json(const schedule::repeating_path& path, const schedule::measured_costs& costs) {
  if (path.empty()) return "null";
  constexpr std::size_t most = 8;
  std::vector<schedule::path_share> shares;
  std::size_t length = 0;
  std::size_t sent = 0;
  for (const auto& share : schedule::shares_of(path)) {
    shares.push_back(share);
    length += share.time;
    sent += share.message ? share.time : 0;
  }
  const auto place = [](const auto& s) { return std::tuple{s.stage, s.message, s.kind}; };  // in this order they come, where they take the same time
  std::sort(shares.begin(), shares.end(), [&](const auto& a, const auto& b) { return a.time != b.time ? a.time > b.time : place(a) < place(b); });
  const std::size_t parts = shares.size();
  if (parts > most) shares.resize(most);
  const auto share_text = [&](std::size_t i) {
    const schedule::path_share& share = shares[i];
    std::string text = "{\"stage\":" + std::to_string(share.stage) + ",\"of\":" + report::json_text(schedule::name_of(share.kind));
    text += std::string{",\"message\":"} + (share.message ? "true" : "false") + ",\"times\":" + std::to_string(share.times);
    text += ",\"time\":" + json_number(costs.in_units(share.time));
    return text + ",\"share\":" + json_number(length == 0 ? 0.0 : static_cast<double>(share.time) / static_cast<double>(length)) + "}";
  };
  std::size_t bodies = 0;
  for (const schedule::path_piece& piece : path.pieces()) bodies += piece.times > 1 ? 1 : 0;
  return "{\"operations\":" + std::to_string(path.size()) + ",\"messages\":" + json_number(costs.in_units(sent)) +
         ",\"bodies\":" + std::to_string(bodies) + ",\"parts\":" + std::to_string(parts) + ",\"largest\":" + json_list(shares, share_text) + "}";
}

/// `found`: of a search, which counts the waiting for room in channels, too; then no path of operations makes up the time.
template <schedule::timetable T>
std::string summary(const std::string& name, const T& t, const schedule::measured_costs& costs, const schedule::searched* found = nullptr) {
  std::size_t steps = 0;
  auto counting = std::async(std::launch::async, [&] {  // beside the times, on another core
    steps = schedule::step_count(t);
    return ",\"fifo_depths\":" + json_list(schedule::fifo_depths(t)) + ",\"in_flight\":" + json_list(schedule::in_flight(t)) +
           ",\"peak_until_i\":" + json_list(schedule::peak(t, schedule::until::backward_inputs)) +
           ",\"peak_until_w\":" + json_list(schedule::peak(t)) + ",\"warm_up\":" + json_list(schedule::warm_up(t));
  });
  auto [times, path] = schedule::times_and_path_of(t, costs);
  const std::string counts = counting.get();
  std::size_t span = 0, most = 0;
  for (std::size_t i = 0; i < times.ipu.size(); ++i) span = std::max(span, times.span(i)), most = std::max(most, times.busy(i));
  const bool waits = found != nullptr && (found->makespan != times.makespan || found->span != span);
  if (waits) times.makespan = found->makespan;
  const double span_bubble = waits ? 1.0 - static_cast<double>(most) / static_cast<double>(found->span) : times.span_bubble();
  const auto time = [&](std::size_t counted) { return json_number(costs.in_units(counted)); };
  const auto busy = [&](std::size_t i) { return time(times.busy(i)); };
  const auto idle = [&](std::size_t i) { return time(times.idle(i)); };
  std::string text = "{\"schedule\":" + report::json_text(name);
  text += ",\"ipus\":" + std::to_string(t.where.ipus) + ",\"stages\":" + std::to_string(t.where.stages);
  text += ",\"micro_batches\":" + std::to_string(t.where.micro_batches) + ",\"steps\":" + std::to_string(steps);
  text += ",\"makespan\":" + time(times.makespan) + ",\"bubble\":" + json_number(times.bubble());
  if (!costs.unit().empty()) text += ",\"unit\":" + report::json_text(costs.unit());
  text += ",\"span_bubble\":" + json_number(span_bubble);
  text += ",\"busy\":" + json_list(times.ipu, busy) + ",\"idle\":" + json_list(times.ipu, idle);
  text += counts;
  text += ",\"critical_path\":" + (waits ? "null" : path_json(path, costs));
  return text + "}\n";
}

std::string search_summary(std::string text, const search_result& of, const schedule::measured_costs& costs) {
  const auto time = [&](std::size_t counted) { return json_number(costs.in_units(counted)); };
  text.resize(text.size() - 2);  // without its end
  text += ",\"span\":" + time(of.found.span) + ",\"lower_bound\":" + time(of.found.lower_bound);
  text += ",\"proved\":" + std::string{of.found.proved() ? "true" : "false"};
  const schedule::repeating form = of.found.closed_form();
  text += ",\"peak_bytes\":" + std::to_string(of.found.peak_bytes) + ",\"seconds\":" + json_number(of.seconds);
  text += ",\"body\":" + std::to_string(form.each) + ",\"repeats\":" + std::to_string(form.repeats);
  return text + report::impl::stashes_json(of.found) + "}\n";
}

template <schedule::timetable T>
std::string shown(const request& wanted, const T& t, const std::string& name, const search_result* searched = nullptr) {
  throw_if(schedule::verify(t));
  const bool times = wanted.format == "svg" || wanted.format == "trace" || wanted.format == "page" || wanted.format == "summary";
  const bool ordered = wanted.file.empty() && schedule::depends_on_costs(name);  // by the costs
  if (!times && searched == nullptr && !ordered && (wanted.measured || !wanted.unit.empty())) {
    throw error{filled("ipuflow: {format} shows no times; leave out the costs, or ask for svg, trace, page or summary", {{"format", wanted.format}})};
  }
  if (wanted.wrap && wanted.format != "svg") {
    throw error{filled("ipuflow: {format} is no picture; leave out --wrap, or ask for svg", {{"format", wanted.format}})};
  }
  constexpr std::size_t most_listed = std::size_t{1} << 27;  // takes some gigabytes
  const std::size_t passes = t.run_for == mode::inference ? 1 : 2;  // of a stage and a micro-batch, at least
  if (wanted.format != "summary" && passes * t.where.stages * t.where.micro_batches > most_listed) {
    throw error{filled("ipuflow: {format} lists every pass, and takes at most {most} of them; ask for fewer micro-batches, or for summary, which is of any number",
                       {{"format", wanted.format}, {"most", most_listed}})};
  }
  const schedule::measured_costs costs = searched != nullptr ? searched->costs : costs_of(wanted, t, name);
  if (wanted.format == "comms") return schedule::to_csv(schedule::lower(t));
  if (wanted.format == "svg") return report::schedule_svg(t, costs, {.name = name, .wrap = wanted.wrap.value_or(report::svg_style{}.wrap)});
  if (wanted.format == "trace") return report::schedule_trace(t, costs);
  if (wanted.format == "summary" && searched != nullptr) return search_summary(summary(name, t, costs, &searched->found), *searched, costs);
  if (wanted.format == "summary") return summary(name, t, costs);
  const schedule::table steps = schedule::tabulate(t);
  if (wanted.format == "page") {
    std::ostringstream out;
    report::page(out, {.title = "Schedule " + name, .command = wanted.command}, report::part(name, report::with_costs(steps, costs)));
    return std::move(out).str();
  }
  if (wanted.format == "pytorch") throw_if(schedule::verify_for_pytorch(t, {.reads_pairs = true}));
  if (wanted.format == "csv" || wanted.format == "pytorch") return schedule::to_csv(steps);
  return report::schedule_text(steps);
}

std::string comparison(const request& wanted) {
  std::vector<std::string_view> names;
  for (std::string_view rest = wanted.compare; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    names.push_back(rest.substr(0, comma));
    rest.remove_prefix(comma == rest.npos ? rest.size() : comma + 1);
  }
  if (wanted.compare == "all") names.clear();
  if (std::find(names.begin(), names.end(), "search") != names.end()) {
    throw error{message_text{"ipuflow: a search is compared by --schedule search --frontier, which has the schedules of the catalogue beside it; leave it out here"}};
  }
  const schedule::measured_costs costs = costs_of(wanted);
  return report::comparison_text(schedule::compare(wanted.asked, costs, std::move(names)), wanted.asked, costs, wanted.value_bytes);
}

/// The costs of a search, and what it may do with activations. Times of both are read together, so that they have the same unit.
struct search_input {
  schedule::measured_costs costs;
  schedule::search_memory memory;
};

/// Whole numbers of a list, like 3,-2,-1; what is none of these is refused, with `whole` and what it is not.
template <class Number>
std::vector<Number> numbers_of(std::string_view text, const std::string& whole, const char* what) {
  std::vector<Number> made;
  while (true) {
    const std::size_t end = text.find(',');
    std::string_view one = text.substr(0, end);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    const auto read = std::from_chars(one.data(), one.data() + one.size(), made.emplace_back());
    if (read.ec != std::errc{} || read.ptr != one.data() + one.size()) throw error{filled("ipuflow: '{text}' is not {what}", {{"text", whole}, {"what", what}})};
    if (end == text.npos) return made;
    text.remove_prefix(end + 1);
  }
}

/// What stages hold and IPUs may hold: a record of each for all, or one for each.
schedule::search_memory memory_of(const request& wanted) {
  constexpr const char* of_activation = "F,I,W; write bytes that a stage holds more after each, like 3,-2,-1, once or for each stage with semicolons between";
  schedule::search_memory made;
  for (std::string_view rest = wanted.activation;;) {
    const std::size_t end = rest.find(';');
    const auto bytes = numbers_of<std::ptrdiff_t>(rest.substr(0, end), wanted.activation, of_activation);
    if (bytes.size() != 3) throw error{filled("ipuflow: '{text}' is not {what}", {{"text", wanted.activation}, {"what", of_activation}})};
    made.stages.push_back({bytes[0], bytes[1], bytes[2]});
    if (end == rest.npos) break;
    rest.remove_prefix(end + 1);
  }
  if (wanted.limit.empty()) {
    made.limits.push_back(std::numeric_limits<std::size_t>::max());
    return made;
  }
  for (const std::size_t limit : numbers_of<std::size_t>(wanted.limit, wanted.limit, "a number of bytes; write one for all IPUs, like 15, or one for each, like 15,12")) {
    made.limits.push_back(limit);
  }
  return made;
}

search_input search_input_of(const request& wanted) {
  search_input made{costs_of(wanted), memory_of(wanted)};
  if (wanted.recompute.empty() && wanted.offload.empty()) return made;
  std::string times[3] = {"0", "0", "0"};  // of recomputation, of sending and of fetching
  const auto parts_of = [&](const std::string& text, std::size_t first, std::size_t least, std::size_t most, const char* what) {
    std::size_t comma = text.find(',');
    const std::string bytes = text.substr(0, comma);
    const bool unsigned_numbers = text.find_first_not_of("0123456789.,") == text.npos;
    std::size_t count = 0;
    for (; comma != text.npos && count < most; ++count) {
      const std::size_t begin = comma + 1;
      comma = text.find(',', begin);
      times[first + count] = text.substr(begin, comma == text.npos ? comma : comma - begin);
    }
    std::size_t kept = 0;
    const auto read = std::from_chars(bytes.data(), bytes.data() + bytes.size(), kept);
    if (!unsigned_numbers || read.ec != std::errc{} || read.ptr != bytes.data() + bytes.size() || comma != text.npos || count < least) {
      throw error{filled("ipuflow: '{text}' is not {what}", {{"text", text}, {"what", what}})};
    }
    return kept;
  };
  std::size_t kept[2] = {};
  if (!wanted.recompute.empty()) kept[0] = parts_of(wanted.recompute, 0, 0, 1, "KEPT or KEPT,TIME; write the bytes that stay, and the time of the pass, like 1,2.5");
  if (!wanted.offload.empty()) kept[1] = parts_of(wanted.offload, 1, 2, 2, "KEPT,SEND,FETCH; write the bytes that stay, and the times to send and to fetch, like 0,1.5,1.5");
  const std::string text = (wanted.measured_file ? command_line::read_file(wanted.cost_file) : wanted.cost) + "\n" + times[0] + "," + times[1] + "," + times[2] + ",0";
  const schedule::measured_costs all = schedule::read_costs(text, wanted.unit);
  const std::size_t last = all.records() - 1;
  const schedule::costs extra{all.of(schedule::pass::forward, last), all.of(schedule::pass::backward_inputs, last), all.of(schedule::pass::backward_weights, last)};
  std::vector<schedule::costs> records;
  for (std::size_t stage = 0; stage < last; ++stage) {
    using enum schedule::pass;
    records.push_back({all.of(forward, stage), all.of(backward_inputs, stage), all.of(backward_weights, stage), all.communication_of(stage)});
  }
  made.costs = schedule::measured_costs{records, all.per_unit(), wanted.unit};
  if (!wanted.recompute.empty()) made.memory.recomputable.push_back({kept[0], extra.forward});
  if (!wanted.offload.empty()) made.memory.offloadable.push_back({kept[1], extra.backward_inputs, extra.backward_weights});
  return made;
}

/// The best schedules within several limits, with those of the catalogue beside them.
std::string frontier_for(const request& wanted, const schedule::grid& where, const search_input& input, const schedule::search_options& each) {
  const schedule::measured_costs& costs = input.costs;
  const dynamic_array<schedule::activation_bytes>& stages = input.memory.stages;
  schedule::frontier_options options{.each = each};
  const auto catalogue = schedule::catalogue_points(where, costs, stages, each.metric);
  auto others = catalogue;
  if (each.capacity != schedule::nowhere) others = {};  // their times are those of channels that always have room
  for (const std::size_t limit : wanted.limits) options.limits.push_back(limit);
  if (!wanted.limits.empty()) options.chosen = 0;
  for (const auto& other : catalogue) {  // each beside what is found within its own memory
    bool asked = options.chosen == 0;
    for (const std::size_t limit : options.limits) asked = asked || limit == other.peak_bytes;
    if (!asked) options.limits.push_back(other.peak_bytes);
  }
  const auto found = schedule::frontier(where, costs, input.memory, options, [&] { return schedule::on_cores{wanted.cores, schedule::stop_after{wanted.seconds}}; });
  throw_if(found.refused);
  if (wanted.format == "csv") return report::frontier_csv(found, others, each.metric, costs);
  if (wanted.format == "summary") return report::frontier_json(found, others, each.metric, costs);
  if (wanted.format == "svg") return report::frontier_svg(found, others, each.metric, costs, "best schedules within the memory of an IPU");
  if (wanted.format == "table") return report::frontier_text(found, others, each.metric, costs);
  throw error{filled("ipuflow: {format} shows one schedule, and a frontier has many; ask for table, csv, svg or summary", {{"format", wanted.format}})};
}

/// Refuses files that have no word for what is done with activations, and says what other formats leave out.
void check_stashes(const request& wanted, const schedule::searched& found) {
  const bool file = wanted.format == "csv" || wanted.format == "pytorch";
  const bool silent = file || wanted.format == "table" || wanted.format == "comms" || wanted.format == "svg";
  for (const auto how : {schedule::stash_choice::recomputed, schedule::stash_choice::offloaded}) {
    std::string stages;
    for (std::size_t stage = 0; stage < found.stashes.size(); ++stage) {
      if (found.stash_of(stage) == how) stages += (stages.empty() ? "" : ", ") + std::to_string(stage);
    }
    if (stages.empty() || !silent) continue;
    const std::string_view done = schedule::name_of(how);
    if (file) throw error{filled("ipuflow: activations of stages are {done}, for which {format} has no word; ask for table, trace, page or summary", {{"done", done}, {"format", wanted.format}})};
    std::cerr << "ipuflow: activations of these stages are " << done << ": " << stages << '\n';
  }
}

/// Costs and bytes are those of a stage, also where an IPU has two.
std::string search_for(const request& wanted) {
  const std::size_t ipus = wanted.asked.ipus;
  const bool vee = wanted.placement == "v";
  const schedule::grid where{ipus, vee ? 2 * ipus : ipus, wanted.asked.micro_batches, vee ? schedule::layout::vee : schedule::layout::loop};
  constexpr std::size_t most_operations = std::size_t{1} << 21;  // whose orders take some gigabytes
  if (!wanted.of_generators.empty() || wanted.mode_name == "inference") {
    const std::string& given = wanted.of_generators.empty() ? "--mode" : wanted.of_generators;
    throw error{filled("ipuflow: {option} has no effect on a search; leave it out: a search is of training, and --placement v has two stages an IPU", {{"option", given}})};
  }
  if (3 * where.stages * where.micro_batches > most_operations) {
    throw error{filled("ipuflow: a search keeps the order of all its passes, and takes at most {most} of them; search fewer micro-batches with --repeating: its body unrolls to any number", {{"most", most_operations}})};
  }
  const search_input input = search_input_of(wanted);
  throw_if(schedule::verify_costs(input.costs, where.stages));
  if (wanted.capacity != schedule::nowhere && (wanted.format == "svg" || wanted.format == "trace" || wanted.format == "page") && !wanted.frontier) {
    throw error{filled("ipuflow: {format} shows no waiting for room in channels; leave out --capacity, or ask for summary, table or csv", {{"format", wanted.format}})};
  }
  const auto metric = wanted.metric == "span" ? schedule::search_metric::span : schedule::search_metric::makespan;
  const auto known = schedule::catalogue_tables(where, input.costs);
  const schedule::search_options options{.metric = metric, .repeating = wanted.repeating, .iterations = wanted.iterations, .seed = wanted.seed, .capacity = wanted.capacity, .known = &known};
  if (wanted.frontier) return frontier_for(wanted, where, input, options);
  const auto start = std::chrono::steady_clock::now();
  search_result result;
  result.found = schedule::search(where, input.costs, input.memory, options, schedule::on_cores{wanted.cores, schedule::stop_after{wanted.seconds}});
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  throw_if(result.found.refused);
  check_stashes(wanted, result.found);
  const schedule::found_costs found{input.costs, input.memory, result.found};
  std::vector<schedule::costs> records;
  for (std::size_t stage = 0; stage < where.stages; ++stage) {
    using enum schedule::pass;
    records.push_back({found.of(forward, stage), found.of(backward_inputs, stage), found.of(backward_weights, stage), found.communication_of(stage), 0, found.of(recompute, stage)});
  }
  result.costs = schedule::measured_costs{records, input.costs.per_unit(), wanted.unit};
  return shown(wanted, result.found.timetable, wanted.name, &result);
}

std::string answer(request wanted) {
  if (!wanted.file.empty()) return shown(wanted, schedule::read_csv(command_line::read_file(wanted.file)), wanted.file);
  wanted.asked.run_for = wanted.mode_name == "inference" ? mode::inference : mode::training;
  if (wanted.compares) return comparison(wanted);
  if (wanted.name == "search") return search_for(wanted);
  if (!wanted.of_search.empty()) {
    throw error{filled("ipuflow: {option} is of a search; ask for --schedule search, or leave it out", {{"option", wanted.of_search}})};
  }
  const schedule::setup asked = schedule::compared_setup(wanted.name, wanted.asked);
  const auto use = [&](const auto& t) { return shown(wanted, t, wanted.name); };
  const schedule::measured_costs costs = costs_of(wanted);
  if (wanted.measured && !schedule::verify_costs(costs, asked.ipus)) return schedule::with_schedule(wanted.name, asked, costs, use);
  return schedule::with_schedule(wanted.name, asked, use);
}

void describe_search(CLI::App& app, request& wanted, CLI::Option* name) {
  const auto option = [&](const char* flag, auto& value, const char* what) { return app.add_option(flag, value, what)->needs(name); };
  option("--placement", wanted.placement, "of a search: line (unless told), one stage an IPU, or v, two of them")->check(CLI::IsMember({"line", "v"}));
  option("--activation", wanted.activation, "of a search: bytes that a stage holds more after F, I and W of a micro-batch, like 3,-2,-1, or one record a stage between semicolons; 1,0,-1 unless told");
  option("--limit", wanted.limit, "of a search: the most bytes that an IPU holds at any instant, or that of each IPU, like 15,12; without it there is no limit");
  auto* frontier = app.add_flag("--frontier", wanted.frontier, "of a search: the best within many limits, beside the catalogue, as table, csv, svg or summary");
  frontier->needs(name)->excludes("--limit");
  option("--limits", wanted.limits, "of a frontier: its limits in bytes, like 8,10,12; without them they are chosen")->delimiter(',')->needs(frontier);
  app.add_flag("--repeating", wanted.repeating, "of a search: only schedules that repeat a body, so that they unroll to any number of micro-batches")->needs(name);
  option("--recompute", wanted.recompute, "of a search: stages may be recomputed, and keep KEPT bytes meanwhile: KEPT, or KEPT,TIME where its pass takes other than the forward");
  option("--offload", wanted.offload, "of a search: stages may send their activations away, and keep KEPT bytes meanwhile: KEPT,SEND,FETCH, with the times of both");
  option("--capacity", wanted.capacity, "of a search: messages that the channel between two stages has room for; with 0 a send waits until it is received");
  option("--metric", wanted.metric, "of a search: span (unless told), the longest of an IPU, or makespan")->check(CLI::IsMember({"span", "makespan"}));
  option("--seconds", wanted.seconds, "of a search, and of each within a limit, 1 unless told: no order is begun later, but the bound and the first order, which large ones take longer for; it ends earlier if it proves its schedule the best")->check(CLI::Range(0.0, 86400.0));
  option("--iterations", wanted.iterations, "of a search: orders that it tries at most, no limit unless told; the same find the same on every machine, if --seconds are enough");
  option("--seed", wanted.seed, "of a search, the first of several, 1 unless told");
  option("--searches", wanted.cores.searches, "of a search: seeds that it tries, each for all its iterations")->check(CLI::Range(1, 1'000'000));
  option("--threads", wanted.cores.threads, "of a search: how many work at its seeds, which find the same on any number; all cores unless told")->check(CLI::Range(0, 1024));
}

void describe(CLI::App& app, request& wanted) {
  auto* name = app.add_option("--schedule", wanted.name, "which schedule, of those below");
  auto* file = app.add_option("--from", wanted.file, "read the schedule from a CSV file instead");
  auto* compare = app.add_option("--compare", wanted.compare, "compare all schedules, or a list: --compare 1f1b,zb1p,zbv");
  auto* ipus = app.add_option("--ipus", wanted.asked.ipus, "number of IPUs")->check(CLI::Range(1, 1024));
  auto* parts = app.add_option("--stages-per-ipu", wanted.asked.stages_per_ipu, "stages on each IPU, where a schedule lets one choose; "
                                                                                       "interleaved_1f1b and looped_bfs have 2 otherwise");
  parts->check(CLI::Range(1, 1024));
  auto* count = app.add_option("--micro-batches", wanted.asked.micro_batches, "micro-batches of a run");
  count->check(CLI::Range(1, 1 << 20));
  auto* mode = app.add_option("--mode", wanted.mode_name, "training or inference")->check(CLI::IsMember({"training", "inference"}));
  auto* cost = app.add_option("--cost", wanted.cost, "times as measured: forward, backward for inputs, backward for weights (where only the "
                                                     "whole backward was measured: half of it each), message. One record for all "
                                                     "stages, 3.1,2.7,1.9,0.2, or one a stage between semicolons");
  auto* cost_file = app.add_option("--costs,--cost-file", wanted.cost_file, "the same from a file, a line for each stage");
  cost_file->excludes(cost);
  app.add_option("--unit", wanted.unit, "of the times, for what is shown: ns, us, ms, s or any word");
  auto* bytes = app.add_option("--value-bytes", wanted.value_bytes, "what a stage keeps for one micro-batch, in bytes");
  auto* format = app.add_option("--format", wanted.format, "what to show: table, csv, pytorch (csv that its runtime takes), comms "
                                                            "(the lowered programs), svg, trace, page (a file that shows all of it in any browser), summary");
  format->check(CLI::IsMember({"table", "csv", "pytorch", "comms", "svg", "trace", "page", "summary"}));
  auto* wrap = app.add_option("--wrap", wanted.wrap, "width in pixels at which an svg is broken into bands, " +
                                                         std::to_string(report::svg_style{}.wrap) + " unless told, 0 for never");
  wrap->check(CLI::Range(0, 1'000'000));
  compare->expected(0, 1)->needs(ipus)->needs(count)->excludes(name)->excludes(file)->excludes(format)->excludes(wrap);
  bytes->needs(compare);
  name->excludes(file)->needs(ipus)->needs(count);
  file->excludes(ipus)->excludes(parts)->excludes(count)->excludes(mode);  // which are those of the file
  const std::size_t before = app.get_options().size();
  describe_search(app, wanted, name);
  const auto all = app.get_options();
  const std::vector<CLI::Option*> of_search(all.begin() + static_cast<std::ptrdiff_t>(before), all.end());
  std::string schedules = "Schedules:\n  search            the best one found for --cost, --activation and --limit, with a bound\n";
  for (const std::string_view each : schedule::schedule_names) {
    schedules += "  " + std::string{each} + std::string(18 - each.size(), ' ') + std::string{schedule::about(each)} + "\n";
  }
  app.footer(schedules);
  app.callback([&wanted, compare, cost, cost_file, mode, of_search, parts] {
    for (const CLI::Option* option : of_search) {
      if (option->count() > 0 && wanted.of_search.empty()) wanted.of_search = option->get_name();
    }
    if (parts->count() > 0) wanted.of_generators = parts->get_name();
    wanted.measured_file = cost_file->count() > 0;
    wanted.measured = wanted.measured_file || cost->count() > 0;
    wanted.compares = compare->count() > 0;
    if (mode->count() > 0 && wanted.mode_name == "training" && wanted.name == "inference")
      throw CLI::ValidationError("--mode", "inference has forward passes alone; leave --mode out, or ask for a schedule that trains");
    if (wanted.name.empty() && wanted.file.empty() && !wanted.compares) throw CLI::RequiredError("--schedule, --compare or --from");
  });
}

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  CLI::App app{"Shows pipeline schedules"};
  describe(app, wanted);
  wanted.command = command_line::as_given("schedule_explorer", argc, argv);
  return command_line::answer(app, argc, argv, "ipuflow: this schedule does not fit into memory; ask for fewer micro-batches", [&] {
    return answer(wanted);
  });
}
