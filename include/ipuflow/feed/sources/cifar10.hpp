// SPDX-License-Identifier: BSL-1.0
// The binary form of CIFAR-10 (cs.toronto.edu/~kriz/cifar.html): records of one byte, the label, and 3 x 32 x 32 bytes,
// the image, one colour after the other. Several files make one dataset.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

namespace ipuflow::feed {

/// The sizes of a record in bytes, and its largest label.
struct cifar10_record {
  static constexpr std::size_t pixels = 3 * 32 * 32;
  static constexpr std::size_t size = 1 + pixels;
  static constexpr std::uint8_t last_label = 9;
};

/// A template, so that only files that read some compile it.
template <class = void>
class basic_cifar10_dataset : public dataset_view {
 public:
  using image_type = std::span<const std::uint8_t, cifar10_record::pixels>;

  /// Throws unless every file is a whole number of records.
  explicit basic_cifar10_dataset(light_span<const std::string> paths) : files_{share<dynamic_array<file>>()} {
    for (const std::string& path : paths) {
      auto mapped = impl::map_file(path);
      const std::size_t bytes = mapped->bytes().size();
      if (bytes % cifar10_record::size != 0) {
        throw_if(file_fault{file_wrong::not_whole_records, bytes, cifar10_record::size, file_name{path}});
      }
      size_ += bytes / cifar10_record::size;
      files_->push_back({std::move(mapped), size_});
    }
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// Throws if the label is no class.
  std::tuple<image_type, std::uint8_t> operator[](std::size_t index) const {
    const file* in = files_->data();  // datasets have a few files
    while (in->end <= index) ++in;
    const std::size_t first = in->end - in->mapped->bytes().size() / cifar10_record::size;
    const std::uint8_t* const record = in->mapped->bytes().data() + (index - first) * cifar10_record::size;
    if (*record > cifar10_record::last_label) {
      throw_if(file_fault{file_wrong::label_too_large, *record, cifar10_record::last_label,
                          file_name{in->mapped->path()}});
    }
    return {image_type{record + 1, cifar10_record::pixels}, *record};
  }

 private:
  struct file {
    shared<const mapped_file> mapped;
    std::size_t end;  // samples in this file and those before it
  };

  shared<dynamic_array<file>> files_;
  std::size_t size_ = 0;
};

using cifar10_dataset = basic_cifar10_dataset<>;

/// The images and labels of files such as `data_batch_1.bin`.
template <class... Path>
cifar10_dataset cifar10(const Path&... paths) {
  const std::string all_paths[] = {std::string{paths}...};
  return cifar10_dataset{all_paths};
}

}  // namespace ipuflow::feed
