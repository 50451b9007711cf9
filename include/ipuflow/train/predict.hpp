// SPDX-License-Identifier: BSL-1.0
// A prediction for one sample, given as it is: `predict(trained, image)`. Values per sample that are not given, such as the
// label that a loss would read, are zero, and the loss is left out of what comes back.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/train/session.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

enum class predict_wrong : unsigned char { nothing, trains, fields };
using predict_fault = fault<predict_wrong>;

constexpr const char* wording(predict_wrong wrong) {
  switch (wrong) {
    case predict_wrong::nothing:
      break;
    case predict_wrong::trains:
      return "ipuflow: predict is given a session that trains, and would train it; make one that uses the model, train::inference(network, "
             "timetable, session.parameters(), options), or a train::predictor";
    case predict_wrong::fields:
      return "ipuflow: predict is given {got} value{s} but a sample of this pipeline has {limit}; give the input, and what else a layer needs of a "
             "sample";
  }
  return "";
}

constexpr message_text sentence(const predict_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

namespace impl {

/// A field as a column of one sample, in the caller's memory.
template <class Field>
auto column_of_one(const Field& field) {
  const std::span<const Field, 1> one{&field, 1};
  if constexpr (feed::contiguous_samples<std::span<const Field, 1>>) {
    return std::get<0>(feed::whole(one).columns());
  } else {
    const std::span all{field};
    using element_type = std::remove_cv_t<typename decltype(all)::element_type>;
    return feed::column_view<std::span<const element_type>>{all.data(), 1, all.size()};
  }
}

/// Zeros in the place of a field that is not given.
template <class Type>
struct zero_field {
  static constexpr Type value{};
};
template <class Element, std::size_t... Extent>
struct zero_field<tensor<Element, Extent...>> {
  static constexpr std::array<Element, shape<Extent...>::elements> value{};
};

template <class P, class... Field>
struct one_sample {
  std::tuple<const Field&...> given;

  [[nodiscard]] std::size_t size() const { return 1; }
  auto columns() const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{column_of_one(field<I>())...};
    }(std::make_index_sequence<std::tuple_size_v<item_of<P>>>{});
  }

 private:
  template <std::size_t I>
  const auto& field() const {
    if constexpr (I < sizeof...(Field)) {
      return std::get<I>(given);
    } else {
      return zero_field<std::tuple_element_t<I, item_of<P>>>::value;
    }
  }
};

/// The number of values of the sample among what `predict` is given; arguments of the run stand behind.
template <class... Given>
constexpr std::size_t fields_among() {
  std::size_t fields = 0;
  bool behind = false;
  ((behind = behind || is_argument<Given>, fields += behind ? 0u : 1u), ...);
  return fields;
}

/// A step of one sample, which is the first `Field` of what is given.
template <class P, class Session, class... Given, std::size_t... Field, std::size_t... Argument>
const auto& step_of_one(Session& trained, const std::tuple<const Given&...>& given, std::index_sequence<Field...>,
                        std::index_sequence<Argument...>) {
  using sample = one_sample<P, std::remove_cvref_t<std::tuple_element_t<Field, std::tuple<const Given&...>>>...>;
  return trained(sample{{std::get<Field>(given)...}}, std::get<sizeof...(Field) + Argument>(given)...);
}

/// The numbers of one result, in a tuple; none of a loss.
template <class Type>
auto prediction_in(const result_column& column) {
  if constexpr (is_loss<Type>) {
    return std::tuple<>{};
  } else {
    std::array<float, nn::computed<Type, float>::view::elements> numbers{};
    algorithms::copy_n(column.values.data(), numbers.size(), numbers.data());
    return std::tuple{numbers};
  }
}

template <class P, class Optimiser, std::size_t Fields>
constexpr predict_fault verify_prediction() {
  if (!std::is_same_v<Optimiser, no_optimiser>) return {predict_wrong::trains};
  constexpr std::size_t most = std::tuple_size_v<item_of<P>>;
  if (Fields == 0 || Fields > most) return {predict_wrong::fields, Fields, most};
  return {};
}

}  // namespace impl

/// The prediction of a session that uses a model for one sample: the numbers of what leaves the pipeline, a std::array; a tuple of
/// them if several values do. Behind the sample stand the arguments of the run, `with<"gain">(2.0f)`, of a pipeline that has any.
template <class P, class T, class Optimiser, class BackEnd, class Precision, class... Given>
[[nodiscard]] auto predict(session<P, T, Optimiser, BackEnd, Precision>& trained, const Given&... given) {
  constexpr std::size_t fields = impl::fields_among<Given...>();
  constexpr predict_fault found = impl::verify_prediction<P, Optimiser, fields>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) {
    const auto& results = impl::step_of_one<P>(trained, std::tuple<const Given&...>{given...}, std::make_index_sequence<fields>{},
                                               std::make_index_sequence<sizeof...(Given) - fields>{});
    using leaving = stage_output<P, P::stage_count - 1>;
    auto numbers = [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple_cat(impl::prediction_in<std::tuple_element_t<I, leaving>>(results[I])...);
    }(std::make_index_sequence<std::tuple_size_v<leaving>>{});
    if constexpr (std::tuple_size_v<decltype(numbers)> == 1) {
      return std::get<0>(numbers);
    } else {
      return numbers;
    }
  }
}

/// Numbers of a prediction are its own, so the session may be made for it alone.
template <class P, class T, class Optimiser, class BackEnd, class Precision, class... Given>
[[nodiscard]] auto predict(session<P, T, Optimiser, BackEnd, Precision>&& trained, const Given&... given) {
  return predict(trained, given...);
}

/// `predictor p{network, session.parameters()}; p(image)`: predictions for one sample after the other, by the model as it is
/// then.
template <class P, class Number = float>
class predictor {
  static auto timetable_of(const P& pipeline) { return schedule::inference(pipeline, micro_batches<1>); }
  using session_type = session<P, decltype(timetable_of(std::declval<const P&>())), impl::no_optimiser, on::threads, precision<Number>>;

 public:
  predictor(const P& pipeline, shared<model<Number>> learned, const options& o = {})
      : session_{pipeline, timetable_of(pipeline), {}, one_at_a_time(o), std::move(learned), precision<Number>{}, on::threads{.count = 1}} {}

  predictor(const P&, const model<Number>&, const options& = {}) = delete;  // ipuflow: a predictor shares its model; give share<train::model<>>(model)

  template <class... Given>
  [[nodiscard]] auto operator()(const Given&... given) {
    return predict(session_, given...);
  }

 private:
  /// Of the options of training, what an input means.
  static options one_at_a_time(const options& o) { return {.inputs = o.inputs, .seed = o.seed}; }

  session_type session_;
};

template <class P, class Shared>
  requires impl::is_shared_model<Shared>
predictor(const P&, const Shared&, const options& = {}) -> predictor<P, typename Shared::element_type::number>;
template <class P, class Number>
predictor(const P&, const model<Number>&, const options& = {}) -> predictor<P, Number>;

/// The place of the largest number: of the predictions of a classifier, the class.
template <std::size_t Count>
[[nodiscard]] constexpr std::size_t largest(const std::array<float, Count>& numbers) {
  return static_cast<std::size_t>(algorithms::max_element(numbers.begin(), numbers.end()) - numbers.begin());
}

}  // namespace ipuflow::train
