// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/files.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>

#include "hand_made.hpp"
#include "json.hpp"
#include "printed.hpp"
#include "xml.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace files_test {

using namespace ipuflow;

namespace {

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder for a test, gone with it.
struct folder {
  std::filesystem::path path;
  explicit folder(const std::string& name) : path{std::filesystem::temp_directory_path() / ("ipuflow_" + name)} {
    std::filesystem::remove_all(path);
  }
  folder(const folder&) = delete;
  folder& operator=(const folder&) = delete;
  ~folder() { std::filesystem::remove_all(path); }
};

}  // namespace

TEST_CASE("what is saved is what is shown, in folders that need not be there") {
  const folder made{"report_files"};
  const auto t = schedule::grouped({.ipus = 2, .micro_batches = 8});
  const run::trace host = hand_made::on_host(t);
  run::chips_profile model = hand_made::on_chips(t);
  model.chips.memory = printed::some_profile(2, 1).memory;
  report::save(made.path / "a" / "b", host);
  report::save(made.path / "a" / "b", model, {.samples = 320});
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(made.path / "a" / "b")) {
    const std::string name = entry.path().filename().string();
    const std::string text = contents(entry.path());
    names.insert(name);
    if (name.ends_with(".json")) CHECK(json::parsed(text)["traceEvents"].items.size() > 10);
    if (name.ends_with(".svg")) CHECK(xml::parsed(text).count("text") > 4);
  }
  CHECK(names == std::set<std::string>{"host_trace.json", "host_timeline.svg", "chips_summary.txt", "chips_trace.json",
                                       "chips_timeline.svg", "chips_memory.svg", "chips_tiles.svg"});
  CHECK(contents(made.path / "a" / "b" / "chips_summary.txt") == report::summary(model, {.samples = 320}));
  CHECK(contents(made.path / "a" / "b" / "host_timeline.svg") == report::timeline_svg(host));
}

TEST_CASE("numbers of any type are written as they are") {
  const folder saved{"numbers"};
  report::save_file((saved.path / "all.txt").string(), [](auto& out) {
    out << 7u << ' ' << -1 << ' ' << 0.5 << ' ' << 1e300 << ' ' << 0.1f << ' ' << true << ' ' << static_cast<std::uint64_t>(-1);
  });
  CHECK(contents(saved.path / "all.txt") == "7 -1 0.5 1e+300 0.1 1 18446744073709551615");
}

TEST_CASE("what cannot be written is said with its name") {
  const folder made{"report_blocked"};
  std::filesystem::create_directories(made.path);
  std::ofstream{made.path / "file"} << "in the way";
  const auto said = [](const std::filesystem::path& to) {
    try {
      report::save(to, run::trace{0});
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  CHECK(said(made.path / "file") == "ipuflow: report '" + (made.path / "file" / "host_trace.json").string() +
                                        "' cannot be written; check its folder, and the space there");
  if (std::filesystem::exists("/dev/full")) {
    CHECK_THROWS_AS(report::save_file("/dev/full", [](auto& out) { out << "much"; }), error);
  }
}

}  // namespace files_test
