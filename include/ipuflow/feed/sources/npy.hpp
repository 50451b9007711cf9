// SPDX-License-Identifier: BSL-1.0
// Arrays in NumPy's format as datasets: `npy<float, 28, 28>(path)`, the first axis counting the samples. Little-endian
// elements in C order are the bytes of the file, mapped; others are put into that form when the file is opened.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>
#include <ipuflow/feed/sources/npy_header.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

/// An array in memory, or in a file that is memory; copies share it.
template <tensor_element Element>
struct npy_array {
  npy_header header{};
  std::span<const Element> elements{};  ///< in C order: the last axis is the one whose elements are neighbours
  shared<const void> keeps{};
};

namespace impl {

/// True if the elements of an array are of a type; bytes stand for booleans.
template <class Element>
constexpr bool holds(const npy_header& header) {
  constexpr bool real = std::is_floating_point_v<Element> || std::is_same_v<Element, half>;
  constexpr char kind = real ? 'f' : std::is_signed_v<Element> ? 'i' : 'u';
  return header.element_bytes == sizeof(Element) && (header.kind == kind || (header.kind == 'b' && kind == 'u'));
}

/// Elements in C order and in this machine's order of bytes.
template <class Element>
std::vector<Element> in_c_order(const npy_header& header, const std::uint8_t* from) {
  std::vector<Element> elements(header.elements);
  if (elements.empty()) return elements;
  const std::size_t axes = header.extents.size();
  std::vector<std::size_t> index(axes);
  std::vector<std::size_t> stride(axes, 1);  // in the file
  for (std::size_t axis = 1; axis < axes; ++axis) stride[axis] = stride[axis - 1] * header.extents[axis - 1];
  std::size_t at = 0;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::uint8_t bytes[sizeof(Element)];
    std::memcpy(bytes, from + (header.fortran_order ? at : i) * sizeof(Element), sizeof(Element));
    if (header.big_endian) algorithms::reverse(std::begin(bytes), std::end(bytes));
    std::memcpy(&elements[i], bytes, sizeof(Element));
    for (std::size_t axis = axes; header.fortran_order && axis-- > 0;) {
      at += stride[axis];
      if (++index[axis] < header.extents[axis]) break;
      at -= stride[axis] * header.extents[axis];
      index[axis] = 0;
    }
  }
  return elements;
}

/// The array that takes all of `bytes`, which `keeps` keeps.
template <class Element>
npy_array<Element> array_in(light_span<const std::uint8_t> bytes, shared<const void> keeps, std::string_view path) {
  static_assert(std::endian::native == std::endian::little, "files are as memory is");
  npy_array<Element> read{parse_npy(bytes, path), {}, std::move(keeps)};
  const npy_header& header = read.header;
  if (!holds<Element>(header)) refuse_array(array_wrong::other_type, path, 0, 0, header.element_text(), number_name<Element>());
  const std::uint8_t* const first = bytes.data() + header.offset;
  const bool turned = header.fortran_order && header.extents.size() > 1;
  const bool aligned = reinterpret_cast<std::uintptr_t>(first) % alignof(Element) == 0;
  if (header.big_endian || turned || !aligned) {
    auto made = share<const std::vector<Element>>(in_c_order<Element>(header, first));
    read.elements = *made;
    read.keeps = std::move(made);
  } else {
    read.elements = {reinterpret_cast<const Element*>(first), header.elements};
  }
  return read;
}

}  // namespace impl

/// The samples of an array. `Width`: elements of a sample, or std::dynamic_extent; 0: samples are single numbers.
template <tensor_element Element, std::size_t Width>
class npy_dataset : public dataset_view {
  using sample_type = std::conditional_t<Width == 0, Element, std::span<const Element, Width>>;

 public:
  /// Throws unless samples are that large.
  npy_dataset(npy_array<Element> from, std::string_view path) : from_{std::move(from)} {
    const npy_header& header = from_.header;
    if (header.extents.empty()) impl::refuse_array(array_wrong::no_samples, path);
    bool overflows = false;
    for (std::size_t axis = 1; axis < header.extents.size(); ++axis) {
      const std::size_t extent = header.extents[axis];
      overflows = overflows || (extent != 0 && width_ > static_cast<std::size_t>(-1) / extent);
      width_ *= extent;
    }
    if (overflows) impl::refuse_array(array_wrong::sizes_overflow, path, 0, static_cast<std::size_t>(-1));
    constexpr std::size_t wanted = Width == 0 ? 1 : Width;
    if (Width != std::dynamic_extent && width_ != wanted) {
      impl::refuse_array(array_wrong::width_differs, path, width_, wanted, header.shape_text());
    }
  }

  [[nodiscard]] std::size_t size() const { return from_.header.extents[0]; }
  const npy_header& header() const { return from_.header; }
  sample_type operator[](std::size_t index) const {
    const Element* const first = from_.elements.data() + index * width_;
    if constexpr (Width == 0) {
      return *first;
    } else {
      return sample_type{first, width_};
    }
  }
  std::tuple<column_view<sample_type>> columns() const { return {{from_.elements.data(), size(), width_}}; }

 private:
  npy_array<Element> from_;
  std::size_t width_ = 1;
};

namespace impl {

/// The width of samples of these extents.
template <std::size_t... Extent>
inline constexpr std::size_t npy_width = shape<Extent...>::elements;
template <>
inline constexpr std::size_t npy_width<> = 0;
template <>
inline constexpr std::size_t npy_width<std::dynamic_extent> = std::dynamic_extent;

}  // namespace impl

/// All of a file, whatever its extents.
template <tensor_element Element>
[[nodiscard]] npy_array<Element> read_npy(const std::string& path) {
  auto file = impl::map_file(path);
  const auto bytes = file->bytes();
  return impl::array_in<Element>(bytes, std::move(file), path);
}

/// The samples of a file, of these extents: none for single numbers, std::dynamic_extent for any. Throws if it has others.
template <tensor_element Element, std::size_t... Extent>
[[nodiscard]] npy_dataset<Element, impl::npy_width<Extent...>> npy(const std::string& path) {
  return {read_npy<Element>(path), path};
}

}  // namespace ipuflow::feed
