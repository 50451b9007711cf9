// SPDX-License-Identifier: BSL-1.0
// A remedy for a program that is out of memory: options with which it fits, found by making the program again with each of
// them and laying out its memory. What is named was tried; nothing is estimated.
#pragma once

#include <ipuflow/ipu/program/memory_report.hpp>
#include <ipuflow/run/chips/options.hpp>

#include <array>
#include <cstddef>
#include <string_view>

namespace ipuflow::run {

namespace impl {

/// A kind of tensor that may leave the tiles. The cheaper ones come first: an optimiser's state moves once an update, weights and
/// activations with every micro-batch.
struct movable {
  std::string_view name{};
  kept_in chips_options::*kept{};
};
inline constexpr std::array<movable, 4> movables{{{"optimiser_state", &chips_options::optimiser_state},
                                                  {"accumulators", &chips_options::accumulators},
                                                  {"activations", &chips_options::activations},
                                                  {"weights", &chips_options::weights}}};

/// Names in a row: "a", "a or b", "a, b or c".
class named_row {
 public:
  explicit constexpr named_row(std::string_view last_word) : last_word_{last_word} {}

  constexpr void add(std::string_view name) { names_[count_++] = name; }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
  template <std::size_t Capacity>
  constexpr void append_to(fixed_string<Capacity>& text) const {
    for (std::size_t i = 0; i < count_; ++i) {
      text += i == 0 ? "" : i + 1 == count_ ? last_word_ : ", ";
      text += names_[i];
    }
  }

 private:
  std::string_view last_word_;
  std::array<std::string_view, movables.size()> names_{};
  std::size_t count_ = 0;
};

}  // namespace impl

/// The fault with what would make the program fit: a kind of tensor kept in streaming memory, or as many kinds as are needed
/// together; and micro-batches that are half, a quarter, ... as large. `used` are the options that it was made with; `fits` makes it
/// with others.
template <class Fits>
[[nodiscard]] ipu::memory_fault with_remedy(ipu::memory_fault found, const chips_options& used, Fits fits) {
  if (found.kind != ipu::memory_wrong::out_of_memory) return found;
  const auto moved = [&](chips_options o, const impl::movable& kind) {
    o.*kind.kept = kept_in::streaming_memory;
    return o;
  };
  impl::named_row any{" or "};
  for (const impl::movable& kind : impl::movables) {
    if (used.*kind.kept == kept_in::tiles && fits(moved(used, kind))) any.add(kind.name);
  }
  impl::named_row all{" and "};
  bool together = false;
  chips_options away = used;
  for (const impl::movable& kind : impl::movables) {
    if (!any.empty() || together || used.*kind.kept != kept_in::tiles) continue;
    away = moved(away, kind);
    all.add(kind.name);
    together = fits(away);
  }
  std::size_t samples = 0;
  for (std::size_t half = used.samples / 2; half > 0 && samples == 0; half /= 2) {
    chips_options fewer = used;
    fewer.samples = half;
    if (fits(fewer)) samples = half;
  }
  auto& text = found.where.remedy;
  const bool moves = together || !any.empty();
  if (moves) {
    text += "keep ";
    any.append_to(text);
    if (together) all.append_to(text);
    text += " in streaming_memory";
  }
  if (samples > 0) {
    text += moves ? ", or give a micro-batch " : "give a micro-batch ";
    text += samples;
    text += samples == 1 ? " sample" : " samples";
  }
  if (text.empty()) text += "no place of its tensors and no smaller micro-batch makes it fit, so cut it into more stages";
  return found;
}

}  // namespace ipuflow::run
