// SPDX-License-Identifier: BSL-1.0
// A command that shows any pipeline schedule: as a table, as CSV, as the lowered programs of its IPUs, as a picture, as
// a trace, or as one JSON object of its figures. Bad input ends with one sentence and exit status 2.
#include <ipuflow/report/drawing/json_text.hpp>
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/report/schedules/schedule_trace.hpp>
#include <ipuflow/schedule.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <string>

using namespace ipuflow;

namespace {

struct request {
  std::string name;
  std::string file;
  std::string format = "table";
  std::string mode_name = "training";
  std::string cost = "1,1,1,0";
  schedule::setup asked{};
};

/// "F,I,W,COMM", the last ones optional.
schedule::costs costs_from(const std::string& text) {
  std::size_t values[] = {1, 1, 1, 0};
  std::istringstream in(text);
  std::string word;
  std::size_t count = 0;
  for (; std::getline(in, word, ','); ++count) {
    const bool digits = !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || count == 4) {
      throw error{words("ipuflow: '", std::string_view{text}, "' are no costs; write whole numbers F,I,W,COMM")};
    }
    values[count] = std::stoul(word);
  }
  if (text.ends_with(',')) {
    throw error{words("ipuflow: '", std::string_view{text}, "' lacks a cost at its end; remove the last comma")};
  }
  if (count == 0) throw error{words("ipuflow: no costs are given; write whole numbers F,I,W,COMM")};
  return {
      .forward = values[0], .backward_inputs = values[1], .backward_weights = values[2], .communication = values[3]};
}

std::string read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::string text;
  char part[4096];
  while (in.read(part, sizeof part) || in.gcount() > 0) text.append(part, static_cast<std::size_t>(in.gcount()));
  if (!in.eof()) throw error{words("ipuflow: file '", std::string_view{name}, "' cannot be read; check its name")};
  return text;
}

template <class Value, class Values>
std::string json_list(const Values& values, Value value) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(value(i));
  return text + "]";
}

std::string json_list(const schedule::counts& values) {
  return json_list(values, [&](std::size_t i) { return values[i]; });
}

std::string json_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

template <schedule::timetable T>
std::string summary(const std::string& name, const T& t, const schedule::costs& costs) {
  const schedule::times times = schedule::times_of(t, costs);
  const std::size_t steps = schedule::step_count(t);
  const auto busy = [&](std::size_t i) { return times.busy(i); };
  const auto idle = [&](std::size_t i) { return times.idle(i); };
  std::string text = "{\"schedule\":" + report::json_text(name);
  text += ",\"ipus\":" + std::to_string(t.where.ipus) + ",\"stages\":" + std::to_string(t.where.stages);
  text += ",\"micro_batches\":" + std::to_string(t.where.micro_batches) + ",\"steps\":" + std::to_string(steps);
  text += ",\"makespan\":" + std::to_string(times.makespan) + ",\"bubble\":" + json_number(times.bubble());
  text += ",\"span_bubble\":" + json_number(times.span_bubble());
  text += ",\"busy\":" + json_list(times.ipu, busy) + ",\"idle\":" + json_list(times.ipu, idle);
  text +=
      ",\"fifo_depths\":" + json_list(schedule::fifo_depths(t)) + ",\"in_flight\":" + json_list(schedule::in_flight(t));
  text += ",\"peak_until_i\":" + json_list(schedule::peak(t, schedule::until::backward_inputs));
  text += ",\"peak_until_w\":" + json_list(schedule::peak(t)) + ",\"warm_up\":" + json_list(schedule::warm_up(t));
  return text + "}\n";
}

template <schedule::timetable T>
std::string shown(const request& wanted, const T& t, const std::string& name) {
  throw_if(schedule::verify(t));
  const schedule::costs costs = costs_from(wanted.cost);
  if (wanted.format == "comms") return schedule::to_csv(schedule::lower(t));
  if (wanted.format == "svg") return report::schedule_svg(t, costs);
  if (wanted.format == "trace") return report::schedule_trace(t, costs);
  if (wanted.format == "summary") return summary(name, t, costs);
  const schedule::table steps = schedule::tabulate(t);
  if (wanted.format == "csv") return schedule::to_csv(steps);
  return report::schedule_text(steps);
}

std::string answer(request wanted) {
  if (!wanted.file.empty()) return shown(wanted, schedule::read_csv(read_file(wanted.file)), wanted.file);
  wanted.asked.run_for = wanted.mode_name == "inference" ? mode::inference : mode::training;
  return schedule::with_schedule(wanted.name, wanted.asked,
                                 [&](const auto& t) { return shown(wanted, t, wanted.name); });
}

void describe(CLI::App& app, request& wanted) {
  auto* name = app.add_option("--schedule", wanted.name, "which schedule");
  auto* file = app.add_option("--from", wanted.file, "read the schedule from a CSV file instead");
  auto* ipus = app.add_option("--ipus", wanted.asked.ipus, "number of IPUs")->check(CLI::Range(1, 1024));
  app.add_option("--stages-per-ipu", wanted.asked.stages_per_ipu, "stages on each IPU")->check(CLI::Range(1, 1024));
  auto* count = app.add_option("--micro-batches", wanted.asked.micro_batches, "micro-batches of a run");
  count->check(CLI::Range(1, 1'000'000));
  app.add_option("--mode", wanted.mode_name, "training or inference")->check(CLI::IsMember({"training", "inference"}));
  app.add_option("--cost", wanted.cost, "times of F,I,W,COMM");
  app.add_option("--format", wanted.format, "what to show")
      ->check(CLI::IsMember({"table", "csv", "comms", "svg", "trace", "summary"}));
  name->excludes(file)->needs(ipus)->needs(count);
  app.callback([&wanted] {
    if (wanted.name.empty() && wanted.file.empty()) throw CLI::RequiredError("--schedule or --from");
  });
}

}  // namespace

int main(int argc, char** argv) {
  request wanted;
  CLI::App app{"Shows pipeline schedules"};
  describe(app, wanted);
  try {
    if (argc == 1) throw CLI::CallForHelp{};
    app.parse(argc, argv);
    std::cout << answer(wanted) << std::flush;
    if (!std::cout) throw error{words("ipuflow: the output cannot be written; check the space where it goes")};
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& bad) {
    std::string text = bad.what();
    for (char& c : text) c = c == '\n' ? ' ' : c;
    std::cerr << "ipuflow: " << text << "; --help lists what is understood\n";
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << "ipuflow: this schedule does not fit into memory; ask for fewer micro-batches\n";
    return 2;
  } catch (const std::exception& bad) {
    std::cerr << bad.what() << '\n';
    return 2;
  }
  return 0;
}
