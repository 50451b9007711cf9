// SPDX-License-Identifier: BSL-1.0
// Weights by name between a model and a file: where each tensor is in the model, and what a file says of those it has.
// A model is filled only if the file has all of its tensors, in their shapes, and no others; weights that layers share may be
// there once or for each of them.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/whole_file.hpp>
#include <ipuflow/train/model.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/named_tensors.hpp>
#include <ipuflow/train/weights_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// The tensors of a model in a pipeline's order; those behind `values_count` are of its state.
struct weight_table {
  light_vector<named_tensor> tensors{};
  std::size_t of_values = 0;
  light_vector<std::size_t> same_as{};  ///< of each tensor: which one it is a copy of, or itself

  template <class P>
  static weight_table of(const P& pipeline) {
    weight_table table{named_tensors(pipeline)};
    table.of_values = table.tensors.size();
    for (std::size_t i = 0; i < table.of_values; ++i) table.same_as.push_back(i);
    layout_of<P>.each_tie([&](std::size_t shared, std::size_t copy, std::size_t) { table.same_as[table.at(copy)] = table.at(shared); });
    for (named_tensor& t : named_state(pipeline)) {
      table.same_as.push_back(table.tensors.size());
      table.tensors.push_back(std::move(t));
    }
    return table;
  }

  /// The tensor of values that begins at a parameter.
  [[nodiscard]] std::size_t at(std::size_t first) const {
    const auto end = tensors.begin() + static_cast<std::ptrdiff_t>(of_values);
    const auto found = algorithms::find_if(tensors.begin(), end, [&](const named_tensor& t) { return t.first == first; });
    return static_cast<std::size_t>(found - tensors.begin());
  }

  /// The numbers of tensor `i`.
  template <class Model>
  auto numbers(Model& m, std::size_t i) const {
    auto& all = i < of_values ? m.values : m.state;
    return std::span{all.data() + tensors[i].first, tensors[i].count};
  }
};

/// A tensor as a file has it. `type`: 2, 4 or 8, the bytes of a real number, little-endian.
struct stored_tensor {
  std::string name{};
  light_vector<std::size_t> extents{};
  std::size_t type = 4;
  const std::uint8_t* data = nullptr;
};

template <class Extents>
fixed_string<60> extents_text(const Extents& extents) {
  fixed_string<60> text{std::string_view{"["}};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (i > 0) text += std::string_view{", "};
    text += extents[i];
  }
  text += std::string_view{"]"};
  return text;
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_weights(weights_wrong kind, std::string_view path, std::string_view tensor,
                                                                  std::string_view found = {}, std::string_view wanted = {},
                                                                  std::size_t got = 0, std::size_t limit = 0) {
  throw rejected{weights_fault{kind, got, limit,
                               {feed::file_name{path}, fixed_string<60>{tensor}, fixed_string<60>{found}, fixed_string<60>{wanted}}}};
}

/// Refuses a tensor of a file that the network has not.
template <class = void>
void need_known(const weight_table& table, std::string_view tensor, std::string_view path) {
  const bool known = algorithms::any_of(table.tensors.begin(), table.tensors.end(), [&](const named_tensor& t) { return t.name == tensor; });
  if (!known) refuse_weights(weights_wrong::unknown, path, tensor);
}

template <class From, class Number>
void copy_numbers(const std::uint8_t* from, std::span<Number> to) {
  for (Number& number : to) {
    From one{};
    std::memcpy(&one, from, sizeof one);
    from += sizeof one;
    if constexpr (std::is_same_v<From, Number>) {
      number = one;
    } else if constexpr (std::is_same_v<Number, half>) {
      number = half{static_cast<float>(one)};
    } else {
      number = static_cast<Number>(one);
    }
  }
}

/// The tensor of a file for tensor `i` of a model: by its name or, if it shares its numbers, by that of another one.
template <class = void>
[[nodiscard]] const stored_tensor* find_stored(const weight_table& table, const light_vector<stored_tensor>& stored, std::size_t i) {
  const auto named = [&](const std::string& name) -> const stored_tensor* {
    const auto found = algorithms::find_if(stored.begin(), stored.end(), [&](const stored_tensor& s) { return s.name == name; });
    return found == stored.end() ? nullptr : &*found;
  };
  const stored_tensor* found = named(table.tensors[i].name);
  for (std::size_t other = 0; found == nullptr && other < table.tensors.size(); ++other) {
    if (other != i && table.same_as[other] == table.same_as[i]) found = named(table.tensors[other].name);
  }
  return found;
}

/// Fills a model, or throws and leaves it as it was.
template <class Number>
void fill_from(model<Number>& m, const weight_table& table, const light_vector<stored_tensor>& stored, std::string_view path) {
  for (const stored_tensor& s : stored) need_known(table, s.name, path);
  model<Number> filled = m;
  for (std::size_t i = 0; i < table.tensors.size(); ++i) {
    const named_tensor& t = table.tensors[i];
    const stored_tensor* const found = find_stored(table, stored, i);
    if (found == nullptr) refuse_weights(weights_wrong::missing, path, t.name, stored.empty() ? std::string_view{} : stored[0].name);
    if (!algorithms::equal(found->extents.begin(), found->extents.end(), t.extents.begin(), t.extents.end()))
      refuse_weights(weights_wrong::extents, path, t.name, extents_text(found->extents), extents_text(t.extents));
    const std::span<Number> to = table.numbers(filled, i);
    if (found->type == sizeof(half)) copy_numbers<half>(found->data, to);
    if (found->type == sizeof(float)) copy_numbers<float>(found->data, to);
    if (found->type == sizeof(double)) copy_numbers<double>(found->data, to);
  }
  for (std::size_t i = 0; i < table.tensors.size(); ++i) {
    const std::span<Number> mine = table.numbers(filled, i), shared = table.numbers(filled, table.same_as[i]);
    if (std::memcmp(mine.data(), shared.data(), mine.size_bytes()) != 0)
      refuse_weights(weights_wrong::copies_differ, path, table.tensors[i].name, table.tensors[table.same_as[i]].name);
  }
  m = std::move(filled);
}

/// Throws unless the model is one of that pipeline.
template <class P, class Number>
weight_table checked_table(const P& pipeline, const model<Number>& m) {
  throw_if(verify_model(m, layout_of<P>));
  return weight_table::of(pipeline);
}

template <class = void>
void keep_or_refuse(whole_file& file, std::string_view path) {
  if (file.keep()) return;
  throw rejected{model_file_fault{model_file_wrong::cannot_write, static_cast<std::size_t>(file.wrong()), 0, fixed_string<200>{path}}};
}

}  // namespace ipuflow::train::impl
