// SPDX-License-Identifier: BSL-1.0
// The seam between a pipeline of layers and what runs it: numbers of stages and branches, where parameters lie, and for
// each branch its table of kernels. Sessions, workers and hosts take these and are compiled once for all pipelines.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/nn/stage/stage_program.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/train/threads/seats.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::train::impl {

/// A value that leaves the pipeline.
struct output_code {
  std::size_t elements = 1;  ///< numbers a sample
  std::size_t classes = 1;   ///< numbers of a prediction: of each position of a sequence, of a sample otherwise
  bool loss = false;
  /// Brings the lanes of `count` samples into a row of results, or adds them to what is there.
  void (*store)(const std::byte* values, std::size_t count, bool sum, light_span<float> row,
                light_vector<float>& room) = nullptr;
  std::int64_t ignored = nn::no_label;  ///< the label whose predictions are left out
};

/// A pipeline of layers outside of its types. `T`: what layers compute with.
template <class T>
struct network_code {
  seat_table seats{};
  light_span<const nn::stage_code<T>> code{};  ///< of each seat
  light_span<const output_code> outputs{};
};

template <class Type, class T>
inline constexpr std::size_t classes_of = decltype(nn::rows_of(std::declval<typename nn::computed<Type, T>::view>()))::elements;

/// The values that leave a pipeline, without a way to store them.
template <class P, class T>
inline constexpr auto outputs_of = []<class... Type>(std::tuple<Type...>*) {
  constexpr const auto& last = nn::planned<P, P::stage_count - 1, T>;
  std::size_t position = 0;
  return std::array<output_code, sizeof...(Type)>{output_code{nn::computed<Type, T>::view::elements, classes_of<Type, T>,
                                                              is_loss<Type>, nullptr, nn::label_ignored(last, position++)}...};
}(static_cast<stage_output<P, P::stage_count - 1>*>(nullptr));

template <class Type, class T>
void store_output(const std::byte* values, std::size_t count, bool sum, light_span<float> row,
                  light_vector<float>& room) {
  using view = typename nn::computed<Type, T>::view;
  using lanes = const typename view::lane_type;
  const typename view::reading read{reinterpret_cast<lanes*>(values), nn::groups_for(count), count};
  store_samples<is_loss<Type>>(read, count, sum, row, room);
}

template <class P, class T, bool Trains>
struct network_tables {
  static constexpr auto code = []<std::size_t... Seat>(std::index_sequence<Seat...>) {
    return std::array<nn::stage_code<T>, sizeof...(Seat)>{
        nn::code_of<P, seats_of<P>.stage[Seat], T, branch_of<P, Seat>, Trains>...};
  }(std::make_index_sequence<seats_of<P>.count()>{});

  static constexpr auto outputs = []<class... Type>(std::tuple<Type...>*) {
    std::array<output_code, sizeof...(Type)> all = outputs_of<P, T>;
    std::size_t i = 0;
    ((all[i++].store = &store_output<Type, T>), ...);
    return all;
  }(static_cast<stage_output<P, P::stage_count - 1>*>(nullptr));
};

/// `Trains`: whether backward passes are wanted.
template <class P, class T, bool Trains = true>
inline constexpr network_code<T> network_of{seat_table_of<P>, network_tables<P, T, Trains>::code,
                                            network_tables<P, T, Trains>::outputs};

/// One of the columns of a step's batch, outside of its type.
struct column_code {
  const void* data = nullptr;
  std::size_t width = 0;  ///< numbers a sample, as the batch has them
  /// Brings `count` samples from number `first` on into lanes that have room for `room` of them, zeros behind.
  void (*load)(const void* data, std::size_t first, std::size_t count, std::byte* lanes, std::size_t room,
               scaling how) = nullptr;
  std::size_t sample_bytes = 0;  ///< none where all samples have the same
};

template <class From, class Type, class T>
void load_input(const void* data, std::size_t first, std::size_t count, std::byte* lanes, std::size_t room, scaling how) {
  using computed = nn::computed<Type, T>;
  using view = typename computed::view;
  const From* const samples = static_cast<const From*>(data) + first * view::elements;
  throw_if(verify_numbers<typename computed::element>(samples, count, view::elements));
  load_samples<computed::rounds>(samples, count, view{reinterpret_cast<typename view::lane_type*>(lanes), nn::groups_for(room), room}, how);
}

/// An argument of a run is the same for every sample; lanes behind the last of `count` are zero.
template <class Argument, class Type, class T>
void load_argument(const void* data, std::size_t, std::size_t count, std::byte* lanes, std::size_t room, scaling) {
  using computed = nn::computed<Type, T>;
  using view = typename computed::view;
  const view to{reinterpret_cast<typename view::lane_type*>(lanes), nn::groups_for(room), room};
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = typename view::lane_type{};
  for (std::size_t e = 0; e < view::elements; ++e) {
    auto number = static_cast<typename computed::element>(argument_number(*static_cast<const Argument*>(data), e));
    if constexpr (computed::rounds) number = static_cast<typename computed::element>(static_cast<half>(number));
    for (std::size_t sample = 0; sample < count; ++sample) {
      const nn::lane_place at = view::place_of(sample, e);
      to[at.vector].set(at.lane, number);
    }
  }
}

/// The columns of a batch as what enters the pipeline, and between them the arguments of the run; all have to last as long
/// as the step.
template <class P, class T, class Columns, class... Argument>
auto columns_of(const Columns& columns, [[maybe_unused]] const Argument&... given) {
  using entering = entering_of<P>;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto code_of = [&]<std::size_t J>(std::integral_constant<std::size_t, J>) {
      using type = std::tuple_element_t<J, typename entering::types>;
      if constexpr (entering::given[J]) {
        const auto& value = entering::template argument_for<J>(given...);
        return column_code{&value, nn::computed<type, T>::view::elements,
                           &load_argument<std::remove_cvref_t<decltype(value)>, type, T>};
      } else {
        const auto& column = std::get<entering::items_before(J)>(columns);
        using number = std::remove_cvref_t<decltype(*column.data())>;
        return column_code{column.data(), column.width(), &load_input<number, type, T>, column.width() * sizeof(number)};
      }
    };
    return std::array<column_code, sizeof...(I)>{code_of(std::integral_constant<std::size_t, I>{})...};
  }(std::make_index_sequence<entering::size>{});
}

}  // namespace ipuflow::train::impl

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has these: labels, and the loss
namespace ipuflow::train::impl {
extern template void load_input<std::uint8_t, std::uint8_t, float>(const void*, std::size_t, std::size_t, std::byte*, std::size_t, scaling);
extern template void load_input<std::int32_t, std::int32_t, float>(const void*, std::size_t, std::size_t, std::byte*, std::size_t, scaling);
extern template void load_input<std::int64_t, std::int64_t, float>(const void*, std::size_t, std::size_t, std::byte*, std::size_t, scaling);
extern template void store_output<tensor<float>, float>(const std::byte*, std::size_t, bool, light_span<float>, light_vector<float>&);
}
#endif
