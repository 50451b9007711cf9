// SPDX-License-Identifier: BSL-1.0
// Whatever reads or writes a file, with every system call and every allocation failing in turn, with signals, and with
// reads and writes of one byte. A file that is written is the old one or the new one.
#include "injection.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/feed.hpp>
#include <ipuflow/feed/sources/csv.hpp>
#include <ipuflow/feed/sources/npy.hpp>
#include <ipuflow/feed/sources/npz.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/trace.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/analysis/measured_costs.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoint_file.hpp>
#include <ipuflow/train/checkpoints.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/npz_weights.hpp>
#include <ipuflow/train/safetensors.hpp>

#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace trust_files_test {

using namespace ipuflow;
using trust::fault;
namespace fs = std::filesystem;

struct scratch_folder {
  fs::path path = fs::temp_directory_path() / ("ipuflow_trust_" + std::to_string(std::random_device{}()));

  scratch_folder() { fs::create_directories(path); }
  ~scratch_folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name) const { return (path / name).string(); }
};

std::string contents(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}
void write(const std::string& path, const std::string& bytes) { std::ofstream{path, std::ios::binary} << bytes; }

/// `after(threw, kind)`
template <class Run, class After>
void walk_files(const char* operation, Run run, After after) {
  for (const fault kind : {fault::allocation, fault::system, fault::outage, fault::signal, fault::in_pieces})
    trust::walk(operation, kind, run, [&](bool threw) { after(threw, kind); });
}
template <class Run>
void walk_files(const char* operation, Run run) {
  walk_files(operation, run, [](bool, fault) {});
}

/// Removes new files that had to stay since the disk was gone; returns how many other names there are.
std::size_t others_in(const fs::path& folder, fault kind) {
  std::size_t others = 0;
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator{folder}) {
    const std::string name = entry.path().filename().string();
    if (kind == fault::outage && whole_file::writer_of(name) != 0) left.push_back(entry.path());
    else ++others;
  }
  CHECK(left.size() <= 1);
  for (const fs::path& one : left) fs::remove(one);
  return others;
}

/// What is saved is the old file or the new one, and alone in its folder; what is loaded is what was in memory, or in the file.
template <class Thing>
void saved_and_loaded(const std::string& what, const Thing& older, const Thing& newer, auto write_to, auto read_from) {
  const scratch_folder folder;
  const std::string path = folder.file("one");
  write_to(newer, path);
  const std::string new_bytes = contents(path);
  write_to(older, path);
  const std::string old_bytes = contents(path);
  walk_files(
      ("save " + what).c_str(), [&] { write_to(newer, path); },
      [&](bool threw, fault kind) {
        const std::string bytes = contents(path);
        CHECK((bytes == new_bytes || (threw && bytes == old_bytes)));
        CHECK(others_in(folder.path, kind) == 1);
        write_to(older, path);
      });
  write_to(newer, path);
  Thing here = older;
  walk_files(
      ("load " + what).c_str(), [&] { read_from(here, path); },
      [&](bool threw, fault) {
        CHECK(here == (threw ? older : newer));
        here = older;
      });
}

constexpr auto one_layer = single_stage(input<float, 2>, block<"b">(nn::linear<1>));

TEST_CASE("models, weights and checkpoints are saved and loaded") {
  const train::model<> older{{1, 2, 3}, {}};
  const train::model<> newer{{5, 6, 7}, {}};
  saved_and_loaded("a model", train::model<>{{1, 2, 3}, {4}}, train::model<>{{5, 6, 7}, {8}},
                   [](const auto& m, const std::string& path) { save(m, path); }, [](auto& m, const std::string& path) { load(m, path); });
  saved_and_loaded("safetensors", older, newer, [](const auto& m, const std::string& path) { train::save_safetensors(one_layer, m, path); },
                   [](auto& m, const std::string& path) { train::load_safetensors(one_layer, m, path); });
  saved_and_loaded("weights as .npz", older, newer, [](const auto& m, const std::string& path) { train::save_npz(one_layer, m, path); },
                   [](auto& m, const std::string& path) { train::load_npz(one_layer, m, path); });
  train::checkpoint<> first, second;
  first.state.learned = older;
  second.state.learned = newer;
  for (train::checkpoint<>* c : {&first, &second}) c->state.optimiser = type_text{"train::sgd"};
  second.state.steps = 3;
  saved_and_loaded("a checkpoint", first, second, [](const auto& c, const std::string& path) { save(c, path); },
                   [](auto& c, const std::string& path) { c = train::load_checkpoint(path); });
}

TEST_CASE("a save that signals break off has waited for its file and for its folder all the same") {
  const scratch_folder folder;
  const train::model<> model{{1, 2, 3}, {}};
  for (const fault kind : {fault::none, fault::signal}) {
    const std::size_t before = trust::synced();
    trust::arm(kind, 0);
    save(model, folder.file("model"));
    trust::disarm();
    CHECK(trust::synced() == before + 2);
  }
}

TEST_CASE("a link at the place of a model stays, and what it leads to is replaced") {
  const scratch_folder folder;
  const train::model<> older{{1, 2, 3}, {}}, newer{{5, 6, 7}, {}};
  fs::create_directory(folder.path / "elsewhere");
  const std::string aim = folder.file("elsewhere/model"), link = folder.file("link");
  save(older, aim);
  fs::create_symlink(aim, link);
  walk_files(
      "save a model through a link", [&] { save(newer, link); },
      [&](bool threw, fault kind) {
        CHECK(fs::is_symlink(link));
        CHECK(others_in(folder.path, kind) == 2);
        CHECK(others_in(folder.path / "elsewhere", kind) == 1);
        train::model<> there = older;
        load(there, aim);
        CHECK((there == newer || (threw && there == older)));
        save(older, aim);
      });
}

TEST_CASE("what asks whether a file can be written leaves nothing behind, or says that it could not") {
  const scratch_folder folder;
  const std::string path = folder.file("model");
  for (const bool there : {false, true}) {
    if (there) save(train::model<>{{1, 2, 3}, {}}, path);
    bool threw = false;
    const auto ask = [&] {
      threw = true;
      train::check_can_save(path);
      threw = false;
    };
    for (const fault kind : {fault::allocation, fault::system, fault::outage, fault::signal}) {
      trust::walk(there ? "may a model be replaced" : "may a model be written", kind, ask, [&](bool) {
        std::size_t left = 0;
        for (const auto& entry : fs::directory_iterator{folder.path}) left += whole_file::writer_of(entry.path().filename().string()) != 0 ? 1u : 0u;
        CHECK((left == 0 || threw));
        for (const auto& entry : std::vector<fs::directory_entry>{fs::directory_iterator{folder.path}, {}}) {
          if (entry.path() != path) fs::remove(entry.path());
        }
        CHECK(fs::exists(path) == there);
      });
    }
  }
  walk_files(
      "may a report be written", [&] { report::check_can_save(folder.file("a/b")); },
      [&](bool, fault) { fs::remove_all(folder.path / "a"); });
}

constexpr auto two_layers = pipeline(input<float, 2>, per_sample<"class", std::uint8_t>, stage(block<"in">(nn::linear<3>)).ipu<0>(),
                                     stage(block<"out">(nn::linear<2>, use<"class">(nn::cross_entropy))).ipu<1>());

TEST_CASE("checkpoints are written and taken, or what keeps them from that is said") {
  constexpr auto timetable = schedule::grouped(two_layers, micro_batches<4>);
  const scratch_folder folder;
  const std::string place = folder.file("checkpoints");
  train::session session{two_layers, timetable, train::adamw{}, {.micro_batch = 1}, on::threads{.count = 1}};
  train::session fresh{two_layers, timetable, train::adamw{}, {.micro_batch = 1}, on::threads{.count = 1}};
  const auto begun = fresh.state();
  auto older = session.state(), newer = session.state();
  older.steps = 1, newer.steps = 2;
  older.learned.values[0] = 4, newer.learned.values[0] = 5;
  const auto written = [&](const auto& state, auto&&... options) {
    session.go_on(state);
    train::checkpoints<> saved{place, train::checkpoint_options{options...}};
    saved.write(session);
    saved.wait();
  };
  for (const fault kind : {fault::allocation, fault::thread, fault::system, fault::outage, fault::signal, fault::in_pieces}) {
    trust::walk(
        "write a checkpoint", kind, [&] { written(newer, std::size_t{0}, std::size_t{1}, SIGUSR1); },
        [&](bool threw) {
          fresh.go_on(begun);
          train::checkpoints<> saved{place};
          const bool any = saved.resume(fresh);
          CHECK(saved.passed_over().empty());
          CHECK((threw || any));
          if (any) CHECK((fresh.state() == newer || (threw && fresh.state() == older)));
          fs::remove_all(place);
          written(older);
        },
        false);
  }
  fs::remove_all(place);
  written(older);
  written(newer);
  for (const fault kind : {fault::allocation, fault::system, fault::outage, fault::signal, fault::in_pieces}) {
    bool any = false;
    std::size_t unseen = 0;
    trust::walk(
        "go on from a checkpoint", kind,
        [&] {
          train::checkpoints<> saved{place};
          try {
            any = saved.resume(fresh);
          } catch (const rejected<train::checkpoints_fault>& fault) {
            CHECK(fault.found().kind == train::checkpoints_wrong::no_names);
            CHECK(std::string{fault.what()}.starts_with("ipuflow: cannot see which checkpoints there are in " + place + ", the system says error "));
            CHECK(std::string{fault.what()}.ends_with("; check who may read that folder, and its disk"));
            ++unseen;
            throw;
          }
          if (!saved.passed_over().empty()) throw std::runtime_error{"said"};
        },
        [&](bool threw) {
          CHECK((threw || any));  // never as if there were none
          if (!threw) CHECK(fresh.state() == newer);
          fresh.go_on(begun);
          for (const auto& entry : std::vector<fs::directory_entry>{fs::directory_iterator{place}, {}}) {
            if (whole_file::writer_of(entry.path().filename().string()) != 0) fs::remove(entry.path());
          }
        },
        false);
    CHECK((unseen > 0) == (kind == fault::system || kind == fault::outage));
  }
}

TEST_CASE("datasets of files") {
  const scratch_folder folder;
  const std::string images{"\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02" "abcd", 20};
  const std::string labels{"\0\0\x08\x01\0\0\0\x02\x01\x02", 10};
  write(folder.file("images"), images);
  write(folder.file("labels"), labels);
  write(folder.file("cifar"), std::string(3073, '\1'));
  walk_files(
      "open IDX files",
      [&] {
        const auto data = feed::idx<1, 2>(folder.file("images"), folder.file("labels"));
        CHECK(data.size() == 2);
        CHECK(std::get<0>(data[1])[0] == 'c');
      });
  walk_files(
      "open a CIFAR-10 file",
      [&] {
        const auto data = feed::cifar10(folder.file("cifar"));
        CHECK(data.size() == 1);
      });
}

TEST_CASE("tables and arrays") {
  const scratch_folder folder;
  write(folder.file("table"), "x,y,class\n1,2,a\n3,4,\"b\"\n");
  walk_files(
      "open a CSV file",
      [&] {
        const auto data = feed::csv<std::array<float, 2>, feed::label<>>(folder.file("table"));
        CHECK(data.size() == 2);
        CHECK(std::get<0>(data[1])[0] == 3);
      });
  std::string array{"\x93NUMPY\x01\0\x76\0{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2)}", 67};
  array.resize(127, ' ');
  array += "\nabcd";
  write(folder.file("array"), array);
  walk_files(
      "open a .npy file",
      [&] {
        const auto data = feed::npy<std::uint8_t, 2>(folder.file("array"));
        CHECK(data.size() == 2);
        CHECK(data[1][0] == 'c');
      });
  train::save_npz(one_layer, train::model<>{{5, 6, 7}, {}}, folder.file("archive"));
  walk_files(
      "open a .npz file",
      [&] {
        const feed::npz file{folder.file("archive")};
        const std::vector<std::string> names = file.names();
        REQUIRE(names.size() == 2);
        const auto first = file.read<float>(names[0]), second = file.read<float>(names[1]);
        CHECK(first.elements.size() + second.elements.size() == 3);
      });
}

TEST_CASE("costs are read") {
  walk_files(
      "read costs",
      [] {
        const auto read = schedule::read_costs("1,2,3,4\n3,4.5,1,0 # b\n");
        CHECK(read.records() == 2);
      });
}

TEST_CASE("a schedule is read from CSV and written again") {
  walk_files(
      "schedule as CSV",
      [] {
        const std::string text = schedule::to_csv(schedule::tabulate(schedule::one_f_one_b({.ipus = 3, .micro_batches = 4})));
        const std::string again = schedule::to_csv(schedule::read_csv(text));
        const std::string lowered = schedule::to_csv(schedule::lower(schedule::zbv({.ipus = 2, .micro_batches = 4})));
        CHECK(again == text);
        CHECK_FALSE(lowered.empty());
      });
}

constexpr auto line = pipeline(stage(block<"a">([](int x) { return x + 1; })).ipu<0>(),
                               stage(block<"b">([](int x) { return x * 2; })).ipu<1>());

TEST_CASE("pictures, texts and traces of a schedule and of a run") {
  const scratch_folder folder;
  constexpr auto timetable = schedule::inference(line, micro_batches<4>);
  run::trace events{100};
  int next = 0;
  run::on_threads(line, timetable, [&] { return next < 4 ? std::optional<int>{next++} : std::nullopt; }, [](int) {},
                  {.threads = 2, .events = &events});
  walk_files(
      "report of a schedule",
      [&] {
        const std::string drawn = report::schedule_svg(timetable);
        const std::string traced = report::schedule_trace(timetable);
        const std::string printed = report::schedule_text(schedule::tabulate(timetable));
        CHECK((drawn.size() > 500 && traced.size() > 500 && printed.size() > 50));
      });
  walk_files(
      "report of a run, saved", [&] { report::save(folder.file("profile"), events); },
      [&](bool threw, fault kind) {
        if (fs::exists(folder.path / "profile")) CHECK(others_in(folder.path / "profile", kind) <= 2);
        if (threw) return fs::remove_all(folder.path / "profile"), void();  // so that the folder has to be made again
        CHECK(contents(folder.file("profile/host_trace.json")).ends_with("]}\n"));
        CHECK(contents(folder.file("profile/host_timeline.svg")).ends_with("</svg>\n"));
      });
}

}  // namespace trust_files_test
