// SPDX-License-Identifier: BSL-1.0
// A model as a file: the eight characters "ipuflow1", then as 64-bit little-endian words the bytes of a number, how
// many parameters, how much state, and a checksum (FNV-1a over all that follows); then the numbers as they are in
// memory. A file that is cut, changed or made for another model is refused, and the model stays as it was.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/train/model.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace ipuflow::train {

enum class model_file_wrong : unsigned char {
  nothing,
  cannot_open,
  cannot_write,
  not_a_model,
  other_numbers,
  another_model,
  too_short,
  too_long,
  damaged
};
using model_file_fault = fault<model_file_wrong, fixed_string<200>>;

/// `where` is the file; `got` and `limit` are what it has and what the model needs.
constexpr message_text sentence(const model_file_fault& f) {
  switch (f.kind) {
    case model_file_wrong::nothing:
      break;
    case model_file_wrong::cannot_open:
      return words("ipuflow: cannot open the model file ", f.where, "; check its path");
    case model_file_wrong::cannot_write:
      return words("ipuflow: cannot write the model file ", f.where, "; check its path and the room on its disk");
    case model_file_wrong::not_a_model:
      return words("ipuflow: ", f.where, " is no model file; it does not begin with ipuflow1");
    case model_file_wrong::another_model:
      return words("ipuflow: the model file ", f.where, " has ", f.got, " parameters and state but the model has ",
                   f.limit, "; load it into a model of the same layers");
    case model_file_wrong::other_numbers:
      return words("ipuflow: the model file ", f.where, " has numbers of ", f.got,
                   " bytes but the model has numbers of ", f.limit, "; load it into a model of the same precision");
    case model_file_wrong::too_long:
      return words("ipuflow: the model file ", f.where, " goes on after its ", f.limit, " bytes; copy it again");
    case model_file_wrong::too_short:
      return words("ipuflow: the model file ", f.where, " ends after ", f.got, " of ", f.limit,
                   " bytes; copy it again");
    case model_file_wrong::damaged:
      return words("ipuflow: the model file ", f.where, " has changed since it was saved: its checksum is ", f.got,
                   " and should be ", f.limit, "; copy it again");
  }
  return {};
}

namespace detail {

struct model_header {
  char magic[8] = {'i', 'p', 'u', 'f', 'l', 'o', 'w', '1'};
  std::uint64_t number_bytes = 0;
  std::uint64_t values = 0;
  std::uint64_t state = 0;
  std::uint64_t checksum = 0;
};
static_assert(std::endian::native == std::endian::little, "the file is as memory is");

template <class = void>
inline std::uint64_t checksum(const void* data, std::size_t size, std::uint64_t sum = 0xcbf29ce484222325u) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) sum = (sum ^ bytes[i]) * 0x100000001b3u;
  return sum;
}

template <class Number>
std::uint64_t checksum(const model<Number>& m) {
  return checksum(m.state.data(), m.state.size() * sizeof(Number),
                  checksum(m.values.data(), m.values.size() * sizeof(Number)));
}

[[noreturn]] inline void refuse(model_file_wrong kind, const std::string& path, std::size_t got = 0,
                                std::size_t limit = 0) {
  throw_if(model_file_fault{kind, got, limit, fixed_string<200>{std::string_view{path}}});
  std::abort();
}

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using file = std::unique_ptr<std::FILE, close_file>;

}  // namespace detail

/// Writes beside the file first, so that a file that was there stays whole if this fails.
template <class Number>
void save(const model<Number>& m, const std::string& path) {
  const std::string beside = path + ".new";
  detail::model_header header;
  header.number_bytes = sizeof(Number);
  header.values = m.values.size();
  header.state = m.state.size();
  header.checksum = detail::checksum(m);
  bool written = false;
  if (detail::file out{std::fopen(beside.c_str(), "wb")}) {
    written = std::fwrite(&header, sizeof header, 1, out.get()) == 1 &&
              std::fwrite(m.values.data(), sizeof(Number), m.values.size(), out.get()) == m.values.size() &&
              std::fwrite(m.state.data(), sizeof(Number), m.state.size(), out.get()) == m.state.size() &&
              std::fflush(out.get()) == 0;
  }
  if (written && std::rename(beside.c_str(), path.c_str()) == 0) return;
  std::remove(beside.c_str());
  detail::refuse(model_file_wrong::cannot_write, path);
}

/// Reads into a model of the same sizes.
template <class Number>
void load(model<Number>& m, const std::string& path) {
  detail::file in{std::fopen(path.c_str(), "rb")};
  if (!in) detail::refuse(model_file_wrong::cannot_open, path);
  detail::model_header header;
  header.magic[0] = 0;
  if (std::fread(&header, sizeof header, 1, in.get()) != 1 ||
      std::memcmp(header.magic, detail::model_header{}.magic, 8) != 0) {
    detail::refuse(model_file_wrong::not_a_model, path);
  }
  const std::size_t wanted = (m.values.size() + m.state.size()) * sizeof(Number);
  if (header.number_bytes != sizeof(Number)) {
    detail::refuse(model_file_wrong::other_numbers, path, header.number_bytes, sizeof(Number));
  }
  if (header.values != m.values.size() || header.state != m.state.size()) {
    const bool sum_fits = header.values <= ~header.state;  // sizes in a file may be anything
    detail::refuse(model_file_wrong::another_model, path, sum_fits ? header.values + header.state : header.values,
                   m.values.size() + m.state.size());
  }
  model<Number> read{std::vector<Number>(m.values.size()), std::vector<Number>(m.state.size())};
  const std::size_t got = std::fread(read.values.data(), 1, read.values.size() * sizeof(Number), in.get()) +
                          std::fread(read.state.data(), 1, read.state.size() * sizeof(Number), in.get());
  if (got != wanted) detail::refuse(model_file_wrong::too_short, path, got, wanted);
  if (std::fgetc(in.get()) != EOF) detail::refuse(model_file_wrong::too_long, path, wanted, wanted);
  if (detail::checksum(read) != header.checksum) {
    detail::refuse(model_file_wrong::damaged, path, detail::checksum(read), header.checksum);
  }
  m = std::move(read);
}

}  // namespace ipuflow::train
