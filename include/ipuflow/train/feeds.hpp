// SPDX-License-Identifier: BSL-1.0
// The two ends of a session, made from its types and sizes: `auto [in, out] = train::feeds(session, dataset, options)`.
// `session.run(in, out)` trains while the infeed loads steps ahead and other threads read the outfeed.
#pragma once

#include <ipuflow/feed/device/infeed.hpp>
#include <ipuflow/feed/device/outfeed.hpp>
#include <ipuflow/feed/load.hpp>
#include <ipuflow/run/feeds.hpp>

#include <cstddef>
#include <iterator>
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

/// The steps of several passes of a loader.
template <class Loader>
class epochs_of {
 public:
  epochs_of(Loader&& steps, std::size_t epochs) : steps_{std::move(steps)}, epochs_{epochs} {}

  class iterator {
   public:
    using value_type = typename Loader::value_type;
    using difference_type = std::ptrdiff_t;

    explicit iterator(epochs_of& from) : from_{&from}, left_{from.epochs_}, at_{from.steps_.begin()} { skip(); }
    value_type& operator*() const { return *at_; }
    iterator& operator++() {
      ++at_;
      skip();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) { return i.left_ == 0; }

   private:
    /// On to the next pass at the end of one; a pass of no steps is the last.
    void skip() {
      if (left_ == 0 || at_ != from_->steps_.end()) return;
      if (left_ != all_epochs) --left_;
      if (left_ > 0) at_ = from_->steps_.begin();
      if (at_ == from_->steps_.end()) left_ = 0;
    }

    epochs_of* from_;
    std::size_t left_;
    typename Loader::iterator at_;
  };

  iterator begin() { return iterator{*this}; }
  std::default_sentinel_t end() const { return {}; }

 private:
  Loader steps_;
  std::size_t epochs_;
};

}  // namespace impl

/// An infeed of steps of the session's size, and an outfeed of what leaves it with each micro-batch. The results that come
/// back are those of the session's options. A dataset that has a name has to outlive the infeed.
template <class Session, class Dataset>
[[nodiscard]] auto feeds(const Session& session, Dataset&& data_set, const step_feed_options& o = {}) {
  auto steps = feed::load(std::forward<Dataset>(data_set), session.samples_per_step(), o.loading);
  using loader = decltype(steps);
  using in = feed::infeed<typename loader::value_type>;
  using out = feed::outfeed<typename Session::micro_batch_result>;
  return run::feed_ends<in, out>{in{impl::epochs_of<loader>{std::move(steps), o.epochs}, {.prefetch_depth = o.prefetch_depth}},
                                 out{{.outputs = {.mode = feed::output_mode::all}, .buffer_depth = o.buffer_depth}}};
}

}  // namespace ipuflow::train
