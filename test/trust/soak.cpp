// SPDX-License-Identifier: BSL-1.0
// Runs everything with new seeds and growing sizes for as long as it is told: channels between threads that close, stop and fail, runs
// on threads for all schedules, loaders whose samples throw, readers of files that were changed, and random networks. It counts what it
// tried, looks for what is lost, doubled, left behind or wrong and for memory that grows, and says how to repeat what it found.
//   soak [--seconds N] [--rounds N] [--seed N] [--only part] [--size N] [--recipe "..."]
// A round does each part once, with its own seed. What is found is repeated by `--only part --size N --seed N --rounds 1`.
#include "networks.hpp"
#include "sanitized.hpp"

#include <ipuflow/feed.hpp>
#include <ipuflow/feed/sources/csv.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/queue.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/train/checkpoint_file.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/npz_weights.hpp>
#include <ipuflow/train/safetensors.hpp>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using namespace ipuflow;

struct counts {
  std::size_t items = 0;     ///< through channels and runs
  std::size_t samples = 0;   ///< of loaders
  std::size_t files = 0;     ///< changed, and read
  std::size_t refused = 0;   ///< of these
  std::size_t runs = 0;
  std::size_t ended_early = 0;  ///< channels, runs and passes: closed, stopped, failed or left
  std::size_t networks = 0;
  trust::tried of_networks{};
};

/// Random numbers of one part of a round.
struct draws {
  std::uint64_t seed;
  std::uint64_t at = 0;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(nn::random_bits(seed, at++) % n); }
};

struct planned_failure : std::runtime_error {
  planned_failure() : std::runtime_error{"as planned"} {}
};

/// Counts those that are alive; one that is lost or doubled is seen.
struct counted_item {
  static inline std::atomic<long> alive{0};
  std::unique_ptr<std::size_t> number{};

  counted_item() { ++alive; }
  explicit counted_item(std::size_t n) : number{std::make_unique<std::size_t>(n)} { ++alive; }
  counted_item(counted_item&& other) noexcept : number{std::move(other.number)} { ++alive; }
  counted_item& operator=(counted_item&& other) noexcept = default;
  ~counted_item() { --alive; }
};

template <class Wait>
std::string channel_once(draws& d, std::size_t size, counts& all) {
  const std::size_t count = 1 + d.below(size), capacity = 1 + d.below(d.below(2) == 0 ? 3 : 200);
  enum class end : unsigned char { closed, failed, stopped, left, reader_failed };
  const auto how = static_cast<end>(d.below(5));
  const std::size_t at = d.below(count + 1), several = 1 + d.below(9);
  const bool in_some = d.below(2) == 0;
  std::size_t pushed = 0, popped = 0;
  std::string wrong;
  bool writer_saw = false, reader_saw = false;
  {
    auto ends = queue::make_channel<counted_item, queue::spsc_ring<counted_item>, Wait>(capacity);
    std::jthread writer{[&, out = std::move(ends.in)]() mutable {
      try {
        for (; pushed < count; ++pushed) {
          if (how == end::failed && pushed == at) return out.fail(std::make_exception_ptr(planned_failure{}));
          if (how == end::stopped && pushed == at) return out.stop();
          if (!out.push(counted_item{pushed})) break;
        }
        out.close();
      } catch (const planned_failure&) {
        writer_saw = true;
      }
    }};
    auto in = std::move(ends.out);
    const auto take = [&](counted_item& item) {
      if (wrong.empty() && (item.number == nullptr || *item.number != popped)) wrong = "item " + std::to_string(popped) + " is another one";
      ++popped;
    };
    try {
      std::vector<counted_item> some(several);
      for (;;) {
        if (how == end::left && popped >= at) {
          in.stop();
          break;
        }
        if (how == end::reader_failed && popped >= at) {
          in.fail(std::make_exception_ptr(planned_failure{}));
          break;
        }
        if (in_some) {
          const std::size_t got = in.pop_some(some);
          if (got == 0) break;
          for (std::size_t i = 0; i < got; ++i) take(some[i]);
        } else {
          auto item = in.pop();
          if (!item) break;
          take(*item);
        }
      }
    } catch (const planned_failure&) {
      reader_saw = true;
    }
    writer.join();
  }
  all.items += popped;
  all.ended_early += how == end::closed ? 0 : 1;
  if (!wrong.empty()) return wrong;
  if (how == end::closed && popped != count) return "a closed channel has handed on " + std::to_string(popped) + " of " + std::to_string(count);
  if (how == end::failed && (popped != std::min(at, count) || reader_saw != (at < count))) return "a channel that failed has not handed on what came before, or not its exception";
  if (how == end::stopped && popped > at) return "a channel that was stopped has handed on more than was pushed";
  if (how != end::reader_failed && writer_saw) return "a writer is thrown what no reader left";
  if (counted_item::alive != 0) return std::to_string(counted_item::alive) + " items are left behind";
  return {};
}

/// Places that are filled and read where they are.
std::string slots_once(draws& d, std::size_t size, counts& all) {
  const std::size_t count = 1 + d.below(size), capacity = 1 + d.below(5), most = 1 + d.below(4);
  auto ends = queue::make_channel<queue::slot_ring<std::size_t>, queue::block>(capacity, [] { return std::size_t{0}; });
  std::jthread writer{[&, out = std::move(ends.in)]() mutable {
    for (std::size_t i = 0; i < count;) {
      const auto places = out.reserve(std::min(most, count - i));
      for (auto& place : places) place = i++;
      out.commit(places.size());
    }
    out.close();
  }};
  auto in = std::move(ends.out);
  std::size_t next = 0;
  for (;;) {
    const auto places = in.peek(most);
    if (places.empty()) break;
    for (const std::size_t place : places) {
      if (place != next++) return "a slot holds another item";
    }
    in.release(places.size());
  }
  all.items += next;
  return next == count ? "" : "slots have handed on " + std::to_string(next) + " of " + std::to_string(count);
}

std::string queues(std::uint64_t seed, std::size_t size, counts& all) {
  draws d{seed};
  std::string wrong;
  for (int i = 0; i < 8 && wrong.empty(); ++i) {
    switch (d.below(4)) {
      case 0:
        wrong = channel_once<queue::spin_then_yield>(d, 50 * size, all);
        break;
      case 1:
        wrong = channel_once<queue::block>(d, 50 * size, all);
        break;
      case 2:
        wrong = channel_once<queue::spin_then_yield>(d, 10, all);
        break;
      default:
        wrong = slots_once(d, 50 * size, all);
    }
  }
  return wrong;
}

// --- runs ------------------------------------------------------------------------------------------------------------

std::atomic<long> run_calls_left{-1};
counted_item run_op(counted_item x, std::size_t by) {
  if (run_calls_left.fetch_sub(1) == 0) throw planned_failure{};
  return counted_item{*x.number + by};
}
counted_item run_first(std::size_t x) { return counted_item{x}; }
constexpr auto run_a = [](counted_item x) { return run_op(std::move(x), 1000); };
constexpr auto run_b = [](counted_item x) { return run_op(std::move(x), 100'000); };
std::size_t run_last(counted_item x) { return *run_op(std::move(x), 10'000'000).number; }

constexpr auto line = pipeline(stage(block<"a">(run_first)).ipu<0>(), stage(block<"b">(run_a)).ipu<1>(), stage(block<"c">(run_b)).ipu<2>(),
                               stage(block<"d">(run_last)).ipu<3>());
constexpr auto loop = pipeline(stage(block<"a">(run_first)).ipu<0>(), stage(block<"b">(run_a)).ipu<1>(), stage(block<"c">(run_b)).ipu<0>(),
                               stage(block<"d">(run_last)).ipu<1>());
constexpr auto pair = pipeline(stage(block<"a">(run_first), block<"b">(run_a)).ipu<0>(), stage(block<"c">(run_b), block<"d">(run_last)).ipu<1>());

template <class P, class T>
std::string run_once(const P& p, const T& t, draws& d, std::size_t size, counts& all) {
  const std::size_t items = d.below(size + 1);
  const run::thread_options options{.threads = 1 + d.below(5), .capacity = 1 + d.below(d.below(2) == 0 ? 2 : 100)};
  const bool fails = d.below(3) == 0, sink_fails = d.below(5) == 0, source_fails = d.below(5) == 0;
  const std::size_t at = d.below(items + 1);
  run_calls_left = fails ? static_cast<long>(d.below(3 * items + 2)) : -1;
  std::size_t taken = 0, came = 0;
  std::string wrong;
  bool threw = false;
  run::stream_outcome outcome;
  try {
    outcome = run::on_threads(
        p, t,
        [&]() -> std::optional<std::size_t> {
          if (source_fails && taken == at) throw planned_failure{};
          return taken < items ? std::optional{taken++} : std::nullopt;
        },
        [&](std::size_t x) {
          if (wrong.empty() && x != came + 10'101'000) wrong = "result " + std::to_string(came) + " is " + std::to_string(x);
          ++came;
          if (sink_fails && came == at) throw planned_failure{};
        },
        options);
  } catch (const std::exception&) {
    threw = true;
  }
  ++all.runs;
  all.items += came;
  all.ended_early += threw ? 1 : 0;
  if (!wrong.empty()) return wrong;
  if (!threw && (came != std::min(items, outcome.taken) || outcome.delivered != came)) return "a run has taken " + std::to_string(outcome.taken) + " items and given " + std::to_string(came);
  if (counted_item::alive != 0) return std::to_string(counted_item::alive) + " items are left behind";
  return {};
}

std::string runs(std::uint64_t seed, std::size_t size, counts& all) {
  draws d{seed};
  std::string wrong;
  for (const std::string_view name : schedule::schedule_names) {
    const std::size_t micro_batches = 1 + d.below(2 * size);
    const auto with = [&](const auto& p, schedule::setup asked) {
      if (!wrong.empty()) return;
      asked.run_for = mode::inference;
      schedule::with_schedule(name, asked, [&](const auto& t) {
        if (t.refused || t.where.stages != std::remove_cvref_t<decltype(p)>::stage_count || schedule::verify(t) || t.run_for != mode::inference) return;
        wrong = run_once(p, schedule::any_timetable{t}, d, 2 * micro_batches, all);
        if (!wrong.empty()) wrong = std::string{name} + ": " + wrong;
      });
    };
    with(line, schedule::setup{.ipus = 4, .micro_batches = micro_batches});
    with(loop, schedule::setup{.ipus = 2, .stages_per_ipu = 2, .micro_batches = micro_batches});
    with(pair, schedule::setup{.ipus = 2, .micro_batches = micro_batches});
  }
  return wrong;
}

// --- loaders ---------------------------------------------------------------------------------------------------------

std::atomic<long> samples_left{-1};
constexpr auto fragile = feed::map([](int x) {
  if (samples_left.fetch_sub(1) == 0) throw planned_failure{};
  return 2 * x;
});

/// Passes over a loader, some of which end where a sample throws: the next one gives everything again.
template <class Loader>
std::string passes(Loader& loader, draws& d, std::size_t count, bool shuffled, counts& all) {
  const auto pass = [&]() -> std::string {
    std::vector<unsigned char> seen(count, 0);
    std::size_t got = 0;
    for (auto& batch : loader) {
      const auto& [column] = batch;
      for (const int x : column.elements()) {
        const auto at = static_cast<std::size_t>(x / 2);
        if (x % 2 != 0 || at >= count) return "a loader gives " + std::to_string(x);
        if (!shuffled && at != got) return "a loader gives sample " + std::to_string(at) + " in place of " + std::to_string(got);
        if (seen[at]++ != 0) return "a loader gives sample " + std::to_string(at) + " twice";
        ++got;
      }
    }
    all.samples += got;
    return got == count ? "" : "a loader gives " + std::to_string(got) + " of " + std::to_string(count) + " samples";
  };
  for (std::size_t turn = 0; turn < 5; ++turn) {
    samples_left = d.below(2) == 0 ? static_cast<long>(d.below(2 * count)) : -1;
    bool threw = false;
    std::string wrong;
    try {
      wrong = pass();
    } catch (const std::exception&) {
      threw = true;
      ++all.ended_early;
    }
    if (!wrong.empty()) return wrong;
    samples_left = -1;
    if (!threw) continue;
    try {  // may end with what failed ahead of it, once
      wrong = pass();
    } catch (const std::exception&) {
      wrong = pass();
    }
    if (!wrong.empty()) return "after a failure, " + wrong;
  }
  return {};
}

std::string loaders(std::uint64_t seed, std::size_t size, counts& all) {
  draws d{seed};
  const std::size_t count = 1 + d.below(20 * size);
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i);
  feed::loader_options o;
  o.mode = static_cast<feed::loading>(d.below(3));
  o.workers = d.below(4);
  o.last = feed::tail::kept;
  const std::size_t step = 1 + d.below(10);
  if (d.below(2) == 0) o.worker_batch = 1 + d.below(step);
  o.persistent_workers = d.below(2) == 0;
  o.async.buffer_size = 1 + d.below(5);
  o.async.early_preload = d.below(2) == 0;
  o.async.load_indefinitely = d.below(2) == 0;
  samples_left = -1;
  if (d.below(3) == 0) {  // a range, whose samples are read one after the other
    auto loader = feed::load(std::list<int>(numbers.begin(), numbers.end()) | fragile, step, o);
    return passes(loader, d, count, false, all);
  }
  const bool shuffled = d.below(2) == 0;
  if (shuffled) o.shuffle = seed;
  auto loader = feed::load(numbers | fragile, step, o);
  return passes(loader, d, count, shuffled, all);
}

// --- readers ---------------------------------------------------------------------------------------------------------

class memory_file {
 public:
  explicit memory_file(const std::string& bytes) : number_{::memfd_create("changed", 0)} {
    if (number_ < 0 || ::write(number_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) throw std::runtime_error{"there is no memory for a file"};
  }
  memory_file(const memory_file&) = delete;
  ~memory_file() { ::close(number_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

std::string contents(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::string changed(std::string bytes, draws& d) {
  for (std::size_t n = d.below(4); n > 0 && !bytes.empty(); --n) {
    const std::size_t at = d.below(bytes.size()), few = d.below(20);
    switch (d.below(6)) {
      case 0:
        bytes[at] = static_cast<char>(d.below(256));
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << d.below(8)));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, std::string(few, static_cast<char>(d.below(256))));
        break;
      case 4:
        bytes.erase(at, few);
        break;
      default:
        bytes.insert(at, bytes.substr(d.below(bytes.size()), 2 * few));
    }
  }
  return bytes;
}

constexpr auto file_network = single_stage(input<float, 3>, block<"a">(nn::linear<2>));

struct reader {
  std::string_view name;
  std::string file;
  void (*read)(const std::string& path);
};

const std::vector<reader>& readers_there_are() {
  static const std::vector<reader> all = [] {
    const std::string folder = std::filesystem::temp_directory_path() / ("ipuflow_soak_files_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    const auto made = [&](auto save) {
      save(folder + "/file");
      return contents(folder + "/file");
    };
    const train::model<> m = train::initial_model(file_network, 1);
    std::vector<reader> list;
    list.push_back({"model", made([&](const std::string& p) { save(m, p); }), [](const std::string& p) {
                      train::model<> to = train::initial_model(file_network, 2);
                      const auto before = to;
                      try {
                        load(to, p);
                      } catch (...) {
                        if (!(to == before)) throw std::logic_error{"a model was changed by a file that is refused"};
                        throw;
                      }
                    }});
    list.push_back({"checkpoint", made([&](const std::string& p) { save(train::checkpoint<>{{.learned = m, .optimiser = {}, .optimiser_numbers = {}}, {}}, p); }),
                    [](const std::string& p) { (void)train::load_checkpoint(p); }});
    list.push_back({"safetensors", made([&](const std::string& p) { save_safetensors(file_network, m, p); }), [](const std::string& p) {
                      train::model<> to = train::initial_model(file_network, 2);
                      load_safetensors(file_network, to, p);
                    }});
    list.push_back({"npz", made([&](const std::string& p) { save_npz(file_network, m, p); }), [](const std::string& p) {
                      train::model<> to = train::initial_model(file_network, 2);
                      load_npz(file_network, to, p);
                    }});
    list.push_back({"idx", std::string{"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x02" "abcdefgh", 24}, [](const std::string& p) { (void)feed::idx(p, p); }});
    list.push_back({"cifar10", std::string(2 * 3073, '\1'), [](const std::string& p) { (void)feed::cifar10(p); }});
    list.push_back({"csv", "a,b,c\n1,\"x,\"\"y\",3\n-4.5,z,255\n", [](const std::string& p) { (void)feed::csv<float, std::string, std::uint8_t>(p); }});
    list.push_back({"costs", "1,2,3,4;2.5,2,2,2 # slow\n3,3,3,.5\n", [](const std::string& p) { (void)schedule::read_costs(contents(p)); }});
    list.push_back({"schedule", schedule::to_csv(schedule::tabulate(schedule::one_f_one_b({.ipus = 3, .micro_batches = 4}))), [](const std::string& p) {
                      const schedule::table t = schedule::read_csv(contents(p));
                      if (!schedule::verify(t)) (void)schedule::to_csv(schedule::lower(t));
                    }});
    std::filesystem::remove_all(folder);
    return list;
  }();
  return all;
}

std::string readers(std::uint64_t seed, std::size_t size, counts& all) {
  draws d{seed};
  for (std::size_t i = 0; i < 4 * size; ++i) {
    const reader& one = readers_there_are()[d.below(readers_there_are().size())];
    const memory_file file{changed(one.file, d)};
    ++all.files;
    try {
      one.read(file.path());
    } catch (const error& wrong) {
      ++all.refused;
      if (!std::string_view{wrong.what()}.starts_with("ipuflow: ")) return std::string{one.name} + " is refused with '" + wrong.what() + "'";
    } catch (const std::exception& wrong) {
      return std::string{one.name} + " throws '" + wrong.what() + "'";
    }
  }
  return {};
}

// --- networks --------------------------------------------------------------------------------------------------------

std::string networks(std::uint64_t seed, std::size_t size, counts& all) {
  const trust::recipe r = trust::random_recipe(seed, 3 + size / 4);
  ++all.networks;
  const std::string wrong = trust::check_all(r, all.of_networks);
  if (wrong.empty()) return {};
  std::printf("%s\n  %s\n  made smaller...\n", wrong.c_str(), trust::text_of(r).c_str());
  std::fflush(stdout);
  const std::string law = wrong.substr(0, wrong.find(':'));
  const trust::recipe small = trust::shrunk(r, [&](const trust::recipe& s) {
    ::alarm(3600);
    trust::tried none;
    return !trust::check_all(s, none, law).empty();
  });
  trust::tried none;
  return trust::check_all(small, none, law) + "\n  the smallest: soak --recipe \"" + trust::text_of(small) + "\"";
}

struct part {
  std::string_view name;
  std::string (*run)(std::uint64_t seed, std::size_t size, counts& all);
};
constexpr part parts[] = {{"queues", queues}, {"runs", runs}, {"loaders", loaders}, {"readers", readers}, {"networks", networks}};
constexpr std::size_t most_size = 64;

char under_way[200] = "";
void say_what_hangs(int) {
  [[maybe_unused]] const auto said = ::write(2, under_way, std::strlen(under_way));
  std::abort();
}

struct memory {
  std::size_t heap = 0;      ///< bytes in use
  std::size_t resident = 0;  ///< pages in memory
};

memory memory_now() {
  if (sanitized) return {};  // keeps freed memory
  std::size_t all = 0, resident = 0;
  std::ifstream{"/proc/self/statm"} >> all >> resident;
  const auto m = ::mallinfo2();
  return {m.uordblks + m.hblkhd, resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))};
}

struct options {
  std::size_t seconds = 0, rounds = 0, size = 0;
  std::uint64_t seed = 1;
  std::string only{}, recipe{};
};

options options_from(int count, char** words) {
  options o;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = words[i];
    if (i + 1 == count) throw std::runtime_error{"a value is missing behind " + std::string{name}};
    const std::string value = words[i + 1];
    if (name == "--only") {
      o.only = value;
    } else if (name == "--recipe") {
      o.recipe = value;
    } else if (name == "--seconds" || name == "--rounds" || name == "--size" || name == "--seed") {
      const std::uint64_t n = std::stoull(value);
      (name == "--seed" ? o.seed : name == "--seconds" ? o.seconds : name == "--rounds" ? o.rounds : o.size) = n;
    } else {
      throw std::runtime_error{"there is no option " + std::string{name}};
    }
  }
  if (std::none_of(std::begin(parts), std::end(parts), [&](const part& p) { return o.only.empty() || p.name == o.only; })) throw std::runtime_error{"there is no part " + o.only};
  return o;
}

void print(const counts& c, std::size_t rounds) {
  const trust::tried& n = c.of_networks;
  std::printf("%zu rounds: %zu items, %zu runs, %zu samples loaded, %zu of these ended early by a fault, a stop or a reader that left\n", rounds, c.items, c.runs, c.samples, c.ended_early);
  std::printf("  %zu changed files read, %zu refused\n", c.files, c.refused);
  std::printf("  %zu networks: %zu gradients against differences, %zu steps, %zu schedules, %zu searched, %zu faults, %zu numbers compared\n", c.networks, n.gradients, n.steps, n.schedules,
              n.searches, n.faults, n.numbers);
}

int soak(const options& o) {
  std::signal(SIGALRM, say_what_hangs);
  if (!o.recipe.empty()) {
    trust::tried none;
    const std::string wrong = trust::check_all(trust::recipe_of(o.recipe), none);
    std::printf("%s\n", wrong.empty() ? "nothing is wrong" : wrong.c_str());
    return wrong.empty() ? 0 : 1;
  }
  counts all;
  const auto begun = std::chrono::steady_clock::now();
  const auto spent = [&] { return static_cast<std::size_t>(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - begun).count()); };
  const std::size_t rounds = o.rounds > 0 || o.seconds > 0 ? o.rounds : 1;
  memory warm{};
  std::size_t found = 0, round = 0, warm_round = 0, said = 0;
  for (; round == 0 || (rounds > 0 && round < rounds) || (o.seconds > 0 && spent() < o.seconds); ++round) {
    const std::size_t size = o.size > 0 ? o.size : std::min(most_size, 1 + round / 4);
    for (const part& p : parts) {
      if (!o.only.empty() && o.only != p.name) continue;
      const std::uint64_t seed = round == 0 ? o.seed : nn::random_bits(o.seed, round) >> 16;
      std::snprintf(under_way, sizeof under_way, "hangs: soak --only %s --size %zu --seed %llu --rounds 1\n", p.name.data(), size, static_cast<unsigned long long>(seed));
      ::alarm(3600);
      std::string wrong;
      try {
        wrong = p.run(seed, size, all);
      } catch (const std::exception& thrown) {
        wrong = std::string{"it throws: "} + thrown.what();
      }
      ::alarm(0);
      if (wrong.empty()) continue;
      ++found;
      std::printf("FOUND %s: %s\n  repeat: soak --only %s --size %zu --seed %llu --rounds 1\n", p.name.data(), wrong.c_str(), p.name.data(), size, static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    // Sizes are largest from here on, and what is made once is there.
    if (warm_round == 0 && size == most_size && (o.seconds == 0 || 4 * spent() >= o.seconds)) warm = memory_now(), warm_round = round + 1;
    if (o.seconds > 0 && spent() / 300 > said) said = spent() / 300, print(all, round + 1), std::fflush(stdout);
  }
  print(all, round);
  const memory end = memory_now();
  constexpr double mb = 1e6;
  if (warm_round > 0 && round > warm_round) {
    std::printf("  memory after %zu rounds and at the end: %.1f and %.1f MB in use, %.1f and %.1f MB resident\n", warm_round, static_cast<double>(warm.heap) / mb, static_cast<double>(end.heap) / mb,
                static_cast<double>(warm.resident) / mb, static_cast<double>(end.resident) / mb);
    // In use: what is between rounds, but for what the standard library keeps. Resident: freed memory that is in pieces counts, too.
    if (end.heap > warm.heap + 1'000'000 || static_cast<double>(end.resident) > 1.25 * static_cast<double>(warm.resident) + 8 * mb) {
      std::printf("FOUND memory that grows\n");
      ++found;
    }
  }
  std::printf("%zu found\n", found);
  return found == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** words) {
  try {
    return soak(options_from(count, words));
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "soak: %s\n", wrong.what());
    return 2;
  }
}
