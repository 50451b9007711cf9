// SPDX-License-Identifier: BSL-1.0
// A file is written whole or not at all, whichever of the writer's system calls fails. The calls are this program's own,
// which pass on to the system; `trust/` has signals and calls that do a part of their work.
#include <ipuflow/core/whole_file.hpp>

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace whole_file_test {

/// The calls of the writer, counted from 0, of which one fails.
struct system_script {
  std::size_t calls = 0;
  std::size_t fails_at = static_cast<std::size_t>(-1);
  int with = 0;  // errno
  std::vector<std::string> names{};
};
thread_local system_script* script = nullptr;

/// Whether the call at hand is to fail.
bool fails(const char* name) {
  if (script == nullptr) return false;
  script->names.emplace_back(name);
  if (script->calls++ != script->fails_at) return false;
  errno = script->with;
  return true;
}

}  // namespace whole_file_test

extern "C" {
ssize_t write(int file, const void* bytes, size_t count) {
  return whole_file_test::fails("write") ? -1 : syscall(SYS_write, file, bytes, count);
}
int fsync(int file) { return whole_file_test::fails("fsync") ? -1 : static_cast<int>(syscall(SYS_fsync, file)); }
int fchmod(int file, mode_t mode) noexcept {
  return whole_file_test::fails("fchmod") ? -1 : static_cast<int>(syscall(SYS_fchmod, file, mode));
}
int rename(const char* from, const char* to) noexcept {
  if (whole_file_test::fails("rename")) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
}

namespace whole_file_test {

using namespace ipuflow;
namespace fs = std::filesystem;

struct scratch_folder {
  fs::path path = fs::temp_directory_path() / ("ipuflow_whole_" + std::to_string(std::random_device{}()));

  scratch_folder() { fs::create_directories(path); }
  ~scratch_folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const char* name = "model") const { return (path / name).string(); }
  [[nodiscard]] std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator{path}, {}); }
};

std::string contents(const std::string& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// Writes in three parts, of which the second does not wait.
bool written(const std::string& path, const std::string& text) {
  whole_file file{path};
  file.write(text.data(), 1);
  file.write(text.data() + 1, text.size() - 2);
  file.write(text.data() + text.size() - 1, 1);
  return file.keep();
}

const std::string old_text(100, 'o');
const std::string new_text(200'000, 'n');

TEST_CASE("a file that is kept has all that was written, and nothing else is left") {
  const scratch_folder folder;
  CHECK(written(folder.file(), new_text));
  CHECK(contents(folder.file()) == new_text);
  CHECK(written(folder.file(), old_text));
  CHECK(contents(folder.file()) == old_text);
  CHECK(folder.entries() == 1);
  { whole_file dropped{folder.file()}; }
  CHECK(contents(folder.file()) == old_text);
  CHECK(folder.entries() == 1);
}

TEST_CASE("whichever call fails, the old file or the new one is there whole, and nothing else") {
  const scratch_folder folder;
  system_script seen;
  REQUIRE(written(folder.file(), old_text));
  script = &seen;
  REQUIRE(written(folder.file(), new_text));
  script = nullptr;
  // The file is on the disk before it has its place, and its place is on the disk in the end.
  CHECK(seen.names == std::vector<std::string>{"fchmod", "write", "write", "write", "fsync", "rename", "fsync"});
  for (std::size_t call = 0; call < seen.calls; ++call) {
    CAPTURE(call);
    fs::remove(folder.file());
    REQUIRE(written(folder.file(), old_text));
    system_script failing{.fails_at = call, .with = ENOSPC};
    script = &failing;
    int wrong = 0;
    {
      whole_file file{folder.file()};
      file.write(new_text.data(), 1);
      file.write(new_text.data() + 1, new_text.size() - 2);
      file.write(new_text.data() + new_text.size() - 1, 1);
      CHECK_FALSE(file.keep());
      wrong = file.wrong();
    }
    script = nullptr;
    CHECK(wrong == ENOSPC);
    CHECK(contents(folder.file()) == (call + 1 < seen.calls ? old_text : new_text));
    CHECK(folder.entries() == 1);
  }
}

TEST_CASE("two savers at once: one of the two files, whole") {
  const scratch_folder folder;
  const auto save = [&](char letter) {
    for (int i = 0; i < 50; ++i) CHECK(written(folder.file(), std::string(100'000, letter)));
  };
  std::thread other{save, 'a'};
  save('b');
  other.join();
  const std::string text = contents(folder.file());
  CHECK(text == std::string(100'000, text.at(0)));
  CHECK(folder.entries() == 1);
}

TEST_CASE("a link that leads to no file yet stays, and the file is made where it leads") {
  const scratch_folder folder;
  fs::create_directory(folder.path / "far");
  fs::create_symlink("far/next", folder.file());
  fs::create_symlink(folder.file("far/model"), folder.file("far/next"));
  CHECK(why_unwritable(folder.file()) == 0);
  CHECK(written(folder.file(), new_text));
  CHECK(fs::is_symlink(folder.file()));
  CHECK(fs::is_symlink(folder.file("far/next")));
  CHECK(contents(folder.file("far/model")) == new_text);
  fs::create_symlink("nowhere/model", folder.file("lost"));
  CHECK(why_unwritable(folder.file("lost")) == ENOENT);
}

TEST_CASE("a link stays, what it leads to is replaced, and nobody's link is written through") {
  const scratch_folder folder;
  fs::create_directories(folder.path / "far");
  REQUIRE(written(folder.file("far/model"), old_text));
  fs::create_symlink("far/model", folder.file());
  CHECK(written(folder.file(), new_text));
  CHECK(fs::is_symlink(folder.file()));
  CHECK(contents(folder.file("far/model")) == new_text);
  // A link with the name of the new file, put there beforehand, is left alone.
  REQUIRE(written(folder.file("precious"), old_text));
  const std::size_t next = ipuflow::detail::next_new_file.load();
  const fs::path trap =
      folder.path / ("far/.ipuflow-" + std::to_string(::getpid()) + "-" + std::to_string(next) + ".new");
  fs::create_symlink(folder.file("precious"), trap);
  CHECK(written(folder.file(), old_text));
  CHECK(contents(folder.file("precious")) == old_text);
  CHECK(contents(folder.file()) == old_text);
  CHECK(fs::is_symlink(trap));
}

TEST_CASE("rights stay those of the old file; a new one has those of the process") {
  const scratch_folder folder;
  REQUIRE(written(folder.file(), old_text));
  const mode_t mask = ::umask(0);
  ::umask(mask);
  CHECK((fs::status(folder.file()).permissions() & fs::perms::all) == (static_cast<fs::perms>(0666 & ~mask)));
  fs::permissions(folder.file(), static_cast<fs::perms>(0640));
  CHECK(written(folder.file(), new_text));
  CHECK((fs::status(folder.file()).permissions() & fs::perms::all) == static_cast<fs::perms>(0640));
}

TEST_CASE("devices and pipes are written and not replaced; folders are refused") {
  const scratch_folder folder;
  CHECK(written("/dev/null", new_text));
  CHECK(fs::is_character_file("/dev/null"));
  if (fs::exists("/dev/full")) CHECK_FALSE(written("/dev/full", new_text));
  CHECK(whole_file{folder.path.string()}.wrong() == EISDIR);
  CHECK(whole_file{folder.file("no/such/folder")}.wrong() == ENOENT);
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0666) == 0);
  CHECK(whole_file{folder.file("pipe")}.wrong() == ENXIO);  // nobody reads; to wait would be for ever
  std::string read;
  std::thread reader{[&] { read = contents(folder.file("pipe")); }};
  while (!written(folder.file("pipe"), new_text)) std::this_thread::yield();
  reader.join();
  CHECK(read == new_text);
}

TEST_CASE("the name of a new file says whose it is") {
  const scratch_folder folder;
  whole_file file{folder.file()};
  REQUIRE(file.fine());
  std::size_t ours = 0;
  for (const auto& entry : fs::directory_iterator{folder.path}) {
    if (whole_file::writer_of(entry.path().filename().string()) == ::getpid()) ++ours;
  }
  CHECK(ours == 1);
  for (const char* const name : {"", "model", ".ipuflow-.new", ".ipuflow-x-1.new", ".ipuflow-7-1.old", "ipuflow-7-1.new", ".ipuflow-", ".new"})
    CHECK(whole_file::writer_of(name) == 0);
  CHECK(whole_file::writer_of(".ipuflow-7-1.new") == 7);
}

TEST_CASE("whether a place can be written is known before, and asking leaves nothing behind") {
  const scratch_folder folder;
  CHECK(why_unwritable(folder.file()) == 0);
  CHECK(folder.entries() == 0);
  REQUIRE(written(folder.file(), old_text));
  CHECK(why_unwritable(folder.file()) == 0);
  CHECK(contents(folder.file()) == old_text);
  CHECK(why_unwritable("/dev/null") == 0);
  CHECK(why_unwritable(folder.path.string()) == EISDIR);
  CHECK(why_unwritable(folder.file("no/folder")) == ENOENT);
  CHECK(why_unwritable(folder.file("model/below")) == ENOTDIR);
  CHECK(why_unwritable(folder.file(std::string(300, 'n').c_str())) == ENAMETOOLONG);
}

}  // namespace whole_file_test
