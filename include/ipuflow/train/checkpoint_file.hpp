// SPDX-License-Identifier: BSL-1.0
// A checkpoint as a file: the eight characters "ipuflowc", then as 64-bit little-endian words its version, the bytes that follow
// the checksum, and that checksum; then words that say how long each part is, and the parts as they are in memory. A file that is
// cut or changed is refused before anything is taken from it.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/plain_file.hpp>
#include <ipuflow/core/whole_file.hpp>
#include <ipuflow/core/wrapping.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/train/training_state.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace ipuflow::train {

/// A training that goes on from here: the session's numbers and the place in the data.
template <class Number = float>
struct checkpoint {
  training_state<Number> state{};
  feed::loader_place place{};

  friend bool operator==(const checkpoint&, const checkpoint&) = default;
};

enum class checkpoint_wrong : unsigned char { nothing, cannot_open, cannot_read, cannot_write, no_file, not_a_checkpoint, version, other_numbers, length, damaged, of_no_session };
using checkpoint_fault = fault<checkpoint_wrong, fixed_string<200>>;

constexpr const char* wording(checkpoint_wrong wrong) {
  switch (wrong) {
    case checkpoint_wrong::nothing:
      break;
    case checkpoint_wrong::cannot_open:
      return "ipuflow: cannot open the checkpoint {where}, the system says error {got}; check its path";
    case checkpoint_wrong::cannot_read:
      return "ipuflow: cannot read the checkpoint {where}, the system says error {got}; check its disk";
    case checkpoint_wrong::cannot_write:
      return "ipuflow: cannot write the checkpoint {where}, the system says error {got}; check its path and the room on its disk";
    case checkpoint_wrong::no_file:
      return "ipuflow: {where} is a directory, a device or a pipe; give the path of a checkpoint";
    case checkpoint_wrong::not_a_checkpoint:
      return "ipuflow: {where} is no checkpoint; it does not begin with ipuflowc";
    case checkpoint_wrong::version:
      return "ipuflow: the checkpoint {where} is of version {got} but this library reads version {limit}; read it with the library that wrote it";
    case checkpoint_wrong::other_numbers:
      return "ipuflow: the checkpoint {where} has numbers of {got} byte{s} but the session has numbers of {limit}; train on in the same precision";
    case checkpoint_wrong::length:
      return "ipuflow: the checkpoint {where} has {got} byte{s} and should have {limit}; take the one before it";
    case checkpoint_wrong::damaged:
      return "ipuflow: the checkpoint {where} has changed since it was written: its checksum is {got} and should be {limit}; take the one before it";
    case checkpoint_wrong::of_no_session:
      return "ipuflow: the checkpoint {where} has an optimiser's name, a size of numbers or a scale of the loss that no session writes; take the one before it";
  }
  return "";
}

/// `where` is the file.
constexpr message_text sentence(const checkpoint_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

namespace impl {

inline constexpr std::array<char, 8> checkpoint_magic{'i', 'p', 'u', 'f', 'l', 'o', 'w', 'c'};
inline constexpr std::uint64_t checkpoint_version = 1;
static_assert(std::endian::native == std::endian::little, "the file is as memory is");

/// A checksum over parts, one after the other: four sums of words side by side, so that it is as fast as memory. Each step maps
/// words one to one, so a single word that differs is always seen.
template <class = void>
std::uint64_t checked_sum(const void* data, std::size_t size, std::uint64_t before) {
  constexpr std::uint64_t prime = 0x9e3779b97f4a7c15u;
  std::uint64_t sums[4] = {before, wrapping_sum(before, 1), wrapping_sum(before, 2), wrapping_sum(before, 3)};
  const auto* from = static_cast<const unsigned char*>(data);
  std::uint64_t block[4];
  std::size_t done = 0;
  const auto add = [&] {
    for (std::size_t i = 0; i < 4; ++i) sums[i] = wrapping_product(std::rotl(sums[i] ^ block[i], 29), prime);
  };
  for (; size - done >= sizeof block; done += sizeof block) {
    std::memcpy(block, from + done, sizeof block);
    add();
  }
  std::memset(block, 0, sizeof block);
  if (size > done) std::memcpy(block, from + done, size - done);
  add();
  std::uint64_t all = size;
  for (const std::uint64_t sum : sums) all = wrapping_product(std::rotl(all ^ sum, 31), prime);
  return all;
}

[[noreturn]] inline void refuse(checkpoint_wrong kind, const std::string& path, std::size_t got = 0, std::size_t limit = 0) {
  throw_if(checkpoint_fault{kind, got, limit, fixed_string<200>{std::string_view{path}}});
  std::abort();
}

struct checkpoint_head {
  std::array<char, 8> magic = checkpoint_magic;
  std::uint64_t version = checkpoint_version;
  std::uint64_t bytes = 0;  // behind the head
  std::uint64_t checksum = 0;
};

/// Numbers of a checkpoint in the order in which they stand in the file.
struct checkpoint_words {
  std::uint64_t number_bytes, values, state, optimiser_bytes, name;
  std::uint64_t seed, steps, updates, micro_batches;
  std::uint64_t loss_factor, good_updates, skipped_updates;
  std::uint64_t pass, samples;
};

/// Calls `part(data, bytes)` for all parts behind the words.
template <class Checkpoint, class Name, class Part>
void each_checkpoint_part(Checkpoint& c, Name& name, Part part) {
  const auto all = [&](auto& v) { part(v.data(), v.size() * sizeof(v[0])); };
  all(name);
  all(c.state.learned.values);
  all(c.state.learned.state);
  all(c.state.optimiser_numbers);
}

}  // namespace impl

/// The file is written whole or not at all: one that was there stays as it was if this fails [whole_file].
template <class Number>
void save(const checkpoint<Number>& c, const std::string& path) {
  const training_state<Number>& s = c.state;
  const std::string_view name = s.optimiser;
  const impl::checkpoint_words words{.number_bytes = sizeof(Number),
                                     .values = s.learned.values.size(),
                                     .state = s.learned.state.size(),
                                     .optimiser_bytes = s.optimiser_numbers.size(),
                                     .name = name.size(),
                                     .seed = s.seed,
                                     .steps = s.steps,
                                     .updates = s.updates,
                                     .micro_batches = s.micro_batches,
                                     .loss_factor = std::bit_cast<std::uint32_t>(s.loss_factor),
                                     .good_updates = s.good_updates,
                                     .skipped_updates = s.skipped_updates,
                                     .pass = c.place.pass,
                                     .samples = c.place.samples};
  impl::checkpoint_head head;
  head.bytes = sizeof words;
  head.checksum = impl::checked_sum(&words, sizeof words, impl::checkpoint_version);
  impl::each_checkpoint_part(c, name, [&](const void* data, std::size_t bytes) {
    head.bytes += bytes;
    head.checksum = impl::checked_sum(data, bytes, head.checksum);
  });
  whole_file file{path};
  file.write(&head, sizeof head);
  file.write(&words, sizeof words);
  impl::each_checkpoint_part(c, name, [&](const void* data, std::size_t bytes) { file.write(data, bytes); });
  if (!file.keep()) impl::refuse(checkpoint_wrong::cannot_write, path, static_cast<std::size_t>(file.wrong()));
}

/// Reads a checkpoint of a session whose model has these numbers.
template <class Number = float>
[[nodiscard]] checkpoint<Number> load_checkpoint(const std::string& path) {
  using enum checkpoint_wrong;
  plain_file in{path.c_str()};
  if (in.wrong() != 0) impl::refuse(cannot_open, path, static_cast<std::size_t>(in.wrong()));
  if (!in.is_plain()) impl::refuse(no_file, path);
  const auto read = [&](void* to, std::size_t bytes) {
    const bool all = in.read(to, bytes) == bytes;
    if (in.wrong() != 0) impl::refuse(cannot_read, path, static_cast<std::size_t>(in.wrong()));
    return all;
  };
  impl::checkpoint_head head;
  head.magic = {};
  if (!read(&head, sizeof head) || head.magic != impl::checkpoint_magic) impl::refuse(not_a_checkpoint, path);
  if (head.version != impl::checkpoint_version) impl::refuse(version, path, head.version, impl::checkpoint_version);
  impl::checkpoint_words words{};
  const std::size_t least = sizeof head + sizeof words;
  if (in.size() < least || !read(&words, sizeof words)) impl::refuse(length, path, in.size(), least);
  std::uint64_t sum = impl::checked_sum(&words, sizeof words, impl::checkpoint_version);
  if (words.number_bytes != sizeof(float) && words.number_bytes != sizeof(double)) impl::refuse(of_no_session, path);  // one bit changes neither into the other
  if (words.number_bytes != sizeof(Number)) impl::refuse(other_numbers, path, words.number_bytes, sizeof(Number));

  // Lengths in a file may be anything: none is believed, and no memory taken, that the file itself does not fill.
  std::size_t left = in.size() - least;
  bool fits = head.bytes == in.size() - sizeof head;
  const auto take = [&](std::uint64_t count, std::size_t each) {
    fits = fits && count <= left / each;
    if (fits) left -= count * each;
  };
  take(words.name, 1);
  take(words.values, sizeof(Number));
  take(words.state, sizeof(Number));
  take(words.optimiser_bytes, 1);
  if (!fits || left != 0 || words.name >= sizeof(type_text)) impl::refuse(length, path, in.size(), sizeof head + head.bytes);

  checkpoint<Number> c;
  std::string name(words.name, ' ');
  c.state.learned.values.resize(words.values);
  c.state.learned.state.resize(words.state);
  c.state.optimiser_numbers.resize(words.optimiser_bytes);
  impl::each_checkpoint_part(c, name, [&](void* data, std::size_t bytes) {
    if (!read(data, bytes)) impl::refuse(length, path, in.size(), sizeof head + head.bytes);  // cut since it was opened
    sum = impl::checked_sum(data, bytes, sum);
  });
  if (sum != head.checksum) impl::refuse(damaged, path, sum, head.checksum);
  c.state.optimiser = type_text{std::string_view{name}};
  if (c.state.optimiser.view() != name || words.loss_factor >> 32 != 0) impl::refuse(of_no_session, path);
  c.state.seed = words.seed;
  c.state.steps = words.steps;
  c.state.updates = words.updates;
  c.state.micro_batches = words.micro_batches;
  c.state.loss_factor = std::bit_cast<float>(static_cast<std::uint32_t>(words.loss_factor));
  c.state.good_updates = words.good_updates;
  c.state.skipped_updates = words.skipped_updates;
  c.place = {words.pass, words.samples};
  return c;
}

}  // namespace ipuflow::train
