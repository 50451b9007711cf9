// SPDX-License-Identifier: BSL-1.0
// A source of what enters a pipeline with arguments: the user's source gives the items, and each is joined by the arguments
// of the run, which are given once.
#pragma once

#include <ipuflow/graph/arguments.hpp>
#include <ipuflow/run/threads/intake.hpp>
#include <ipuflow/run/threads/stream_fault.hpp>

#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::run::impl {

/// True of what is no pipeline, too: that is refused elsewhere.
template <class P, class... Argument>
constexpr bool no_arguments() {
  if constexpr (runnable_pipeline<P>) {
    return !takes_arguments<P> && sizeof...(Argument) == 0;
  } else {
    return true;
  }
}
template <class P, class... Argument>
inline constexpr bool takes_no_arguments = no_arguments<P, Argument...>();

template <class P, class Source, class... Argument>
class source_with_arguments {
  static_assert(accept<verify_source<P, Source, item_of<P>>()>());

 public:
  explicit source_with_arguments(Source& source, const Argument&... given) : source_{source}, given_{given...} {}

  void abandon() {
    if constexpr (requires { source_.abandon(); }) source_.abandon();
  }

  std::optional<stage_input<P, 0>> operator()() {
    std::optional<stage_input<P, 0>> whole;
    if (auto&& item = source_()) {
      const auto with = [&](const Argument&... given) {
        return ipuflow::entered<P>(impl::as_values<item_of<P>>(*std::forward<decltype(item)>(item)), given...);
      };
      whole.emplace(std::apply(with, given_));
    }
    return whole;
  }

 private:
  Source& source_;
  std::tuple<const Argument&...> given_;
};

}  // namespace ipuflow::run::impl
