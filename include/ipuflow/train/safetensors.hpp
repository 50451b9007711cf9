// SPDX-License-Identifier: BSL-1.0
// Weights as a safetensors file (github.com/huggingface/safetensors): the length of a header as 8 bytes, the header as
// JSON with name, type, shape and place of each tensor, then the numbers. What PyTorch and others read by name.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_pair.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/feed/sources/mapped_file.hpp>
#include <ipuflow/train/weight_table.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// Reads the header: of JSON what the format uses. Every key is there once, and every byte behind the header is of one tensor.
class safetensors_header {
 public:
  safetensors_header(std::string_view text, light_span<const std::uint8_t> numbers, std::string_view path)
      : text_{text}, numbers_{numbers}, path_{path} {}

  light_vector<stored_tensor> read() {
    object([this](const std::string& name) {
      if (name == "__metadata__") {
        object([this](const std::string&) { (void)string(); });
      } else {
        read_tensor(name);
      }
    });
    (void)peek();
    if (at_ < text_.size()) fail();
    check_places();
    return std::move(tensors_);
  }

 private:
  char peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail();
  }

  /// `visit(key)` reads the value of each key.
  template <class Visit>
  void object(Visit visit) {
    light_vector<std::string> keys;
    expect('{');
    if (!accept('}')) {
      do {
        keys.push_back(string());
        expect(':');
        visit(keys.back());
      } while (accept(','));
      expect('}');
    }
    algorithms::sort(keys.begin(), keys.end());
    const auto twice = algorithms::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end()) refuse_weights(weights_wrong::twice, path_, *twice);
  }

  std::string string() {
    expect('"');
    std::string read;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < ' ') fail();
      if (text_[at_] != '\\') {
        read += text_[at_];
        continue;
      }
      constexpr std::string_view escaped = "\"\\/bfnrt";
      const std::size_t which = ++at_ < text_.size() ? escaped.find(text_[at_]) : escaped.npos;
      if (which != escaped.npos) {
        read += "\"\\/\b\f\n\r\t"[which];
      } else {
        read += unicode();
      }
    }
    expect('"');
    return read;
  }
  /// "u00e9": names of this library are bytes below 128, so others are refused.
  char unicode() {
    if (text_.substr(at_, 3) != "u00") fail();
    unsigned code = 0;
    for (const char c : text_.substr(at_ + 3, 2)) {
      const std::size_t digit = std::string_view{"0123456789abcdef0123456789ABCDEF"}.find(c);
      if (digit == std::string_view::npos) fail();
      code = code * 16 + static_cast<unsigned>(digit % 16);
    }
    if (code > 127) fail();
    at_ += 4;
    if (at_ >= text_.size()) fail();
    return static_cast<char>(code);
  }
  bool is_digit(std::size_t at) const { return at < text_.size() && text_[at] >= '0' && text_[at] <= '9'; }
  std::size_t number() {
    std::size_t read = 0;
    if (peek() < '0' || peek() > '9' || (peek() == '0' && is_digit(at_ + 1))) fail();
    for (; is_digit(at_); ++at_) {
      const auto digit = static_cast<std::size_t>(text_[at_] - '0');
      if (read > (std::numeric_limits<std::size_t>::max() - digit) / 10) fail();
      read = read * 10 + digit;
    }
    return read;
  }
  light_vector<std::size_t> numbers() {
    light_vector<std::size_t> read;
    expect('[');
    if (accept(']')) return read;
    do read.push_back(number());
    while (accept(','));
    expect(']');
    return read;
  }

  void read_tensor(const std::string& name) {
    stored_tensor t{.name = name, .type = 0};
    std::string type;
    light_vector<std::size_t> place;
    std::size_t known = 0;
    object([&](const std::string& key) {
      ++known;
      if (key == "dtype") {
        type = string();
      } else if (key == "shape") {
        t.extents = numbers();
      } else if (key == "data_offsets") {
        place = numbers();
      } else {
        fail();
      }
    });
    if (known != 3 || place.size() != 2) fail();
    t.type = type == "F16" ? 2 : type == "F32" ? 4 : type == "F64" ? 8 : 0;
    if (t.type == 0) refuse_weights(weights_wrong::element_type, path_, name, type);
    std::size_t bytes = t.type;
    for (const std::size_t extent : t.extents) {
      const bool fits = extent == 0 || bytes <= numbers_.size() / extent;
      bytes = fits ? bytes * extent : numbers_.size() + 1;
    }
    if (place[0] > place[1] || place[1] > numbers_.size() || place[1] - place[0] != bytes)
      refuse_weights(weights_wrong::offsets, path_, name, {}, {}, place[1], numbers_.size());
    t.data = numbers_.data() + place[0];
    tensors_.push_back(std::move(t));
    places_.push_back({place[0], place[1]});
  }

  void check_places() {
    places_.push_back({numbers_.size(), numbers_.size()});
    algorithms::sort(places_.begin(), places_.end());
    std::size_t end = 0;
    for (const auto& [begin, next] : places_) {
      if (begin != end) refuse_weights(weights_wrong::places, path_, {}, {}, {}, end, begin);
      end = next;
    }
  }

  [[noreturn]] void fail() const { refuse_weights(weights_wrong::header_text, path_, {}, text_.substr(algorithms::min(at_, text_.size())), {}, at_); }

  std::string_view text_;
  light_span<const std::uint8_t> numbers_;
  std::string_view path_;
  std::size_t at_ = 0;
  light_vector<stored_tensor> tensors_{};
  light_vector<light_pair<std::size_t, std::size_t>> places_{};
};

/// The tensors of a file, whose memory they refer to.
template <class = void>
light_vector<stored_tensor> read_safetensors(light_span<const std::uint8_t> bytes, std::string_view path) {
  std::uint64_t length = 0;
  for (std::size_t i = 8; i-- > 0 && bytes.size() >= 8;) length = length << 8 | bytes[i];
  if (bytes.size() < 8 || length > bytes.size() - 8) {
    const std::uint64_t end = length + 8 < length ? length : length + 8;
    refuse_weights(weights_wrong::header_cut, path, {}, {}, {}, bytes.size(), end);
  }
  const std::string_view text{reinterpret_cast<const char*>(bytes.data()) + 8, length};
  return safetensors_header{text, bytes.subspan(8 + length), path}.read();
}

/// A text as JSON has it.
template <class = void>
std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 32) {
      quoted += "\\u00";
      quoted += "0123456789abcdef"[code / 16];
      quoted += "0123456789abcdef"[code % 16];
      continue;
    }
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace impl

/// Writes the weights of a model and the running state of its layers by name [named_tensors]. The file is written whole or
/// not at all.
template <class P, class Number>
void save_safetensors(const P& pipeline, const model<Number>& m, const std::string& path) {
  static_assert(std::endian::native == std::endian::little, "the file is as memory is");
  const impl::weight_table table = impl::checked_table(pipeline, m);
  std::string header = "{\"__metadata__\":{\"format\":\"pt\"}";
  std::size_t at = 0;
  for (const named_tensor& t : table.tensors) {
    const std::size_t end = at + t.count * sizeof(Number);
    const auto add = [&header](std::string_view before, const std::string& text) {  // g++ 12 warns of "..." + a string
      header += before;
      header += text;
    };
    add(",", impl::json_string(t.name));
    add(":{\"dtype\":\"F", std::to_string(8 * sizeof(Number)));
    header += "\",\"shape\":[";
    for (std::size_t i = 0; i < t.extents.size(); ++i) add(i > 0 ? "," : "", std::to_string(t.extents[i]));
    add("],\"data_offsets\":[", std::to_string(at));
    add(",", std::to_string(end));
    header += "]}";
    at = end;
  }
  header += "}";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const std::uint64_t length = header.size();
  whole_file file{path};
  file.write(&length, sizeof length);
  file.write(header.data(), header.size());
  for (std::size_t i = 0; i < table.tensors.size(); ++i) {
    const auto numbers = table.numbers(m, i);
    file.write(numbers.data(), numbers.size_bytes());
  }
  impl::keep_or_refuse(file, path);
}

/// Reads weights into a model of that pipeline, by name; halves and doubles become its numbers. If the file has other names
/// or shapes it throws, and the model stays as it was.
template <class P, class Number>
void load_safetensors(const P& pipeline, model<Number>& m, const std::string& path) {
  const impl::weight_table table = impl::checked_table(pipeline, m);
  const feed::mapped_file file{path};
  impl::fill_from(m, table, impl::read_safetensors(file.bytes(), path), path);
}

}  // namespace ipuflow::train
