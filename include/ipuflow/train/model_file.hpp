// SPDX-License-Identifier: BSL-1.0
// A model as a file: the eight characters "ipuflow1", then as 64-bit little-endian words the bytes of a number, how
// many parameters, how much state, and a checksum (FNV-1a over all that follows); then the numbers as they are in
// memory. A file that is cut, changed or made for another model is refused, and the model stays as it was.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/plain_file.hpp>
#include <ipuflow/core/whole_file.hpp>
#include <ipuflow/core/wrapping.hpp>
#include <ipuflow/train/model.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace ipuflow::train {

enum class model_file_wrong : unsigned char {
  nothing,
  cannot_open,
  cannot_read,
  cannot_write,
  no_file,
  not_a_model,
  version,
  other_numbers,
  another_model,
  too_short,
  too_long,
  damaged,
  holder
};
using model_file_fault = fault<model_file_wrong, fixed_string<200>>;

constexpr const char* wording(model_file_wrong wrong) {
  switch (wrong) {
    case model_file_wrong::nothing:
      break;
    case model_file_wrong::cannot_open:
      return "ipuflow: cannot open the model file {where}, the system says error {got}; check its path";
    case model_file_wrong::cannot_read:
      return "ipuflow: cannot read the model file {where}, the system says error {got}; check its disk";
    case model_file_wrong::no_file:
      return "ipuflow: {where} is a directory, a device or a pipe; give the path of a model file";
    case model_file_wrong::cannot_write:
      return "ipuflow: cannot write the model file {where}, the system says error {got}; check its path and the room on its disk";
    case model_file_wrong::not_a_model:
      return "ipuflow: {where} is no model file; it does not begin with ipuflow1";
    case model_file_wrong::version:
      return "ipuflow: the model file {where} is of version {got} but this library reads version {limit}; read it with the library that wrote it";
    case model_file_wrong::another_model:
      return "ipuflow: the model file {where} has {got} parameter{s} and state but the model has {limit}; load it into a model of the same layers";
    case model_file_wrong::other_numbers:
      return "ipuflow: the model file {where} has numbers of {got} byte{s} but the model has numbers of {limit}; load it into a model of the same "
             "precision";
    case model_file_wrong::too_long:
      return "ipuflow: the model file {where} goes on after its {limit} byte{s}; copy it again";
    case model_file_wrong::too_short:
      return "ipuflow: the model file {where} ends after {got} of {limit} byte{s}; copy it again";
    case model_file_wrong::damaged:
      return "ipuflow: the model file {where} has changed since it was saved: its checksum is {got} and should be {limit}; copy it again";
    case model_file_wrong::holder:
      return "ipuflow: a file has a model, but what holds one is given; give the model itself, *session.parameters(), or what a pointer points to";
  }
  return "";
}

/// `where` is the file; `got` and `limit` are what it has and what the model needs.
constexpr message_text sentence(const model_file_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
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
  for (std::size_t i = 0; i < size; ++i) sum = wrapping_product(sum ^ bytes[i], 0x100000001b3u);
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

}  // namespace detail

/// The file is written whole or not at all: one that was there stays as it was if this fails [whole_file].
template <class Number>
void save(const model<Number>& m, const std::string& path) {
  detail::model_header header;
  header.number_bytes = sizeof(Number);
  header.values = m.values.size();
  header.state = m.state.size();
  header.checksum = detail::checksum(m);
  whole_file file{path};
  file.write(&header, sizeof header);
  file.write(m.values.data(), m.values.size() * sizeof(Number));
  file.write(m.state.data(), m.state.size() * sizeof(Number));
  if (!file.keep()) detail::refuse(model_file_wrong::cannot_write, path, static_cast<std::size_t>(file.wrong()));
}

/// Throws now what `save` would throw after training.
template <class = void>
void check_can_save(const std::string& path) {
  const int wrong = why_unwritable(path);
  if (wrong != 0) detail::refuse(model_file_wrong::cannot_write, path, static_cast<std::size_t>(wrong));
}

/// Reads into a model of the same sizes.
template <class Number>
void load(model<Number>& m, const std::string& path) {
  plain_file in{path.c_str()};
  if (in.wrong() != 0) detail::refuse(model_file_wrong::cannot_open, path, static_cast<std::size_t>(in.wrong()));
  if (!in.is_plain()) detail::refuse(model_file_wrong::no_file, path);
  detail::model_header header;
  header.magic[0] = 0;
  const std::size_t head = in.read(&header, sizeof header);
  if (in.wrong() != 0) detail::refuse(model_file_wrong::cannot_read, path, static_cast<std::size_t>(in.wrong()));
  if (head < sizeof header.magic || std::memcmp(header.magic, detail::model_header{}.magic, 7) != 0 || header.magic[7] < '1' || header.magic[7] > '9')
    detail::refuse(model_file_wrong::not_a_model, path);
  if (header.magic[7] != detail::model_header{}.magic[7])  // what follows may be anything
    detail::refuse(model_file_wrong::version, path, static_cast<std::size_t>(header.magic[7] - '0'), detail::model_header{}.magic[7] - '0');
  if (head < sizeof header) detail::refuse(model_file_wrong::too_short, path, head, sizeof header);
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
  std::size_t got = in.read(read.values.data(), read.values.size() * sizeof(Number));
  got += in.read(read.state.data(), read.state.size() * sizeof(Number));
  char more = 0;
  const bool longer = in.read(&more, 1) != 0;
  if (in.wrong() != 0) detail::refuse(model_file_wrong::cannot_read, path, static_cast<std::size_t>(in.wrong()));
  if (got != wanted) detail::refuse(model_file_wrong::too_short, path, got, wanted);
  if (longer) detail::refuse(model_file_wrong::too_long, path, wanted, wanted);
  if (detail::checksum(read) != header.checksum) {
    detail::refuse(model_file_wrong::damaged, path, detail::checksum(read), header.checksum);
  }
  m = std::move(read);
}

namespace impl {

/// A session, or a pointer to a model: what has one and is none.
template <class T>
concept model_holder = requires(const T& t) { t.parameters(); } || requires(const T& t) { t->values; };

template <class Holder>
constexpr void refuse_holder() {
  constexpr model_file_fault found{sizeof(Holder) > 0 ? model_file_wrong::holder : model_file_wrong::nothing};
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
}

}  // namespace impl

/// Refused: the model itself is to be given.
template <impl::model_holder Holder>
void save(const Holder&, const std::string&) { impl::refuse_holder<Holder>(); }
template <impl::model_holder Holder>
void load(const Holder&, const std::string&) { impl::refuse_holder<Holder>(); }

}  // namespace ipuflow::train

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<train::model_file_fault>;
}
namespace ipuflow::train {
extern template void save<float>(const model<float>&, const std::string&);
extern template void save<double>(const model<double>&, const std::string&);
extern template void load<float>(model<float>&, const std::string&);
extern template void load<double>(model<double>&, const std::string&);
}  // namespace ipuflow::train
#endif
