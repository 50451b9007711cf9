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
#include <ipuflow/train/checkpoint_file.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/npz_weights.hpp>
#include <ipuflow/train/safetensors.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
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

template <class Run, class After>
void walk_files(const char* operation, Run run, After after) {
  for (const fault kind : {fault::allocation, fault::system, fault::signal, fault::in_pieces})
    trust::walk(operation, kind, run, after);
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
      [&](bool threw) {
        const std::string bytes = contents(path);
        CHECK((bytes == new_bytes || (threw && bytes == old_bytes)));
        CHECK(std::distance(fs::directory_iterator{folder.path}, {}) == 1);
        write_to(older, path);
      });
  write_to(newer, path);
  Thing here = older;
  walk_files(
      ("load " + what).c_str(), [&] { read_from(here, path); },
      [&](bool threw) {
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
      },
      [](bool) {});
  walk_files(
      "open a CIFAR-10 file",
      [&] {
        const auto data = feed::cifar10(folder.file("cifar"));
        CHECK(data.size() == 1);
      },
      [](bool) {});
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
      },
      [](bool) {});
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
      },
      [](bool) {});
  train::save_npz(one_layer, train::model<>{{5, 6, 7}, {}}, folder.file("archive"));
  walk_files(
      "open a .npz file",
      [&] {
        const feed::npz file{folder.file("archive")};
        const std::vector<std::string> names = file.names();
        REQUIRE(names.size() == 2);
        const auto first = file.read<float>(names[0]), second = file.read<float>(names[1]);
        CHECK(first.elements.size() + second.elements.size() == 3);
      },
      [](bool) {});
}

TEST_CASE("costs are read") {
  walk_files(
      "read costs",
      [] {
        const auto read = schedule::read_costs("1,2,3,4\n3,4.5,1,0 # b\n");
        CHECK(read.records() == 2);
      },
      [](bool) {});
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
      },
      [](bool) {});
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
      },
      [](bool) {});
  walk_files(
      "report of a run, saved", [&] { report::save(folder.file("profile"), events); },
      [&](bool threw) {
        if (threw) return;
        CHECK(contents(folder.file("profile/host_trace.json")).ends_with("]}\n"));
        CHECK(contents(folder.file("profile/host_timeline.svg")).ends_with("</svg>\n"));
      });
}

}  // namespace trust_files_test
