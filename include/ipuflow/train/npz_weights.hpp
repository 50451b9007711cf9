// SPDX-License-Identifier: BSL-1.0
// Weights as a .npz file, an array for each tensor under its name: what numpy.load reads, and numpy.savez writes.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/crc32.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/sources/npz.hpp>
#include <ipuflow/train/weight_table.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// The header of an array of a model, its end on a multiple of 64.
template <class Number>
std::string npy_header_of(const named_tensor& t) {
  std::string text = "{'descr': '<f" + std::to_string(sizeof(Number)) + "', 'fortran_order': False, 'shape': (";
  for (const std::size_t extent : t.extents) text += std::to_string(extent) + ", ";
  if (t.extents.size() > 1) text.resize(text.size() - 2);
  text += "), }";
  text.resize((text.size() + 11 + 63) / 64 * 64 - 11, ' ');
  text += '\n';
  const char front[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, static_cast<char>(text.size() % 256), static_cast<char>(text.size() / 256)};
  return std::string(front, sizeof front) + text;
}

/// The records of a zip file, without sizes of 64 bits.
class zip_writer {
 public:
  explicit zip_writer(const std::string& path) : file_{path}, path_{path} {}

  void add(const std::string& name, const std::string& header, const void* numbers, std::size_t bytes) {
    const auto sum_of = [](const void* data, std::size_t size, std::uint32_t before) {
      return crc32(static_cast<const std::uint8_t*>(data), size, before);
    };
    // The elements begin at a multiple of 64 of the file, so that a reader takes them as they are: the extra field is padding.
    const std::size_t padding = (64 - (written_ + 30 + name.size() + 4 + header.size()) % 64) % 64;
    std::string facts;
    add_numbers(facts, {{20, 2}, {0x0800, 2}, {0, 2}, {0, 2}, {0x0021, 2}});  // of 1980, names in UTF-8
    add_numbers(facts, {{sum_of(numbers, bytes, sum_of(header.data(), header.size(), 0)), 4}, {header.size() + bytes, 4},
                        {header.size() + bytes, 4}, {name.size(), 2}});
    add_numbers(directory_, {{0x02014b50, 4}, {20, 2}});
    directory_ += facts;
    add_numbers(directory_, {{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 4}, {written_, 4}});
    directory_ += name;
    ++count_;
    std::string local;
    add_numbers(local, {{0x04034b50, 4}});
    local += facts;
    add_numbers(local, {{padding + 4, 2}});
    local += name;
    add_numbers(local, {{0x7777, 2}, {padding, 2}});
    local.append(padding, '\0');
    write(local.data(), local.size());
    write(header.data(), header.size());
    write(numbers, bytes);
  }

  void keep() {
    std::string end;
    add_numbers(end, {{0x06054b50, 4}, {0, 2}, {0, 2}, {count_, 2}, {count_, 2}, {directory_.size(), 4}, {written_, 4}, {0, 2}});
    const bool fits = written_ <= std::numeric_limits<std::uint32_t>::max() && count_ < 0xffff;
    if (!fits) refuse_weights(weights_wrong::too_large, path_, {}, {}, {}, written_);
    write(directory_.data(), directory_.size());
    write(end.data(), end.size());
    keep_or_refuse(file_, path_);
  }

 private:
  struct field {
    std::size_t number;
    std::size_t bytes;
  };
  static void add_numbers(std::string& to, std::initializer_list<field> fields) {
    for (const field& f : fields) {
      for (std::size_t i = 0; i < f.bytes; ++i) to += static_cast<char>(f.number >> 8 * i & 0xff);
    }
  }
  void write(const void* data, std::size_t bytes) {
    file_.write(data, bytes);
    written_ += bytes;
  }

  whole_file file_;
  std::string path_;
  std::string directory_{};
  std::size_t count_ = 0;
  std::size_t written_ = 0;
};

}  // namespace impl

/// Writes the weights of a model and the running state of its layers by name [named_tensors]. The file is written whole or
/// not at all; it holds less than 4 GiB.
template <class P, class Number>
void save_npz(const P& pipeline, const model<Number>& m, const std::string& path) {
  static_assert(std::endian::native == std::endian::little, "the file is as memory is");
  const impl::weight_table table = impl::checked_table(pipeline, m);
  impl::zip_writer file{path};
  for (std::size_t i = 0; i < table.tensors.size(); ++i) {
    const named_tensor& t = table.tensors[i];
    const auto numbers = table.numbers(m, i);
    file.add(t.name + ".npy", impl::npy_header_of<Number>(t), numbers.data(), numbers.size_bytes());
  }
  file.keep();
}

/// Reads weights into a model of that pipeline, by name; halves and doubles become its numbers. If the file has other names
/// or shapes it throws, and the model stays as it was.
template <class P, class Number>
void load_npz(const P& pipeline, model<Number>& m, const std::string& path) {
  const impl::weight_table table = impl::checked_table(pipeline, m);
  const feed::npz file{path};
  light_vector<impl::stored_tensor> stored;
  light_vector<shared<const void>> kept;
  const auto add = [&](const std::string& name, const auto& array) {
    stored.push_back({name, {array.header.extents.begin(), array.header.extents.end()}, array.header.element_bytes,
                      reinterpret_cast<const std::uint8_t*>(array.elements.data())});
    kept.push_back(array.keeps);
  };
  const light_vector<std::string> names = file.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    impl::need_known(table, name, path);  // before it is unpacked: an archive may have any number of names for the same bytes
    if (algorithms::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), name) != names.begin() + static_cast<std::ptrdiff_t>(i))
      impl::refuse_weights(weights_wrong::twice, path, name);
    const feed::npy_header header = file.header(name);
    if (header.kind != 'f') impl::refuse_weights(weights_wrong::element_type, path, name, header.element_text());
    if (header.element_bytes == sizeof(half)) add(name, file.read<half>(name));
    if (header.element_bytes == sizeof(float)) add(name, file.read<float>(name));
    if (header.element_bytes == sizeof(double)) add(name, file.read<double>(name));
  }
  impl::fill_from(m, table, stored, path);
}

}  // namespace ipuflow::train
