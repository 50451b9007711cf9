// SPDX-License-Identifier: BSL-1.0
// The program's own operator new, start of threads and system calls, which fail when they are told to; and whether the
// walk over them finds what it is for.
#include "injection.hpp"

#include <doctest/doctest.h>

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace trust {

namespace {

std::atomic<fault> armed_kind{fault::none};
std::atomic<std::size_t> events{0};
std::atomic<std::size_t> failing{0};
std::atomic<std::size_t> live{0};
std::atomic<std::size_t> bytes{0}, most{0}, bytes_before{0};
std::atomic<std::size_t> syncs{0};
std::atomic<std::size_t> maps{0};
thread_local bool broken_off = false;

char hanging[256] = "";
void say_what_hangs(int) {
  [[maybe_unused]] const auto said = syscall(SYS_write, 2, hanging, std::strlen(hanging));
  std::abort();
}

}  // namespace

void arm(fault kind, std::size_t number) {
  events = 0;
  failing = number;
  armed_kind = kind;
}
std::size_t disarm() {
  armed_kind = fault::none;
  return events;
}
std::size_t allocated() { return live; }
void measure() {
  bytes_before = bytes.load();
  most = bytes.load();
}
std::size_t most_bytes() { return most - bytes_before; }
std::size_t synced() { return syncs; }

void under_way(const char* operation, fault kind, std::size_t number) {
  if (operation == nullptr) {
    ::alarm(0);
    return;
  }
  std::snprintf(hanging, sizeof hanging, "%s hangs where %s %zu fails\n", operation, name_of(kind), number);
  std::signal(SIGALRM, say_what_hangs);
  const char* const patience = std::getenv("IPUFLOW_PATIENCE");
  ::alarm(patience == nullptr ? 300 : static_cast<unsigned>(std::atoi(patience)));
}

namespace {

/// What was visited in each module, which is the file of the walk. Arrays, so that the walk sees no memory of its own.
struct totals {
  struct row {
    char module[16] = "";
    std::size_t walks = 0;
    std::size_t points[kinds] = {};
  };
  row rows[16];

  ~totals() {
    if (rows[0].walks == 0) return;
    std::printf("points visited %7s", "walks");
    for (int kind = 1; kind < kinds; ++kind) std::printf(" %11s", name_of(static_cast<fault>(kind)));
    for (const row& r : rows) {
      if (r.walks == 0) break;
      std::printf("\n%-14s %7zu", r.module, r.walks);
      for (int kind = 1; kind < kinds; ++kind) std::printf(" %11zu", r.points[kind]);
    }
    std::printf("\n");
  }
} points_by_module;

}  // namespace

void note(fault kind, const walked& seen) {
  std::string_view file = doctest::getContextOptions()->currentTest->m_file.c_str();
  file.remove_prefix(file.rfind('/') + 1);
  const std::string_view module = file.substr(0, file.find("_test"));
  for (totals::row& r : points_by_module.rows) {
    if (r.walks == 0) module.copy(r.module, sizeof r.module - 1);
    if (module != r.module) continue;
    ++r.walks;
    r.points[static_cast<int>(kind)] += seen.points;
    return;
  }
}

bool due(fault kind) { return armed_kind == kind && events.fetch_add(1) == failing; }

std::size_t held() {
  std::size_t files = maps;
  for (long file = 0; file < 256; ++file) files += syscall(SYS_fcntl, file, F_GETFD) >= 0 ? 1u : 0u;
  return files;
}

namespace {

/// Before a system call: whether it is to fail, with errno set.
bool fails(int with) {
  if (!due(fault::system) && !(armed_kind == fault::outage && events.fetch_add(1) >= failing)) return false;
  errno = with;
  return true;
}
/// The same of one that a signal may break off.
bool breaks_off(int with) {
  if (armed_kind != fault::signal) return fails(with);
  ++events;
  broken_off = !broken_off;
  if (broken_off) errno = EINTR;
  return broken_off;
}
/// What the program's own function of this name hides.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}
/// Files that are memory, so that one which stays is seen.
std::array<std::atomic<void*>, 64> mapped{};
void note_map(void* at) {
  ++maps;
  for (auto& one : mapped) {
    if (void* none = nullptr; one.compare_exchange_strong(none, at)) return;
  }
}
void forget_map(void* at) {
  for (auto& one : mapped) {
    if (void* found = at; at != nullptr && one.compare_exchange_strong(found, nullptr)) return static_cast<void>(--maps);
  }
}
std::size_t piece(std::size_t count) {
  if (armed_kind != fault::in_pieces || count <= 1) return count;
  ++events;
  return 1;
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (due(fault::allocation)) throw std::bad_alloc{};
  void* const memory = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc{};
  ++live;
  const std::size_t now = bytes += ::malloc_usable_size(memory);
  for (std::size_t known = most; known < now && !most.compare_exchange_weak(known, now);) {
  }
  return memory;
}
[[gnu::noinline]] void release(void* memory) {
  if (memory != nullptr) {
    --live;
    bytes -= ::malloc_usable_size(memory);
  }
  std::free(memory);
}

}  // namespace

}  // namespace trust

void* operator new(std::size_t size) { return trust::allocate(size, alignof(std::max_align_t)); }
void* operator new[](std::size_t size) { return trust::allocate(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return trust::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return trust::allocate(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { trust::release(memory); }
void operator delete[](void* memory) noexcept { trust::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { trust::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { trust::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { trust::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { trust::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { trust::release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { trust::release(memory); }

/// Sanitizers have a `pthread_create` of their own, which has to know of each thread.
extern "C" [[gnu::weak]] int __interceptor_pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*run)(void*), void* with);

/// What the constructor of a thread calls.
extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* how, void* (*run)(void*), void* with) noexcept {
  if (trust::due(trust::fault::thread)) return EAGAIN;
  if (__interceptor_pthread_create != nullptr) return __interceptor_pthread_create(made, how, run, with);
  static const auto create = trust::real<int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>("pthread_create");
  return create(made, how, run, with);
}

extern "C" {
int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return trust::breaks_off(EACCES) ? -1 : static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
/// Lets go of the file in any case, as Linux does.
int close(int file) {
  const int done = static_cast<int>(syscall(SYS_close, file));
  return trust::breaks_off(EIO) ? -1 : done;
}
ssize_t read(int file, void* bytes, size_t count) {
  return trust::breaks_off(EIO) ? -1 : syscall(SYS_read, file, bytes, trust::piece(count));
}
ssize_t write(int file, const void* bytes, size_t count) {
  return trust::breaks_off(ENOSPC) ? -1 : syscall(SYS_write, file, bytes, trust::piece(count));
}
int fsync(int file) {
  if (trust::breaks_off(EIO)) return -1;
  ++trust::syncs;
  return static_cast<int>(syscall(SYS_fsync, file));
}
int fcntl(int file, int what, ...) {
  std::va_list more;
  va_start(more, what);
  void* const with = va_arg(more, void*);
  va_end(more);
  return trust::fails(EIO) ? -1 : static_cast<int>(syscall(SYS_fcntl, file, what, with));
}
int fchmod(int file, mode_t mode) noexcept {
  return trust::fails(EPERM) ? -1 : static_cast<int>(syscall(SYS_fchmod, file, mode));
}
int rename(const char* from, const char* to) noexcept {
  return trust::fails(ENOSPC) ? -1 : static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlink(const char* path) noexcept {
  return trust::fails(EIO) ? -1 : static_cast<int>(syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
int mkdir(const char* path, mode_t mode) noexcept {
  return trust::fails(ENOSPC) ? -1 : static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
int access(const char* path, int how) noexcept {
  return trust::fails(EACCES) ? -1 : static_cast<int>(syscall(SYS_faccessat, AT_FDCWD, path, how));
}
int stat(const char* path, struct stat* facts) noexcept {
  static const auto get = trust::real<int(const char*, struct stat*)>("stat");
  return trust::fails(EIO) ? -1 : get(path, facts);
}
int fstat(int file, struct stat* facts) noexcept {
  static const auto get = trust::real<int(int, struct stat*)>("fstat");
  return trust::fails(EIO) ? -1 : get(file, facts);
}
char* realpath(const char* path, char* room) noexcept {
  static const auto resolve = trust::real<char*(const char*, char*)>("realpath");
  return trust::fails(EIO) ? nullptr : resolve(path, room);
}
DIR* opendir(const char* path) {
  static const auto begin = trust::real<DIR*(const char*)>("opendir");
  return trust::breaks_off(EMFILE) ? nullptr : begin(path);
}
dirent* readdir(DIR* folder) {
  static const auto next = trust::real<dirent*(DIR*)>("readdir");
  return trust::fails(EIO) ? nullptr : next(folder);
}
int closedir(DIR* folder) {
  static const auto end = trust::real<int(DIR*)>("closedir");
  const int done = end(folder);
  return trust::fails(EIO) ? -1 : done;
}
int sigaction(int signal, const struct sigaction* how, struct sigaction* before) noexcept {
  static const auto set = trust::real<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  return trust::fails(EINVAL) ? -1 : set(signal, how, before);
}
void* mmap(void* at, size_t size, int protection, int flags, int file, off_t from) noexcept {
  if (file >= 0 && trust::fails(ENOMEM)) return MAP_FAILED;
  void* const got = reinterpret_cast<void*>(syscall(SYS_mmap, at, size, protection, flags, file, from));
  if (file >= 0 && got != MAP_FAILED) trust::note_map(got);
  return got;
}
int munmap(void* at, size_t size) noexcept {
  trust::forget_map(at);
  const int done = static_cast<int>(syscall(SYS_munmap, at, size));
  return trust::fails(EINVAL) ? -1 : done;
}
}

namespace injection_test {

using trust::fault;

std::vector<int>* kept = nullptr;

/// An operation that keeps two pieces of memory where its third allocation fails.
void leaks_in_the_middle() {
  kept = new std::vector<int>(3);
  const auto second = std::make_unique<int>(2);
  delete std::exchange(kept, nullptr);
}

TEST_CASE("the walk visits every allocation, start, call and system call, and counts them") {
  CHECK(trust::walk("three allocations", fault::allocation, [] {
          const std::vector<int> a(3), b(3), c(3);
        }).points == 3);
  CHECK(trust::walk("two threads", fault::thread, [] {
          std::jthread first{[] {}};
          std::jthread second{[] {}};
        }).points == 2);
  CHECK(trust::walk("four calls", fault::call, [] {
          for (int i = 0; i < 4; ++i) trust::user_call();
        }).thrown == 4);
  const trust::walked seen = trust::walk("open and read", fault::system, [] {
    const int file = ::open("/dev/zero", O_RDONLY);
    if (file < 0) throw std::system_error{errno, std::generic_category()};
    char byte = 1;
    const auto got = ::read(file, &byte, 1);
    ::close(file);
    if (got != 1) throw std::system_error{errno, std::generic_category()};
  });
  CHECK(seen.points == 3);
  CHECK(seen.thrown == 2);  // how the closing went is not asked
}

TEST_CASE("a file that stays open is seen, and one that stays mapped") {
  const std::size_t before = trust::held();
  const int file = ::open("/proc/self/exe", O_RDONLY);
  CHECK(trust::held() == before + 1);
  void* const at = ::mmap(nullptr, 1, PROT_READ, MAP_PRIVATE, file, 0);
  CHECK(trust::held() == before + 2);
  ::close(file);
  ::munmap(at, 1);
  CHECK(trust::held() == before);
}

TEST_CASE("what is leaked is seen") {
  const std::size_t before = trust::allocated();
  trust::arm(fault::allocation, 2);
  CHECK_THROWS_AS(leaks_in_the_middle(), std::bad_alloc);
  trust::disarm();
  CHECK(trust::allocated() == before + 2);
  delete std::exchange(kept, nullptr);
}

}  // namespace injection_test
