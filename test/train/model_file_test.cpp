// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/train/model_file.hpp>

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace model_file_test {

using namespace ipuflow;

namespace {

/// A file in a folder of this test's own, gone afterwards.
struct scratch_file {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ipuflow_model_" + std::to_string(std::random_device{}()));
  std::string path = (folder / "model").string();

  scratch_file() { std::filesystem::create_directories(folder); }
  ~scratch_file() { std::filesystem::remove_all(folder); }

  std::vector<char> read() const {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
  void write(const std::vector<char>& bytes) const {
    std::ofstream{path, std::ios::binary}.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
};

const train::model<> model{{1, -2.5f, 3e-9f, 4}, {0.5f, 6}};

/// Loading fails with this text in the sentence, and leaves the model alone.
template <class Number = float>
void refuses(const scratch_file& file, const std::string& text) {
  train::model<Number> m{std::vector<Number>(4, 9), std::vector<Number>(2, 9)};
  const train::model<Number> before = m;
  CHECK_THROWS_WITH(load(m, file.path), doctest::Contains(text.c_str()));
  CHECK(m == before);
}

}  // namespace

TEST_CASE("what was saved is loaded, bit for bit") {
  const scratch_file file;
  save(model, file.path);
  CHECK(file.read().size() == 40 + 6 * sizeof(float));
  train::model<> m{std::vector<float>(4), std::vector<float>(2)};
  load(m, file.path);
  CHECK(m == model);
  m.values[0] = 7;
  save(m, file.path);  // over the old one
  train::model<> again{std::vector<float>(4), std::vector<float>(2)};
  load(again, file.path);
  CHECK(again == m);
  CHECK(std::distance(std::filesystem::directory_iterator{file.folder}, {}) == 1);
}

TEST_CASE("every changed bit and every cut is noticed") {
  const scratch_file file;
  save(model, file.path);
  const std::vector<char> good = file.read();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::vector<char> bad = good;
    bad[i] = static_cast<char>(bad[i] ^ (1 << i % 8));
    file.write(bad);
    refuses(file, "ipuflow: ");
  }
  for (std::size_t size = 0; size < good.size(); ++size) {
    file.write({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)});
    refuses(file, size < 8 ? "is no model file; it does not begin with ipuflow1" : " bytes; copy it again");
  }
  file.write(good);
  train::model<> m{std::vector<float>(4), std::vector<float>(2)};
  load(m, file.path);
  CHECK(m == model);
}

TEST_CASE("a file of a later version is refused by its number, whatever follows it") {
  const scratch_file file;
  save(model, file.path);
  std::vector<char> later = file.read();
  for (const char version : {'2', '9'}) {
    later[7] = version;
    file.write(later);
    refuses(file, "ipuflow: the model file " + file.path + " is of version " + version + " but this library reads version 1; read it with the library that wrote it");
  }
  file.write({later.begin(), later.begin() + 8});
  refuses(file, " is of version 9 but this library reads version 1;");
  for (const char other : {'0', ':', 'c', 'x'}) {
    later[7] = other;
    file.write(later);
    refuses(file, "is no model file; it does not begin with ipuflow1");
  }
}

TEST_CASE("each fault has its sentence") {
  const scratch_file file;
  refuses(file, "ipuflow: cannot open the model file ");
  refuses(file, "; check its path");
  train::model<> none;
  CHECK_THROWS_WITH(load(none, "/proc/self/mem"), "ipuflow: cannot read the model file /proc/self/mem, the system says error 5; check its disk");
  save(model, file.path);
  const std::vector<char> good = file.read();
  refuses<double>(file,
                  " has numbers of 4 bytes but the model has numbers of 8; load it into a model of the same precision");
  std::vector<char> bad = good;
  bad.push_back(0);
  file.write(bad);
  refuses(file, "ipuflow: the model file ");
  refuses(file, " goes on after its 24 bytes; copy it again");
  bad = good;
  bad.back() = 1;
  file.write(bad);
  refuses(file, " has changed since it was saved: its checksum is ");
  refuses(file, " and should be ");
  bad = good;
  bad.resize(50);
  file.write(bad);
  refuses(file, " ends after 10 of 24 bytes; copy it again");
  train::model<> larger{std::vector<float>(5), std::vector<float>(2)};
  save(larger, file.path);
  refuses(file, " has 7 parameters and state but the model has 6; load it into a model of the same layers");
  CHECK_THROWS_WITH(save(model, (file.folder / "no" / "such" / "folder").string()),
                    doctest::Contains("; check its path and the room on its disk"));
  CHECK_THROWS_WITH(save(model, (file.folder / "no" / "folder").string()),
                    doctest::Contains("ipuflow: cannot write the model file "));
}

TEST_CASE("sizes that no memory could hold are refused before any is taken") {
  const scratch_file file;
  save(model, file.path);
  std::vector<char> bad = file.read();
  const std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();
  for (const std::size_t at : {8u, 16u, 24u}) {
    std::vector<char> one = bad;
    std::memcpy(one.data() + at, &huge, sizeof huge);
    file.write(one);
    refuses(file, "; load it into a model of the same ");
  }
  std::memcpy(bad.data() + 16, &huge, sizeof huge);
  std::memcpy(bad.data() + 24, &huge, sizeof huge);
  file.write(bad);
  refuses(file, "parameters and state");
}

TEST_CASE("a disk that fails is said") {
  const train::model_file_fault found{train::model_file_wrong::cannot_read, 5, 0,
                                      fixed_string<200>{std::string_view{"m"}}};
  CHECK(message(found).view() == "ipuflow: cannot read the model file m, the system says error 5; check its disk");
}

TEST_CASE("a pipe, a folder or a device is no model file, and is not waited for") {
  const scratch_file file;
  REQUIRE(::mkfifo(file.path.c_str(), 0666) == 0);
  refuses(file, " is a directory, a device or a pipe; give the path of a model file");
}

TEST_CASE("a place where nothing can be saved is refused before training, and a good one is left as it was") {
  const scratch_file file;
  train::check_can_save(file.path);
  CHECK(std::filesystem::is_empty(file.folder));
  save(model, file.path);
  const std::vector<char> good = file.read();
  train::check_can_save(file.path);
  CHECK(file.read() == good);
  CHECK_THROWS_WITH(train::check_can_save((file.folder / "no" / "folder").string()),
                    doctest::Contains(", the system says error 2; check its path and the room on its disk"));
}

}  // namespace model_file_test
