// SPDX-License-Identifier: BSL-1.0
// Embeddings on tiles: tables are stored in blocks where look-ups read them, and a look-up gathers what each tile has of a row.
// Gradients in floats are added to where they stay; for those in halves or in parts, rows are added up in floats first.
#pragma once

#include <ipuflow/ipu/ops/gather.hpp>
#include <ipuflow/ipu/ops/reduce.hpp>
#include <ipuflow/nn/layers/embedding.hpp>
#include <ipuflow/nn/lowerings/bias_lowering.hpp>

#include <cstddef>
#include <cstdint>
#include <span>

namespace ipuflow::nn {

namespace impl {

/// Tokens as words, all of them in the table.
template <class Token>
ipu::codelet tokens_codelet(std::size_t positions, std::size_t entries, bool of_kinds) {
  return {ipu::name_from("tokens"), ipu::elementwise_code,
          [positions, entries, of_kinds](std::size_t first, std::span<const Token> tokens, std::span<std::int32_t> words) {
            for (std::size_t i = 0; i < tokens.size(); ++i) {
              const auto entry = static_cast<std::size_t>(tokens[i]);
              const std::size_t at = first + i;
              if (entry >= entries) throw_if(no_row(tokens[i], entries, of_kinds, at % positions, at / positions));
              words[i] = static_cast<std::int32_t>(entry);
            }
          },
          [](const ipu::architecture& chip, ipu::lengths n) { return ipu::binary_cost(chip, ipu::binary::add, ipu::element_type::f32, n[1]); }};
}

struct looked_up {
  ipu::variable_id words{};
  ipu::step bring{};
};

template <class Token>
looked_up tokens_as_words(const lowering& l, std::size_t positions, std::size_t entries, ipu::variable_id tokens,
                          bool of_kinds) {
  const std::size_t count = l.samples * positions;
  const ipu::variable_id words = l.temporary("words", ipu::element_type::i32, count);
  const ipu::arranged beside = ipu::arrange(l.g, tokens, "tokens", l.g[words].map(), {{.length = count}});
  return {words, ipu::sequence(beside.bring, on_spread(l, "tokens", tokens_codelet<Token>(positions, entries, of_kinds), words,
                                                       {ipu::whole(beside.variable), ipu::whole(words)}))};
}

/// The look-ups of all samples in a table that a product may read, too.
template <class = void>
inline ipu::gather_shape look_ups(const lowering& l, std::size_t entries, std::size_t features, std::size_t positions) {
  return {entries, features, l.samples * positions, l.numbers.by_columns};
}

template <class = void>
inline stored_weights table_place(const lowering& l, const ipu::gather_shape& s) {
  return {ipu::table_order(l.g, s, l.where), ipu::table_mapping(l.g, s, l.where)};
}

template <class Token, class E>
ipu::step look_up(const lowering& l, const ipu::gather_shape& s, ipu::variable_id tokens, ipu::variable_id y,
                  bool of_kinds = false) {
  const looked_up found = tokens_as_words<Token>(l, s.indices / l.samples, s.rows, tokens, of_kinds);
  const ipu::arranged table = l.as(l.numbers.weights, ipu::element_type_of<E>());
  return ipu::sequence(found.bring, table.bring, ipu::gather(l.g, s, table.variable, found.words, y, l.where));
}

template <class Token>
ipu::step add_to_table(const lowering& l, const ipu::gather_shape& s, ipu::variable_id tokens, ipu::variable_id d_y,
                       bool of_kinds = false) {
  const looked_up found = tokens_as_words<Token>(l, s.indices / l.samples, s.rows, tokens, of_kinds);
  ipu::variable_id wide = d_y;
  ipu::step widen;
  if (l.g[d_y].type() != ipu::element_type::f32) {
    wide = l.g.add_temporary(l.name_of("wide"), ipu::element_type::f32, l.g[d_y].elements(), l.g[d_y].map());
    widen = ipu::cast(l.g, d_y, wide);
  }
  const ipu::variable& kept = l.g[l.numbers.d_weights];
  if (kept.type() == ipu::element_type::f32 && kept.elements() == s.rows * s.width) {
    return ipu::sequence(found.bring, widen, ipu::scatter_add(l.g, s, l.numbers.d_weights, found.words, wide, 1, l.where));
  }
  const ipu::variable_id more = l.more_of(l.numbers.weights);
  return ipu::sequence(found.bring, widen, ipu::fill(l.g, more, 0), ipu::scatter_add(l.g, s, more, found.words, wide, 1, l.where),
                       l.add_to(l.numbers.d_weights, more));
}

/// The first rows of a table, as biases of each sample.
template <class = void>
inline ipu::step add_front_of_table(lowering l, std::size_t elements, ipu::variable_id y) {
  const ipu::variable_id table = l.numbers.weights;
  l.numbers.biases = l.temporary("front", l.g[table].type(), elements);
  return ipu::sequence(ipu::copy({{.from = {table}, .to = {l.numbers.biases}, .length = elements}}), add_bias(l, y, 1));
}
template <class = void>
inline ipu::step add_to_front_of_table(const lowering& l, std::size_t elements, ipu::variable_id d_y) {
  const ipu::variable_id sums = l.temporary("sums", ipu::element_type::f32, elements);
  const ipu::variable_id more = l.more_of(l.numbers.weights);
  return ipu::sequence(ipu::reduce(l.g, ipu::reduce_operation::sum, {1, l.samples, elements}, d_y, sums, l.where), ipu::fill(l.g, more, 0),
                       ipu::copy({{.from = {sums}, .to = {more}, .length = elements}}), l.add_to(l.numbers.d_weights, more));
}

}  // namespace impl

template <std::size_t V, std::size_t F, real_element Made, class E, class Token, std::size_t P>
stored_weights weights_on_tiles(embedding_t<V, F, Made>, const forward_lowering<in<tensor<Token, P>>, out<tensor<E, P, F>>>& l) {
  return impl::table_place(l, impl::look_ups(l, V, F, P));
}
template <std::size_t V, std::size_t F, real_element Made, class E, class Token, std::size_t P>
ipu::step lower_forward(embedding_t<V, F, Made>, const forward_lowering<in<tensor<Token, P>>, out<tensor<E, P, F>>>& l) {
  return impl::look_up<Token, E>(l, impl::look_ups(l, V, F, P), l.in[0], l.out[0]);
}
template <std::size_t V, std::size_t F, real_element Made, class E, class Token, std::size_t P>
ipu::step lower_backward_weights(embedding_t<V, F, Made>, const weights_lowering<in<tensor<Token, P>>, out<tensor<E, P, F>>>& l) {
  return impl::add_to_table<Token>(l, impl::look_ups(l, V, F, P), l.in[0], l.d_out[0]);
}

/// A row that is added leaves the gradient as it is.
template <class Layer, class X, class... In>
  requires impl::adds_rows<Layer>
ipu::step lower_backward_inputs(Layer, const inputs_lowering<in<X, In...>, out<X>>& l) {
  return ipu::copy_all(l.g, l.d_out[0], l.d_in[0]);
}

template <std::size_t Kinds, class E, class Kind, std::size_t P, std::size_t F>
stored_weights weights_on_tiles(add_embedding_t<Kinds>,
                               const forward_lowering<in<tensor<E, P, F>, tensor<Kind, P>>, out<tensor<E, P, F>>>& l) {
  return impl::table_place(l, impl::look_ups(l, Kinds, F, P));
}
template <std::size_t Kinds, class E, class Kind, std::size_t P, std::size_t F>
ipu::step lower_forward(add_embedding_t<Kinds>,
                        const forward_lowering<in<tensor<E, P, F>, tensor<Kind, P>>, out<tensor<E, P, F>>>& l) {
  const ipu::variable_id found = l.temporary("kinds", ipu::element_type_of<E>(), l.samples * P * F);
  return ipu::sequence(impl::look_up<Kind, E>(l, impl::look_ups(l, Kinds, F, P), l.in[1], found, true),
                       ipu::apply(l.g, ipu::binary::add, l.in[0], found, l.out[0]));
}
template <std::size_t Kinds, class E, class Kind, std::size_t P, std::size_t F>
ipu::step lower_backward_weights(add_embedding_t<Kinds>,
                                 const weights_lowering<in<tensor<E, P, F>, tensor<Kind, P>>, out<tensor<E, P, F>>>& l) {
  return impl::add_to_table<Kind>(l, impl::look_ups(l, Kinds, F, P), l.in[1], l.d_out[0], true);
}

template <std::size_t Most, class X>
ipu::step lower_forward(position_embedding_t<Most>, const forward_lowering<in<X>, out<X>>& l) {
  return ipu::sequence(ipu::copy_all(l.g, l.in[0], l.out[0]), impl::add_front_of_table(l, X::elements, l.out[0]));
}
template <std::size_t Most, class X>
ipu::step lower_backward_weights(position_embedding_t<Most>, const weights_lowering<in<X>, out<X>>& l) {
  return impl::add_to_front_of_table(l, X::elements, l.d_out[0]);
}

}  // namespace ipuflow::nn
