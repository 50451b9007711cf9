// SPDX-License-Identifier: BSL-1.0
// An exception in a `run::stream`, on its way to the caller, in the words of who wrote the stream: the block and the item.
#pragma once

#include <ipuflow/run/stage_failed.hpp>

#include <cstddef>
#include <exception>
#include <string_view>
#include <utility>

namespace ipuflow::run {

/// Thrown out of `run::stream`. `cause()` is what was thrown.
class item_failed : public error {
 public:
  /// `subject` failed: "block 'parse'", "the source".
  item_failed(std::string_view subject, std::string_view block, std::size_t item, bool at_end, std::exception_ptr cause)
      : error{at_end ? filled("ipuflow: {subject} failed at the end of the stream: {cause}",
                              {{"subject", subject}, {"cause", impl::text_of(cause)}})
                     : filled("ipuflow: {subject} failed, item {item}: {cause}",
                              {{"subject", subject}, {"item", item}, {"cause", impl::text_of(cause)}})},
        block_{block},
        item_{item},
        at_end_{at_end},
        cause_{std::move(cause)} {}

  /// The block's name, "stage 2" if it has none; "source" or "sink".
  [[nodiscard]] std::string_view block() const noexcept { return block_; }
  /// The item of the source, counted from 0, that it was given or that was made of.
  [[nodiscard]] std::size_t item() const noexcept { return item_; }
  /// Behind the last item, when stages give what they hold back; `item()` is the number of items then.
  [[nodiscard]] bool at_end() const noexcept { return at_end_; }
  [[nodiscard]] std::exception_ptr cause() const noexcept { return cause_; }

 private:
  fixed_string<60> block_;
  std::size_t item_;
  bool at_end_;
  std::exception_ptr cause_;
};

}  // namespace ipuflow::run
