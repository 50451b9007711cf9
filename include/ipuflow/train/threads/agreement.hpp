// SPDX-License-Identifier: BSL-1.0
// Agreement of the processes of a session: facts that they compare when it begins, and what their optimisers make of the weights.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/core/wrapping.hpp>
#include <ipuflow/schedule/forms/any_timetable.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/tensors.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ipuflow::train::impl {

constexpr void mix(std::uint64_t& hash, std::uint64_t number) { hash = wrapping_product(hash ^ number, 1099511628211u); }

/// Facts of a session as text that processes can compare.
template <class = void>
[[nodiscard, gnu::cold]] light_vector<std::string> agreed_numbers(const schedule::any_timetable& t, const options& o, const light_vector<piece>& tensors,
                                                                bool gathers) {
  std::uint64_t order = 0, network = 0, again = o.recompute.all;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      for (const std::size_t number : {ipu, w->step, w->stage, w->micro_batch, static_cast<std::size_t>(w->kind)}) mix(order, number);
    }
  }
  for (const piece& p : tensors) {
    for (const std::size_t number : {p.stage, p.begin, p.count, p.group, static_cast<std::size_t>(p.accumulators)}) mix(network, number);
  }
  for (const std::uint64_t stages : o.recompute.words) mix(again, stages);
  const auto text = [](auto number) {  // of all digits
    char digits[32];
    return std::string{digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
  };
  return {text(network), text(order), text(o.micro_batch), text(o.device_iterations), text(o.replicas), text(static_cast<int>(o.gradients)),
          text(static_cast<int>(o.outputs)), text(o.output_period), text(o.inputs.scale), text(o.inputs.shift), text(o.scale.factor),
          text(int{o.scale.automatic}), text(o.scale.patience), text(static_cast<int>(o.parameters)), text(o.max_grad_norm), text(again),
          text(int{shards_state(o)}), text(o.shard_at_least), text(o.seed), text(int{o.check_loss}), text(int{gathers})};
}
inline constexpr std::string_view agreed_names[] = {
    "the network (its tensors, as a number)", "the timetable (as a number)", "micro_batch", "device_iterations", "replicas", "gradients",
    "outputs", "output_period", "inputs.scale", "inputs.shift", "scale.factor", "scale.automatic", "scale.patience", "parameters",
    "max_grad_norm", "recompute (its stages, as a number)", "shard_optimiser", "shard_at_least", "seed", "check_loss", "whether results are gathered"};

/// The three smallest tensors of each group of parameters, and their copies: what all processes update, though others are dealt out to them, so that
/// weights differ if figures of the optimisers do. Three, since one may have gradients that change nothing, as a bias before a norm.
template <class = void>
[[nodiscard, gnu::cold]] light_vector<piece> smallest_of_groups(const light_vector<piece>& tensors) {
  light_vector<piece> ordered, all;
  for (const piece& t : tensors) {
    if (!t.is_copy()) ordered.push_back(t);
  }
  algorithms::sort(ordered.begin(), ordered.end(), [](const piece& a, const piece& b) {
    return a.group != b.group ? a.group < b.group : a.count != b.count ? a.count < b.count : a.begin < b.begin;
  });
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (i < 3 || ordered[i - 3].group != ordered[i].group) all.push_back(ordered[i]);
  }
  const std::size_t count = all.size();
  for (const piece& t : tensors) {
    for (std::size_t i = 0; i < count; ++i) {
      if (t.copy_of == all[i].begin) all.push_back(t);
    }
  }
  return all;
}
template <class = void>
[[nodiscard]] bool has_parameter(const light_vector<piece>& tensors, std::size_t number) {
  return algorithms::any_of(tensors.begin(), tensors.end(), [&](const piece& t) { return t.begin <= number && number < t.begin + t.count; });
}

/// A number that is another one if a byte is.
template <class = void>
[[nodiscard]] std::uint64_t number_of_bytes(light_span<const std::byte> bytes) {
  std::uint64_t hash = 0, next = 0;
  std::size_t at = 0;
  for (; at + sizeof next <= bytes.size(); at += sizeof next) {
    std::memcpy(&next, bytes.data() + at, sizeof next);
    mix(hash, next);
  }
  for (; at < bytes.size(); ++at) mix(hash, static_cast<std::uint64_t>(bytes[at]));
  return hash;
}

}  // namespace ipuflow::train::impl
