// SPDX-License-Identifier: BSL-1.0
// Layer and group norm on tiles: each segment of a sample is a row. A scale and a shift are those of a column of all samples,
// or of the planes of a channel.
#pragma once

#include <ipuflow/nn/layers/norm.hpp>
#include <ipuflow/nn/lowerings/norm_passes.hpp>

#include <cstddef>

namespace ipuflow::nn {

namespace impl {

/// The norm of samples in `Segments` segments, with runs of one scale and shift each.
template <std::size_t Segments, std::size_t Scales, std::size_t Elements>
norm_passes passes_of(sample_norm<Segments, Scales, Elements>, const lowering& l, const on_tiles& x, const ipu::row_effort& effort, bool back) {
  norm_passes made{l, {Elements / Segments, l.samples * Segments, x.order}, {Elements / Scales, Scales, x.order}, x, effort};
  if (back) made.recall_statistics();
  else made.find_statistics();
  return made;
}

template <std::size_t Segments, std::size_t Scales, std::size_t Elements>
constexpr std::size_t rows_of_sample(sample_norm<Segments, Scales, Elements>) {
  return Segments;
}

/// A layer norm has whole rows, and a scale for each column.
template <std::size_t Segments, std::size_t Scales, std::size_t Elements>
constexpr bool has_columns(sample_norm<Segments, Scales, Elements>) {
  return Segments == 1 && Scales == Elements;
}

}  // namespace impl

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
constexpr panel_use panels_on_tiles(Layer layer, const forward_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>*) {
  using value = tensor<E, Extent...>;
  if (!impl::has_columns(impl::norm_of(layer, impl::row_shape<value>{}))) return {};
  return impl::takes_panels<value, value>();
}

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
constexpr std::size_t notes_on_tiles(Layer layer, const forward_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>*, std::size_t samples) {
  using value = tensor<E, Extent...>;
  return samples * impl::rows_in<typename value::shape_type>::count * impl::rows_of_sample(impl::norm_of(layer, impl::row_shape<value>{}));
}

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
ipu::step lower_forward(Layer layer, const forward_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  using value = tensor<E, Extent...>;
  const lowering rows = impl::of_rows<value>(l);
  impl::norm_passes made = impl::passes_of(impl::norm_of(layer, impl::row_shape<value>{}), rows, l.in[0], impl::forward_effort, false);
  made.forward(l.out[0]);
  return made.program();
}

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
ipu::step lower_backward_inputs(Layer layer,
                                const inputs_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  using value = tensor<E, Extent...>;
  const lowering rows = impl::of_rows<value>(l);
  impl::norm_passes made = impl::passes_of(impl::norm_of(layer, impl::row_shape<value>{}), rows, l.in[0], impl::with_notes(impl::inputs_effort, l.numbers), true);
  made.backward_inputs(l.d_out[0], l.d_in[0], true);
  return made.program();
}

template <class Layer, class E, std::size_t... Extent>
  requires impl::normalises_samples<Layer, impl::row_shape<tensor<E, Extent...>>>
ipu::step lower_backward_weights(Layer layer,
                                 const weights_lowering<in<tensor<E, Extent...>>, out<tensor<E, Extent...>>>& l) {
  using value = tensor<E, Extent...>;
  const lowering rows = impl::of_rows<value>(l);
  impl::norm_passes made = impl::passes_of(impl::norm_of(layer, impl::row_shape<value>{}), rows, l.in[0], impl::with_notes(impl::weights_effort, l.numbers), true);
  made.backward_weights(l.d_out[0]);
  return made.program();
}

}  // namespace ipuflow::nn
