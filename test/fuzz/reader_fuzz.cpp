// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the readers of files: whatever the bytes are, a reader either throws an error with a sentence, or
// every sample that it promises can be read. The first byte of the input chooses the reader, the second is where the
// labels begin.
#include <ipuflow/feed/sources/cifar10.hpp>
#include <ipuflow/feed/sources/idx.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

using namespace ipuflow;

namespace {

/// A file in memory, under a path.
class memory_file {
 public:
  explicit memory_file(std::span<const std::uint8_t> bytes) : number_{::memfd_create("fuzzed", 0)} {
    if (number_ < 0 || ::write(number_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  ~memory_file() { ::close(number_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(number_); }

 private:
  int number_;
};

template <class Dataset>
std::size_t read_all(const Dataset& d) {
  std::size_t sum = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const auto [image, label] = d[i];
    for (const std::uint8_t pixel : image) sum += pixel;
    sum += label;
  }
  return sum;
}

std::size_t read(unsigned reader, std::span<const std::uint8_t> first, std::span<const std::uint8_t> second) {
  const memory_file images{first}, labels{second};
  switch (reader % 4) {
    case 0:
      return read_all(feed::idx(images.path(), labels.path()));
    case 1:
      return read_all(feed::idx<2, 2>(images.path(), labels.path()));
    case 2:
      return read_all(feed::cifar10(images.path()));
    default:
      return read_all(feed::cifar10(images.path(), labels.path()));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::span<const std::uint8_t> bytes{data + 2, size - 2};
  const std::size_t cut = data[1] == 255 ? bytes.size() / 2 : std::min<std::size_t>(data[1], bytes.size());
  volatile std::size_t sum = 0;
  try {
    sum = read(data[0], bytes.first(cut), bytes.subspan(cut));
  } catch (const error& wrong) {
    const std::string_view said = wrong.what();
    if (!said.starts_with("ipuflow: ") || said.find("/proc/self/fd/") == said.npos || said.ends_with("..."))
      std::abort();
  }
  (void)sum;
  return 0;
}
