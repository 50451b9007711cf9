// SPDX-License-Identifier: BSL-1.0
// The two ends of a session, made from its types and sizes: `auto [in, out] = train::feeds(session, dataset, options)`.
// `session.run(in, out)` trains while the infeed loads steps ahead and other threads read the outfeed.
#pragma once

#include <ipuflow/feed/adaptors/repeat.hpp>
#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/run/feeds.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ipuflow::train {

/// Options of the ends of a session.
struct step_feed_options {
  std::size_t prefetch_depth = 3;      ///< steps that are loaded ahead
  std::size_t buffer_depth = 3;        ///< results that wait for a reader who reads along
  std::size_t epochs = 1;              ///< passes over the dataset; all_epochs: without end
  feed::loader_options loading{};      ///< how steps are loaded
};

inline constexpr std::size_t all_epochs = static_cast<std::size_t>(-1);

namespace impl {

template <class Dataset>
constexpr run::feeds_fault verify_dataset() {
  if constexpr (feed::loadable<Dataset>) {
    return {};
  } else {
    return {.kind = run::feeds_wrong::data, .where = type_name<Dataset>()};
  }
}

}  // namespace impl

/// An infeed of steps of the session's size, and an outfeed of what leaves it with each micro-batch. The results that come
/// back are those of the session's options. A dataset that has a name has to outlive the infeed.
template <class Session, class Dataset>
[[nodiscard]] auto feeds(const Session& session, Dataset&& data_set, const step_feed_options& o = {}) {
  constexpr run::feeds_fault found = impl::verify_dataset<std::remove_cvref_t<Dataset>>();
  [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
  if constexpr (!found) {
    auto steps = feed::load(std::forward<Dataset>(data_set), session.samples_per_step(), o.loading);
    using in = feed::infeed<typename decltype(steps)::value_type>;
    using out = feed::outfeed<typename Session::micro_batch_result>;
    return run::feed_ends<in, out>{in{std::move(steps) | feed::repeat(o.epochs), {.prefetch_depth = o.prefetch_depth}},
                                   out{{.outputs = {.mode = feed::output_mode::all}, .buffer_depth = o.buffer_depth}}};
  }
}

}  // namespace ipuflow::train
