// SPDX-License-Identifier: BSL-1.0
// The IDX format of MNIST (yann.lecun.com/exdb/mnist): a magic number whose third byte is the element type and whose
// fourth is the number of dimensions, the dimensions as big-endian 32-bit numbers, the elements. Only 8-bit elements,
// which need no conversion: the samples are the bytes of the file.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/column.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace ipuflow::feed {

/// The header of an IDX file.
struct idx_header {
  static constexpr std::size_t most_dimensions = 8;

  bounded_vector<std::size_t, most_dimensions> extents{};  // the first one counts the samples
  std::size_t samples = 0;
  std::size_t width = 0;   // elements in a sample
  std::size_t offset = 0;  // where the elements begin

  friend constexpr bool operator==(const idx_header&, const idx_header&) = default;
};

namespace detail {

constexpr std::size_t idx_number(light_span<const std::uint8_t> bytes, std::size_t at) {
  std::size_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | bytes[at + i];
  return number;
}

}  // namespace detail

/// Reads the header of a file with that many dimensions or, if that is 0, with two or more; throws unless the file is
/// whole.
constexpr idx_header parse_idx(light_span<const std::uint8_t> bytes, std::string_view path, std::size_t dimensions = 0) {
  constexpr std::size_t of_bytes = 0x800;  // the element type in a magic number
  const auto reject = [&](file_wrong kind, std::size_t got, std::size_t limit) {
    throw_if(file_fault{kind, got, limit, file_name{path}});
  };
  if (bytes.size() < 4) reject(file_wrong::header_cut, bytes.size(), 4);
  const std::size_t magic = detail::idx_number(bytes, 0);
  const std::size_t found = magic & 0xff;
  const bool fits = dimensions == 0 ? found >= 2 && found <= idx_header::most_dimensions : found == dimensions;
  if ((magic & ~std::size_t{0xff}) != of_bytes || !fits) {
    reject(file_wrong::magic, magic, of_bytes + (dimensions == 0 ? 3 : dimensions));
  }
  idx_header header;
  header.offset = 4 + 4 * found;
  if (bytes.size() < header.offset) reject(file_wrong::header_cut, bytes.size(), header.offset);
  header.width = 1;
  for (std::size_t axis = 0; axis < found; ++axis) {
    const std::size_t extent = detail::idx_number(bytes, 4 + 4 * axis);
    header.extents.push_back(extent);
    if (axis == 0) continue;
    if (extent == 0) reject(file_wrong::no_elements, extent, 1);
    if (header.width > std::numeric_limits<std::size_t>::max() / extent) {
      reject(file_wrong::sizes_overflow, header.width, extent);
    }
    header.width *= extent;
  }
  header.samples = header.extents[0];
  if (header.samples > (std::numeric_limits<std::size_t>::max() - header.offset) / header.width) {
    reject(file_wrong::sizes_overflow, header.width, header.samples);
  }
  const std::size_t whole_size = header.offset + header.samples * header.width;
  if (bytes.size() != whole_size) reject(file_wrong::size_differs, bytes.size(), whole_size);
  return header;
}

/// Images with labels, straight from two files. `Width` is the number of pixels, or std::dynamic_extent.
template <std::size_t Width>
class idx_dataset : public dataset_view {
 public:
  using image_type = std::span<const std::uint8_t, Width>;

  /// Throws unless both files are whole and belong together.
  idx_dataset(shared<const mapped_file> images, shared<const mapped_file> labels)
      : images_{std::move(images)},
        labels_{std::move(labels)},
        header_{parse_idx(images_->bytes(), images_->path())},
        first_label_{parse_idx(labels_->bytes(), labels_->path(), 1).offset} {
    const std::size_t label_count = labels_->bytes().size() - first_label_;
    if (label_count != header_.samples) {
      throw_if(file_fault{file_wrong::count_differs, label_count, header_.samples, file_name{labels_->path()}});
    }
    if (Width != std::dynamic_extent && Width != header_.width) {
      throw_if(file_fault{file_wrong::width_differs, header_.width, Width, file_name{images_->path()}});
    }
  }

  [[nodiscard]] std::size_t size() const { return header_.samples; }
  const idx_header& header() const { return header_; }

  std::tuple<image_type, std::uint8_t> operator[](std::size_t index) const {
    return {image_type{pixels() + index * header_.width, header_.width}, *(label_data() + index)};
  }
  std::tuple<column_view<image_type>, column_view<std::uint8_t>> columns() const {
    return {{pixels(), size(), header_.width}, {label_data(), size()}};
  }

 private:
  const std::uint8_t* pixels() const { return images_->bytes().data() + header_.offset; }
  const std::uint8_t* label_data() const { return labels_->bytes().data() + first_label_; }

  shared<const mapped_file> images_;
  shared<const mapped_file> labels_;
  idx_header header_;
  std::size_t first_label_;
};

/// The images and labels of two IDX files, of any extents.
template <class = void>
idx_dataset<std::dynamic_extent> idx(std::string images, std::string labels) {
  return {impl::map_file(std::move(images)), impl::map_file(std::move(labels))};
}

/// The same with extents that are part of the type, as in `idx<28, 28>(...)`; throws if the file has others.
template <std::size_t First, std::size_t... More>
idx_dataset<shape<First, More...>::elements> idx(std::string images, std::string labels) {
  return {impl::map_file(std::move(images)), impl::map_file(std::move(labels))};
}

}  // namespace ipuflow::feed
