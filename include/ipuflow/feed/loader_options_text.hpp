// SPDX-License-Identifier: BSL-1.0
// The options of a loader as text: all of them, also those that nothing was said of.
#pragma once

#include <ipuflow/core/field_text.hpp>
#include <ipuflow/feed/loader_options.hpp>

#include <string>

namespace ipuflow::feed {

template <class = void>
[[nodiscard]] std::string text_of(const async_options& o) {
  const auto& [buffer_size, miss_sleep, load_indefinitely, early_preload] = o;
  return field_text{""}
      .add("buffer_size", buffer_size)
      .add("miss_sleep", "std::chrono::microseconds{" + std::to_string(miss_sleep.count()) + "}")
      .add("load_indefinitely", load_indefinitely)
      .add("early_preload", early_preload)
      .text();
}

template <class = void>
[[nodiscard]] std::string text_of(const loader_options& o) {
  const auto& [mode, workers, last, shuffle, worker_batch, persistent_workers, process, processes, async] = o;
  return field_text{"feed::loader_options"}
      .add("mode", mode)
      .add("workers", workers)
      .add("last", last)
      .add("shuffle", shuffle)
      .add("worker_batch", worker_batch)
      .add("persistent_workers", persistent_workers)
      .add("process", process)
      .add("processes", processes)
      .add("async", text_of(async))
      .text();
}

}  // namespace ipuflow::feed
