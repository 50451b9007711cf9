// SPDX-License-Identifier: BSL-1.0
// The options of a session, and a learning rate, as text: all of them, also those that nothing was said of.
#pragma once

#include <ipuflow/core/field_text.hpp>
#include <ipuflow/train/optimisers/learning_rate.hpp>
#include <ipuflow/train/options.hpp>

#include <string>

namespace ipuflow::train {

template <class = void>
[[nodiscard]] std::string text_of(const scaling& s) {
  const auto& [scale, shift] = s;
  return field_text{""}.add("scale", scale).add("shift", shift).text();
}

template <class = void>
[[nodiscard]] std::string text_of(const loss_scale& s) {
  const auto& [factor, automatic, patience] = s;
  return field_text{""}.add("factor", factor).add("automatic", automatic).add("patience", patience).text();
}

template <class = void>
[[nodiscard]] std::string text_of(const learning_rate& rate) {
  std::string text = "train::learning_rate{" + field_text::shown(rate.begin) + "}";
  for (const auto& [form, updates, to, times] : rate.pieces) {
    if (form == rate_form::linear) text += ".then_linear(" + field_text::shown(updates) + ", " + field_text::shown(to) + ")";
    if (form == rate_form::cosine) text += ".then_cosine(" + field_text::shown(updates) + ", " + field_text::shown(to) + ")";
    if (form == rate_form::steps) text += ".then_steps(" + field_text::shown(updates) + ", " + field_text::shown(to) + ", " + field_text::shown(times) + ")";
  }
  return rate.updates_before == 0 ? text : text + ".after(" + field_text::shown(rate.updates_before) + ")";
}

/// Stages by their numbers.
template <class = void>
[[nodiscard]] std::string text_of(const schedule::stage_set& stages) {
  if (stages.all) return "schedule::all_stages";
  std::string text;
  for (std::size_t s = 0; s < stages.end; ++s) {
    if (stages.has(s)) text.append(text.empty() ? "" : ", ") += field_text::shown(s);
  }
  return "schedule::stage_set{" + text + "}";
}

template <class = void>
[[nodiscard]] std::string text_of(const options& o) {
  const auto& [micro_batch, device_iterations, replicas, gradients, outputs, output_period, inputs, scale, parameters, max_grad_norm,
               recompute, shard_optimiser, shard_gradients, shard_weights, shard_at_least, seed, check_loss] = o;
  return field_text{"train::options"}
      .add("micro_batch", micro_batch)
      .add("device_iterations", device_iterations)
      .add("replicas", replicas)
      .add("gradients", gradients)
      .add("outputs", outputs)
      .add("output_period", output_period)
      .add("inputs", text_of(inputs))
      .add("scale", text_of(scale))
      .add("parameters", parameters)
      .add("max_grad_norm", max_grad_norm)
      .add("recompute", text_of(recompute))
      .add("shard_optimiser", shard_optimiser)
      .add("shard_gradients", shard_gradients)
      .add("shard_weights", shard_weights)
      .add("shard_at_least", shard_at_least)
      .add("seed", seed)
      .add("check_loss", check_loss)
      .text();
}

}  // namespace ipuflow::train
