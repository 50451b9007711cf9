// SPDX-License-Identifier: BSL-1.0
// Compiles the layers of random networks, each between the types that it stands between, and no network.
#include "words.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/train/threads/network_code.hpp>

#include <type_traits>
#include <vector>

namespace trust {

using namespace ipuflow;

namespace {

template <std::size_t... Extents>
struct shaped {
  template <class E>
  using type = tensor<E, Extents...>;
};
template <kind K>
struct typed;
template <>
struct typed<kind::label> {
  template <class>
  using type = std::uint8_t;
};
template <>
struct typed<kind::tokens> {
  template <class>
  using type = tensor<std::uint8_t, 3>;
};
template <>
struct typed<kind::image> : shaped<2, 4, 4> {};
template <>
struct typed<kind::planes> : shaped<3, 4, 4> {};
template <>
struct typed<kind::pooled> : shaped<3, 2, 2> {};
template <>
struct typed<kind::sequence> : shaped<3, 4> {};
template <>
struct typed<kind::triple> : shaped<3, 12> {};
template <>
struct typed<kind::three> : shaped<3> {};
template <>
struct typed<kind::four> : shaped<4> {};
template <>
struct typed<kind::five> : shaped<5> {};
template <>
struct typed<kind::eight> : shaped<8> {};
template <>
struct typed<kind::twelve> : shaped<12> {};
template <>
struct typed<kind::loss> {
  template <class>
  using type = tensor<float>;
};

template <class Type, kind K = kind::label>
constexpr kind kind_of() {
  if constexpr (std::is_same_v<Type, typename typed<K>::template type<float>>) {
    return K;
  } else {
    return kind_of<Type, static_cast<kind>(static_cast<int>(K) + 1)>();
  }
}

template <class T, kind K>
nn::slot_plan slot_of() {
  using type = typename typed<K>::template type<float>;
  using computed = nn::computed<type, T>;
  return {.elements = computed::view::elements,
          .positions = nn::impl::positions_in<typename computed::view::shape_type>,
          .element_bytes = sizeof(nn::lanes<typename computed::element>) / nn::lane_count,
          .real = computed::real,
          .single = computed::single};
}

/// The layer for tensors of these elements; one that reads none of them has to be told.
template <class Layer, class E>
struct for_elements {
  using type = Layer;
};
template <std::size_t Vocabulary, std::size_t Features, class E>
struct for_elements<nn::embedding_t<Vocabulary, Features, float>, E> {
  using type = nn::embedding_t<Vocabulary, Features, E>;
};

template <class Layer, kind... In>
struct word_of {
  template <class E>
  using layer = typename for_elements<Layer, E>::type;
  template <class E>
  using reads = nn::walk::list<typename typed<In>::template type<E>...>;
  template <class E>
  using makes = decltype(nn::walk::listed(result_of<layer<E>, typename typed<In>::template type<E>...>{}));

  template <class T, class E>
  static constexpr nn::step_kernels<T> kernels() {
    constexpr bool real = ((In != kind::label && In != kind::tokens) || ...) && !nn::impl::facts_of<layer<E>, reads<E>>.same_gradient;
    return nn::impl::kernels_between<T, layer<E>, reads<E>, makes<E>>::template table<real, !nn::impl::facts_of<layer<E>, reads<E>>.same_gradient>();
  }

  static word make(std::string_view name) {
    word w{.name = name, .facts = nn::impl::facts_of<Layer, reads<float>>, .in = {In...}, .inputs = sizeof...(In)};
    [&]<class... Made>(nn::walk::list<Made...>) {
      w.out = {kind_of<Made>()...};
      w.outputs = sizeof...(Made);
    }(makes<float>{});
    w.doubles = kernels<double, float>();
    w.floats = kernels<float, float>();
    w.halves = kernels<float, half>();
    w.exact_halves = kernels<double, half>();
    w.on_tiles = &nn::impl::lowering_code_of<Layer, reads<float>, makes<float>>;
    w.halves_on_tiles = &nn::impl::lowering_code_of<layer<half>, reads<half>, makes<half>>;
    w.begin = nn::impl::initialiser_of<double, Layer>(reads<float>{});
    w.noise = w.on_tiles->counts ? 1 : 0;
    return w;
  }
};

template <kind... In, class Layer>
word named(std::string_view name, Layer) {
  return word_of<Layer, In...>::make(name);
}

}  // namespace

std::span<const word> words() {
  using enum kind;
  static const std::vector<word> all{
      named<image>("conv", nn::conv2d<3, 3, 1, 1>),
      named<image>("relu2", nn::relu),
      named<image>("image_norm", nn::batch_norm),
      named<planes>("conv_on", nn::conv2d<3, 3, 1, 1>),
      named<planes>("conv_groups", nn::without_biases(nn::conv2d<3, 1, 1, 0, 3>)),
      named<planes>("conv_stride", nn::conv2d<3, 2, 2>),
      named<planes>("batch_norm", nn::batch_norm),
      named<planes>("group_norm", nn::group_norm<3>),
      named<planes>("relu", nn::relu),
      named<planes>("tanh_planes", nn::tanh),
      named<planes, planes>("add_planes", nn::add),
      named<planes>("max_pool", nn::max_pool<2>),
      named<planes>("average_pool", nn::average_pool<2>),
      named<three, planes>("scale_channels", nn::scale_channels),
      named<planes>("mean", nn::global_average_pool),
      named<pooled>("swish", nn::swish),
      named<pooled>("dropout_pooled", nn::dropout<0.25>),
      named<pooled, pooled>("add_pooled", nn::add),
      named<pooled>("flatten", nn::flatten),
      named<sequence>("positions", nn::linear<4>),
      named<tokens>("embedding", nn::embedding<vocabulary, 4>),
      named<sequence>("places", nn::position_embedding),
      named<sequence>("layer_norm", nn::layer_norm),
      named<sequence>("queries", nn::linear<12>),
      named<triple>("attention", nn::attention<2>),
      named<triple>("causal", nn::causal_attention<1>),
      named<sequence>("gelu", nn::gelu),
      named<sequence, sequence>("add_sequence", nn::add),
      named<sequence>("shares", nn::softmax),
      named<sequence>("checkpoint_sequence", nn::checkpoint),
      named<sequence>("flatten_sequence", nn::flatten),
      named<three>("linear3", nn::linear<8>),
      named<twelve>("linear12", nn::linear<8>),
      named<twelve>("linear_on", nn::linear<12>),
      named<twelve>("tanh", nn::tanh),
      named<twelve, twelve>("add_twelve", nn::add),
      named<eight>("linear8", nn::linear<8>),
      named<eight>("relu8", nn::relu),
      named<eight>("sigmoid", nn::sigmoid),
      named<eight>("softmax", nn::softmax),
      named<eight>("norm8", nn::layer_norm),
      named<eight>("dropout", nn::dropout<0.5>),
      named<eight, eight>("add", nn::add),
      named<eight>("checkpoint", nn::checkpoint),
      named<eight>("narrow", nn::linear<5>),
      named<five>("wide", nn::linear<8>),
      named<five>("gelu_by_tanh", nn::gelu_by_tanh),
      named<eight>("logits", nn::linear<4>),
      named<five>("logits5", nn::linear<4>),
      named<twelve>("logits12", nn::linear<4>),
      named<four>("again", nn::linear<8>),
      named<four, label>("cross_entropy", nn::cross_entropy),
      named<four, four>("squared", nn::mean_squared_error),
  };
  return all;
}

const word& copy_of(kind k) {
  using enum kind;
  static const std::vector<word> all{named<label>("copy", nn::copy_t{}),    named<image>("copy", nn::copy_t{}),    named<planes>("copy", nn::copy_t{}),
                                     named<pooled>("copy", nn::copy_t{}),   named<sequence>("copy", nn::copy_t{}), named<triple>("copy", nn::copy_t{}), named<three>("copy", nn::copy_t{}),
                                     named<four>("copy", nn::copy_t{}),     named<five>("copy", nn::copy_t{}),     named<eight>("copy", nn::copy_t{}),
                                     named<twelve>("copy", nn::copy_t{}),  named<tokens>("copy", nn::copy_t{})};
  return all[static_cast<std::size_t>(k)];
}

template <class T>
nn::slot_plan slot_for(kind k) {
  static const std::vector<nn::slot_plan> all = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::vector{slot_of<T, static_cast<kind>(I)>()...};
  }(std::make_index_sequence<kind_names.size()>{});
  return all[static_cast<std::size_t>(k)];
}
namespace {

template <class T, class E, kind K>
ends_of<T> ends_as() {
  using type = typename typed<K>::template type<E>;
  using number = std::conditional_t<K == kind::label || K == kind::tokens, std::uint8_t, float>;
  ends_of<T> ends{.load = &train::impl::load_input<number, type, T>};
  if constexpr (K == kind::four || K == kind::loss) ends.store = &train::impl::store_output<type, T>;
  return ends;
}

}  // namespace

ipu::element_type type_on_tiles(kind k, bool halves) {
  static const auto all = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{std::vector{nn::impl::type_on_tiles<typename typed<static_cast<kind>(I)>::template type<float>>...},
                      std::vector{nn::impl::type_on_tiles<typename typed<static_cast<kind>(I)>::template type<half>>...}};
  }(std::make_index_sequence<kind_names.size()>{});
  return all[halves ? 1 : 0][static_cast<std::size_t>(k)];
}

template <class T>
ends_of<T> ends_for(kind k, bool halves) {
  static const auto all = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array{std::vector{ends_as<T, float, static_cast<kind>(I)>()...}, std::vector{ends_as<T, half, static_cast<kind>(I)>()...}};
  }(std::make_index_sequence<kind_names.size()>{});
  return all[halves ? 1 : 0][static_cast<std::size_t>(k)];
}
template ends_of<float> ends_for<float>(kind k, bool halves);
template ends_of<double> ends_for<double>(kind k, bool halves);

template nn::slot_plan slot_for<float>(kind k);
template nn::slot_plan slot_for<double>(kind k);

}  // namespace trust
