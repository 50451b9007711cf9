// SPDX-License-Identifier: BSL-1.0
// The contract between a session and its pipeline, timetable, optimiser, precision and samples of a step, so that something
// else is refused with a sentence where it is handed over and not with the compiler's words from deep inside.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/graph/pipeline.hpp>
#include <ipuflow/schedule/timetable.hpp>
#include <ipuflow/train/accumulator_type.hpp>
#include <ipuflow/train/optimisers/groups.hpp>
#include <ipuflow/train/optimisers/state.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// Rule of an update: how many numbers of state it keeps for each parameter, and what becomes of both.
template <class T, class Number>
concept optimiser_of = requires(const T& rule, std::span<Number> values, std::span<const float> gradients) {
  { T::states } -> std::convertible_to<std::size_t>;
  rule.update(values, gradients, state_view<T>{}, std::size_t{});
};

/// Its figures can be looked at, or it says nothing of them.
template <class T>
concept figures_of = !requires(T& rule) { rule.verify(); } || requires(const T& rule) { throw_if(rule.verify()); };

template <class T>
concept described_pipeline = requires { T::placement, T::stage_count; };

/// A precision of real numbers, with the members of train::precision.
template <class T>
concept precision_of_reals = requires {
  typename T::parameter;
  typename T::accumulator;
  typename T::number;
} && (std::floating_point<typename T::compute> || std::same_as<typename T::compute, half>) && !verify_accumulator<typename T::accumulator>();

/// Samples side by side: how many, and a tuple with a column for each of their values.
template <class T>
concept columns_of_samples = requires(const T& batch) {
  { batch.size() } -> std::convertible_to<std::size_t>;
  std::get<0>(batch.columns()).width();
  std::get<0>(batch.columns()).data();
};

}  // namespace impl

enum class contract_wrong : unsigned char {
  nothing, pipeline, timetable, optimiser, not_verified, precision, not_compiled, not_on_tiles, not_in_parts, halves, samples, columns
};

/// `where` is the name of the type that was handed over.
using contract_fault = fault<contract_wrong, type_text>;

constexpr const char* wording(contract_wrong wrong) {
  switch (wrong) {
    case contract_wrong::nothing:
      return "";
    case contract_wrong::pipeline:
      return "ipuflow: {where} is no pipeline; make one with pipeline() or single_stage()";
    case contract_wrong::timetable:
      return "ipuflow: {where} is no timetable; let a generator make one, as schedule::grouped(network, micro_batches<8>) does";
    case contract_wrong::optimiser:
      return "ipuflow: {where} is no optimiser; give it state_type, states and update(values, gradients, state, step) const";
    case contract_wrong::not_verified:
      return "ipuflow: the verify() of {where} cannot look at its figures; write train::figure_fault verify() const";
    case contract_wrong::precision:
      return "ipuflow: {where} is no precision to compute in; write train::precision<float>, or one of double or half";
    case contract_wrong::not_compiled:
      return "ipuflow: ipuflow::compiled has no sessions in {where}; include <ipuflow/train/threads/session_engine.hpp> behind <ipuflow/train.hpp>";
    case contract_wrong::not_on_tiles:
      return "ipuflow: {where} is no precision of tiles; write train::precision<float>, with half behind it for parameters or accumulators of half";
    case contract_wrong::not_in_parts:
      return "ipuflow: {where} looks at whole tensors, of which a tile has a part; give it sums_type, prepare and finish, as train::lamb has";
    case contract_wrong::halves:
      return "ipuflow: prepare and finish of {where} are none that tiles can call; write sums_type, an array of real numbers, "
             "prepare(std::span<const float>, gradients, state, step) const and finish as train::lamb has them";
    case contract_wrong::samples:
      return "ipuflow: {where} holds no samples for a step; give a feed::sample_batch, or what has size() and columns()";
    case contract_wrong::columns:
      return "ipuflow: {where} has {got} column{s} but a sample of this pipeline has {limit} value{s}; give a column for each input and each value per "
             "sample";
  }
  return "";
}

constexpr message_text sentence(const contract_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

namespace impl {

template <class T, class Number>
constexpr contract_fault verify_optimiser() {
  if (!optimiser_of<rule_of<T>, Number>) return {.kind = contract_wrong::optimiser, .where = type_name<T>()};
  return figures_of<rule_of<T>> ? contract_fault{} : contract_fault{.kind = contract_wrong::not_verified, .where = type_name<T>()};
}

/// The first part of a session that is not what it has to be.
template <class P, class Timetable, class Optimiser, class Precision>
constexpr contract_fault verify_parts() {
  if constexpr (!described_pipeline<P>) {
    return {.kind = contract_wrong::pipeline, .where = type_name<P>()};
  } else if constexpr (!schedule::timetable<Timetable>) {
    return {.kind = contract_wrong::timetable, .where = type_name<Timetable>()};
  } else if constexpr (!precision_of_reals<Precision>) {
    return {.kind = contract_wrong::precision, .where = type_name<Precision>()};
  } else {
    return verify_optimiser<Optimiser, typename Precision::number>();
  }
}

/// The code of a session has to be there: ipuflow::compiled has it in the usual precisions alone.
template <class Precision, template <class> class Engine>
constexpr contract_fault verify_engine() {
  if constexpr (requires { sizeof(Engine<Precision>); }) {
    return {};
  } else {
    return {.kind = contract_wrong::not_compiled, .where = type_name<Precision>()};
  }
}

/// Tiles have to compute in this precision, and to keep its parameters and accumulators.
template <class Precision>
constexpr contract_fault verify_precision_on_tiles() {
  if (std::same_as<typename Precision::compute, float> && sizeof(typename Precision::parameter) <= sizeof(float) &&
      sizeof(typename Precision::accumulator) <= sizeof(float)) {
    return {};
  }
  return {.kind = contract_wrong::not_on_tiles, .where = type_name<Precision>()};
}

/// The first fault of the samples that a session of pipeline `P` is given for a step.
template <class P, class T>
constexpr contract_fault verify_samples() {
  if constexpr (!columns_of_samples<T>) {
    return {.kind = contract_wrong::samples, .where = type_name<T>()};
  } else {
    constexpr std::size_t given = std::tuple_size_v<std::remove_cvref_t<decltype(std::declval<const T&>().columns())>>;
    constexpr std::size_t taken = std::tuple_size_v<item_of<P>>;
    if (given != taken) return {contract_wrong::columns, given, taken, type_name<T>()};
    return {};
  }
}

}  // namespace impl

}  // namespace ipuflow::train
