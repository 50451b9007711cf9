// SPDX-License-Identifier: BSL-1.0
// Attention of the positions of a sequence to each other: a position holds its queries, then its keys, then its values, as
// `linear<3 * features>` makes them, each cut into heads. What comes out is softmax(q k / root of the head's width) v. Scores are
// never kept: backward makes them again.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/tensor.hpp>
#include <ipuflow/nn/kernels/attention_head.hpp>
#include <ipuflow/nn/kernels/initialise.hpp>
#include <ipuflow/nn/layer.hpp>

#include <concepts>
#include <cstddef>

namespace ipuflow::nn {

template <std::size_t Heads, bool Causal>
struct attention_t {};

/// Every position sees every other one; with `use<"segment">(nn::attention<Heads>)` those that have its number: sequences that are
/// packed into one have a number each, padding another.
template <std::size_t Heads>
  requires(Heads > 0)
inline constexpr attention_t<Heads, false> attention{};

/// A position sees itself and those before.
template <std::size_t Heads>
  requires(Heads > 0)
inline constexpr attention_t<Heads, true> causal_attention{};

namespace impl {

template <std::size_t Heads, std::size_t Features>
concept fits_heads = Features % (3 * Heads) == 0;

}  // namespace impl

template <std::size_t Heads, bool Causal, real_element E, std::size_t Positions, std::size_t Features>
  requires impl::fits_heads<Heads, Features>
[[nodiscard]] constexpr tensor<E, Positions, Features / 3> output_of(attention_t<Heads, Causal>, tensor<E, Positions, Features>) {
  return {};
}
template <std::size_t Heads, bool Causal, real_element E, std::size_t Positions, std::size_t Features, std::integral Segment>
  requires impl::fits_heads<Heads, Features>
[[nodiscard]] constexpr tensor<E, Positions, Features / 3> output_of(attention_t<Heads, Causal>, tensor<E, Positions, Features>,
                                                                     tensor<Segment, Positions>) {
  return {};
}

/// Work of what is seen; backward makes the scores again.
template <std::size_t Heads, bool Causal, real_element E, std::size_t Positions, std::size_t Features>
[[nodiscard]] constexpr layer_facts facts(attention_t<Heads, Causal>, tensor<E, Positions, Features>) {
  const std::size_t seen = Causal ? Positions * (Positions + 1) / 2 : Positions * Positions;
  const std::size_t product = seen * (Features / 3);
  return {.forward_work = 2 * product, .input_work = 5 * product};
}
template <std::size_t Heads, bool Causal, real_element E, std::size_t Positions, std::size_t Features, std::integral Segment>
[[nodiscard]] constexpr layer_facts facts(attention_t<Heads, Causal> layer, tensor<E, Positions, Features> x, tensor<Segment, Positions>) {
  return facts(layer, x);
}

namespace impl {

/// All heads of all samples. `segment_of(sample, position)` is asked where `HasSegments`.
template <std::size_t Heads, bool Causal, bool HasSegments, class T, std::size_t Positions, std::size_t Features>
struct attention_pass {
  using wide = wide_number<T>;
  static constexpr std::size_t out_features = Features / 3;
  static constexpr std::size_t width = out_features / Heads;
  using head = attention_head<wide, Positions, width, Causal>;
  static constexpr std::size_t vectors = head::vectors;

  static wide scale() { return number<wide>(1 / square_root(static_cast<double>(width))); }

  template <class SegmentOf>
  static void forward(batch<const T, shape<Positions, Features>> x, batch<T, shape<Positions, out_features>> y, SegmentOf segment_of) {
    dynamic_array<lanes<wide>> room(4 * vectors + head::padded);
    lanes<wide>* const q = room.data();
    lanes<wide>* const k = q + vectors;
    lanes<wide>* const v = k + vectors;
    lanes<wide>* const out = v + vectors;
    clear_padding(y);
    for (std::size_t sample = 0; sample < x.samples; ++sample) {
      const segments_of_sample segments{sample, segment_of};
      const head with{segments.get()};
      const sample_rows<const T, Positions, Features> from{x.data, sample};
      const sample_rows<T, Positions, out_features> to{y.data, sample};
      for (std::size_t h = 0; h < Heads; ++h) {
        load(from, h, q, k, v);
        for (std::size_t b = 0; b < head::blocks; ++b) with.forward(q, k, v, b, out + vectors, out);
        to.template store<width>(h * width, 1, out);
      }
    }
  }

  template <class SegmentOf>
  static void backward(batch<const T, shape<Positions, Features>> x, batch<const T, shape<Positions, out_features>> d_y,
                       batch<T, shape<Positions, Features>> d_x, SegmentOf segment_of) {
    dynamic_array<lanes<wide>> room(7 * vectors + 2 * head::padded);
    lanes<wide>* const q = room.data();
    lanes<wide>* const k = q + vectors;
    lanes<wide>* const v = k + vectors;
    lanes<wide>* const d_out = v + vectors;
    lanes<wide>* const d_q = d_out + vectors;
    lanes<wide>* const d_k = d_q + vectors;
    lanes<wide>* const d_v = d_k + vectors;
    lanes<wide>* const scores = d_v + vectors;
    clear_padding(d_x);
    for (std::size_t sample = 0; sample < x.samples; ++sample) {
      const segments_of_sample segments{sample, segment_of};
      const head with{segments.get()};
      const sample_rows<const T, Positions, Features> from{x.data, sample};
      const sample_rows<const T, Positions, out_features> back{d_y.data, sample};
      const sample_rows<T, Positions, Features> to{d_x.data, sample};
      for (std::size_t h = 0; h < Heads; ++h) {
        load(from, h, q, k, v);
        back.template load<width>(h * width, 1, d_out);
        algorithms::fill(d_k, d_k + 2 * vectors, lanes<wide>{});
        for (std::size_t b = 0; b < head::blocks; ++b) {
          with.backward(q, k, v, d_out, b, scores, scores + head::padded, d_q, d_k, d_v);
        }
        to.template store<width>(h * width, scale(), d_q);
        to.template store<width>(out_features + h * width, 1, d_k);
        to.template store<width>(2 * out_features + h * width, 1, d_v);
      }
    }
  }

 private:
  /// The segments of a sample's positions, where they have any, each as its first position: wide ones exceed what floats tell apart.
  struct segments_of_sample {
    alignas(64) wide numbers[HasSegments ? head::padded : 1];

    template <class SegmentOf>
    segments_of_sample(std::size_t sample, SegmentOf segment_of) : numbers{} {
      if constexpr (HasSegments) {
        for (std::size_t p = 0; p < Positions; ++p) {
          std::size_t first = 0;
          while (segment_of(sample, first) != segment_of(sample, p)) ++first;
          numbers[p] = static_cast<wide>(first);
        }
      }
    }
    const wide* get() const { return HasSegments ? numbers : nullptr; }
  };

  /// Queries are scaled here, once.
  static void load(const sample_rows<const T, Positions, Features>& from, std::size_t h, lanes<wide>* q, lanes<wide>* k, lanes<wide>* v) {
    from.template load<width>(h * width, scale(), q);
    from.template load<width>(out_features + h * width, 1, k);
    from.template load<width>(2 * out_features + h * width, 1, v);
  }
};

inline constexpr auto no_segments = [](std::size_t, std::size_t) { return 0; };

template <class Segment, std::size_t Positions>
auto segments_in(batch<const Segment, shape<Positions>> all) {
  return [all](std::size_t sample, std::size_t position) { return all.group(sample / lane_count)[position][sample % lane_count]; };
}

}  // namespace impl

template <std::size_t Heads, bool Causal, class T, std::size_t P, std::size_t F, std::size_t O>
void forward(attention_t<Heads, Causal>, forward_pass<T, in<shape<P, F>>, out<shape<P, O>>> pass) {
  impl::attention_pass<Heads, Causal, false, T, P, F>::forward(get<0>(pass.in), get<0>(pass.out), impl::no_segments);
}
template <std::size_t Heads, bool Causal, class T, std::size_t P, std::size_t F, std::size_t O>
void backward_inputs(attention_t<Heads, Causal>, inputs_pass<T, in<shape<P, F>>, out<shape<P, O>>> pass) {
  impl::attention_pass<Heads, Causal, false, T, P, F>::backward(get<0>(pass.in), get<0>(pass.d_out), get<0>(pass.d_in),
                                                                impl::no_segments);
}

template <std::size_t Heads, bool Causal, class T, std::size_t P, std::size_t F, class Segment, std::size_t O>
void forward(attention_t<Heads, Causal>, forward_pass<T, in<shape<P, F>, tensor<Segment, P>>, out<shape<P, O>>> pass) {
  impl::attention_pass<Heads, Causal, true, T, P, F>::forward(get<0>(pass.in), get<0>(pass.out),
                                                              impl::segments_in(get<1>(pass.in)));
}
template <std::size_t Heads, bool Causal, class T, std::size_t P, std::size_t F, class Segment, std::size_t O>
void backward_inputs(attention_t<Heads, Causal>, inputs_pass<T, in<shape<P, F>, tensor<Segment, P>>, out<shape<P, O>>> pass) {
  impl::attention_pass<Heads, Causal, true, T, P, F>::backward(get<0>(pass.in), get<0>(pass.d_out), get<0>(pass.d_in),
                                                               impl::segments_in(get<1>(pass.in)));
}

}  // namespace ipuflow::nn
