// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the readers of NumPy's files, arrays and archives of them: a file is refused with a sentence, or each array is
// what a plain transcription of the format makes of its bytes. The first byte of the input chooses the reader. Half of the mutations
// of an archive mend its sizes and checksums, so that what lies behind them is reached.
#include "memory_file.hpp"

#include <ipuflow/feed/sources/npz.hpp>
#include <ipuflow/graph/describe.hpp>
#include <ipuflow/nn/layers/linear.hpp>
#include <ipuflow/train/npz_weights.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using fuzz::expect;
using fuzz::memory_file;

constexpr auto network = single_stage(input<float, 3>, block<"a">(nn::linear<2>));
constexpr std::size_t most_elements = 1 << 20;  // that are compared one by one

/// An element by its place in the file, transcribed anew: in Fortran's order the first axis has neighbours.
template <class Element>
Element element_at(const feed::npy_header& h, std::span<const std::uint8_t> numbers, std::size_t index) {
  std::size_t at = index;
  if (h.fortran_order) {
    std::vector<std::size_t> place(h.extents.size());
    for (std::size_t axis = h.extents.size(); axis-- > 0; index /= h.extents[axis]) place[axis] = index % h.extents[axis];
    at = 0;
    for (std::size_t axis = h.extents.size(); axis-- > 0;) at = at * h.extents[axis] + place[axis];
  }
  std::uint8_t bytes[sizeof(Element)];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[h.big_endian ? sizeof bytes - 1 - i : i] = numbers[at * sizeof bytes + i];
  Element made;
  std::memcpy(&made, bytes, sizeof made);
  return made;
}

template <class Element>
void expect_elements(const feed::npy_array<Element>& a, std::span<const std::uint8_t> file) {
  expect(a.elements.size() == a.header.elements && a.header.element_bytes == sizeof(Element));
  expect(a.header.offset + a.elements.size() * sizeof(Element) == file.size());
  if (a.elements.size() > most_elements) return;
  for (std::size_t i = 0; i < a.elements.size(); ++i) {
    const auto wanted = element_at<Element>(a.header, file.subspan(a.header.offset), i);
    expect(std::memcmp(&wanted, &a.elements[i], sizeof wanted) == 0);
  }
}

/// Calls `read` for each type that the library reads, until one fits.
template <class Read>
void as_its_type(const feed::npy_header& h, Read read) {
  const char kind = h.kind == 'b' ? 'u' : h.kind;
  if (kind == 'f' && h.element_bytes == 2) return read(half{});
  if (kind == 'f' && h.element_bytes == 4) return read(float{});
  if (kind == 'f' && h.element_bytes == 8) return read(double{});
  if (kind == 'u' && h.element_bytes == 1) return read(std::uint8_t{});
  if (kind == 'u' && h.element_bytes == 2) return read(std::uint16_t{});
  if (kind == 'u' && h.element_bytes == 4) return read(std::uint32_t{});
  if (kind == 'u') return read(std::uint64_t{});
  if (h.element_bytes == 1) return read(std::int8_t{});
  if (h.element_bytes == 2) return read(std::int16_t{});
  if (h.element_bytes == 4) return read(std::int32_t{});
  return read(std::int64_t{});
}

void read_array(const std::string& path, std::span<const std::uint8_t> bytes) {
  const feed::npy_header h = feed::parse_npy(bytes, path);
  as_its_type(h, [&]<class Element>(Element) {
    const auto all = feed::read_npy<Element>(path);
    expect(all.header == h && !h.element_text().empty() && !h.shape_text().empty());
    expect_elements(all, bytes);
  });
}

template <class Dataset>
std::size_t add_up(const Dataset& d) {
  std::size_t sum = 0;
  if constexpr (requires { d[0].size(); }) {
    for (std::size_t i = 0; i < d.size() && d.header().elements > 0; ++i)
      for (const auto x : d[i]) sum += x != 0 ? 1 : 0;
  } else {
    for (std::size_t i = 0; i < d.size(); ++i) sum += d[i] != 0 ? 1 : 0;
  }
  return sum;
}

void read_archive(const std::string& path) {
  const feed::npz file{path};
  for (const std::string& name : file.names()) {
    try {
      as_its_type(file.header(name), [&]<class Element>(Element) { expect(file.read<Element>(name).header == file.header(name)); });
    } catch (const error& wrong) {
      expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
    }
  }
  (void)file.read<float>("no such array");
}

void read_weights(const std::string& path) {
  static const train::model<> before = train::initial_model(network, 1);
  train::model<> model = before;
  try {
    train::load_npz(network, model, path);
  } catch (const error&) {
    expect(model == before);
    throw;
  }
  const std::string copy = "/dev/shm/ipuflow_arrays_fuzz." + std::to_string(::getpid());
  train::save_npz(network, model, copy);
  train::model<> again = before;
  train::load_npz(network, again, copy);
  ::unlink(copy.c_str());
  expect(std::memcmp(again.values.data(), model.values.data(), again.values.size() * sizeof(float)) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::span<const std::uint8_t> bytes{data + 1, size - 1};
  const memory_file file{bytes};
  volatile std::size_t sum = 0;
  try {
    switch (data[0] % 6) {
      case 0:
        read_array(file.path(), bytes);
        break;
      case 1:
        sum = add_up(feed::npy<float, std::dynamic_extent>(file.path()));
        break;
      case 2:
        sum = add_up(feed::npy<std::uint8_t, 2, 2>(file.path()));
        break;
      case 3:
        sum = add_up(feed::npy<std::int32_t>(file.path()));
        break;
      case 4:
        read_archive(file.path());
        break;
      default:
        read_weights(file.path());
    }
  } catch (const error& wrong) {
    const std::string_view said = wrong.what();
    expect(said.starts_with("ipuflow: ") && said.find("/proc/self/fd/") != said.npos);
  }
  (void)sum;
  return 0;
}

namespace {

/// Numbers of a zip file that are mended where they are, as far as there is room for them.
class mended {
 public:
  explicit mended(std::span<std::uint8_t> bytes) : bytes_{bytes} {}

  void run() {
    std::size_t entries = 0, directory = bytes_.size(), at = 0;
    for (; at + 46 <= bytes_.size(); ++at) {
      if (number(at, 4) == 0x02014b50) directory = directory == bytes_.size() ? at : directory, mend(at), ++entries;
    }
    for (at = bytes_.size(); at-- > 0 && at + 22 <= bytes_.size() + 22;) {
      if (at + 22 > bytes_.size() || number(at, 4) != 0x06054b50) continue;
      put(at + 10, 2, entries), put(at + 16, 4, directory), put(at + 20, 2, bytes_.size() - at - 22);
      break;
    }
  }

 private:
  std::uint64_t number(std::size_t at, std::size_t count) const {
    std::uint64_t n = 0;
    for (std::size_t i = count; i-- > 0;) n = n << 8 | bytes_[at + i];
    return n;
  }
  void put(std::size_t at, std::size_t count, std::uint64_t n) {
    for (std::size_t i = 0; i < count; ++i) bytes_[at + i] = static_cast<std::uint8_t>(n >> 8 * i);
  }
  /// The checksum of an entry's bytes, and of one that is not packed its size.
  void mend(std::size_t at) {
    const std::size_t local = number(at + 42, 4), method = number(at + 10, 2);
    if (local + 30 > bytes_.size()) return;
    const std::size_t first = local + 30 + number(local + 26, 2) + number(local + 28, 2);
    const std::size_t packed = number(at + 20, 4), size = number(at + 24, 4);
    if (first > bytes_.size() || packed > bytes_.size() - first) return;
    if (method == 0) {
      put(at + 24, 4, packed), put(at + 16, 4, crc32(bytes_.data() + first, packed));
    } else if (size < 1 << 20) {
      std::vector<std::uint8_t> room(size);
      if (feed::impl::inflater{bytes_.subspan(first, packed), room}.run()) put(at + 16, 4, crc32(room.data(), size));
    }
  }

  std::span<std::uint8_t> bytes_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  const std::size_t made = LLVMFuzzerMutate(data, size, most);
  if (seed % 2 == 0 && made > 1 && data[0] % 6 >= 4) mended{{data + 1, made - 1}}.run();
  return made;
}
