// SPDX-License-Identifier: BSL-1.0
// Options of a loader and their faults. The defaults are those of the tutorial's loader.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/feed/batching.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace ipuflow::feed {

/// The time at which steps are prepared, and by whom.
enum class loading : unsigned char {
  sync,            // nothing is done between two passes; within one, workers prepare two steps each ahead
  async,           // steps are prepared ahead, by one worker at least
  async_rebatched  // the same, and a step is put together from what several workers and shares have
};

/// Options of loading ahead of the reader.
struct async_options {
  std::size_t buffer_size = 3;                ///< steps that are ready or being made, not counting those in your hands
  std::chrono::microseconds miss_sleep{100};  ///< how long an idle worker naps before it blocks, up to a second; 0: it blocks at once
  bool load_indefinitely = true;              ///< the next epoch is prepared while this one ends
  bool early_preload = false;                 ///< fills the whole buffer when the loader is made, not just one step
};

/// A place in the data, in plain numbers that a file can keep.
struct loader_place {
  std::size_t pass = 0;     ///< over the dataset, counted from 0
  std::size_t samples = 0;  ///< of this pass that all processes have taken

  friend constexpr bool operator==(const loader_place&, const loader_place&) = default;
};

/// Options of a loader.
struct loader_options {
  loading mode = loading::sync;            ///< in the reader's own call, or ahead of it on threads
  std::size_t workers = 0;                 ///< threads; 0: the caller's own, or one if the mode is asynchronous
  tail last = tail::dropped;               ///< samples that do not fill a step
  std::optional<std::uint64_t> shuffle{};  ///< the seed; every epoch has an order of its own
  std::size_t worker_batch = 0;            ///< samples that a worker takes at a time; 0: a whole step
  bool persistent_workers = true;          ///< false: threads end with every epoch
  std::size_t process = 0;                 ///< of several that share the dataset, this one
  std::size_t processes = 1;               ///< that share the dataset; each reads its part
  async_options async{};                   ///< of loading ahead
};

enum class loader_wrong : unsigned char {
  nothing,
  no_step,
  no_buffer,
  buffer_too_large,
  too_many_workers,
  worker_batch_too_large,
  no_process,
  nothing_left,
  step_not_batches,
  range_shuffled,
  range_divided,
  sampler_shuffled,
  sampler_divided,
  index_too_large,
  no_shares,
  loaded_twice,
  file_name,
  step_left_out,
  no_number,
  size_unknown,
  no_place,
  nap_below_zero,
  nap_too_long
};
using loader_fault = fault<loader_wrong>;

constexpr const char* wording(loader_wrong wrong) {
  switch (wrong) {
    case loader_wrong::nothing:
      break;
    case loader_wrong::no_step:
      return "ipuflow: a loader cannot load {got} sample{s} a step; ask for at least {limit}";
    case loader_wrong::no_buffer:
      return "ipuflow: an asynchronous loader with a buffer of {got} step{s} loads nothing; give buffer_size at least {limit}";
    case loader_wrong::buffer_too_large:
      return "ipuflow: a loader is to have {got} step{s} ahead; give buffer_size at most {limit}";
    case loader_wrong::too_many_workers:
      return "ipuflow: a loader is to have {got} worker{s}; give at most {limit}";
    case loader_wrong::worker_batch_too_large:
      return "ipuflow: a worker is to take {got} sample{s} at a time but a step has only {limit}; give a smaller worker_batch";
    case loader_wrong::no_process:
      return "ipuflow: this is to be process {got} of {limit}; processes count from 0 to one less";
    case loader_wrong::nothing_left:
      return "ipuflow: process {got} has none of {limit} sample{s}, as there are more processes than that; load them in fewer processes";
    case loader_wrong::step_not_batches:
      return "ipuflow: a step of {got} sample{s} is not a whole number of batches of {limit}; load a multiple of the batch size";
    case loader_wrong::range_shuffled:
      return "ipuflow: a loader cannot shuffle a range; shuffle it in a window before it is loaded";
    case loader_wrong::range_divided:
      return "ipuflow: a range cannot be divided among {got} process{es}; give each its own, or a dataset made by shares()";
    case loader_wrong::sampler_shuffled:
      return "ipuflow: a sampler decides the order, so the loader cannot shuffle; shuffle in the sampler";
    case loader_wrong::sampler_divided:
      return "ipuflow: a sampler decides who loads what, so the loader cannot divide the dataset among {got} process{es}; give each process a sampler "
             "of its own";
    case loader_wrong::index_too_large:
      return "ipuflow: a sampler asks for sample {got} of a dataset of {limit}; indices count from 0 to one less";
    case loader_wrong::no_shares:
      return "ipuflow: a dataset in {got} share{s} holds nothing; give it at least {limit}";
    case loader_wrong::loaded_twice:
      return "ipuflow: a loader cannot load a loader; give it the dataset";
    case loader_wrong::file_name:
      return "ipuflow: a loader is given the name of a file, whose letters are no samples; read it first, as feed::csv and its neighbours do";
    case loader_wrong::step_left_out:
      return "ipuflow: a loader is not told the samples of a step; give load(dataset, samples, options)";
    case loader_wrong::no_number:
      return "ipuflow: what a loader is told behind its dataset is no number of samples; give load(dataset, samples, options), or "
             "load(dataset, sampler, batches, options)";
    case loader_wrong::size_unknown:
      return "ipuflow: how many steps this loader has is known only when they have been loaded; count them, or give shares() the number of samples";
    case loader_wrong::no_place:
      return "ipuflow: a loader of a range or a sampler cannot begin in the middle; load a dataset with a size and an index";
    case loader_wrong::nap_below_zero:
      return "ipuflow: the nap of an idle worker is {got} microsecond{s} less than none; give async.miss_sleep from 0 to {limit}";
    case loader_wrong::nap_too_long:
      return "ipuflow: an idle worker is to nap for {got} microseconds, whatever comes; give async.miss_sleep from 0 to {limit}";
  }
  return "";
}

constexpr message_text sentence(const loader_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

/// More steps ahead or threads than these, or longer naps, are a mistake, not a wish.
inline constexpr std::size_t most_steps_ahead = 1 << 20;
inline constexpr std::size_t most_workers = 1 << 12;
inline constexpr std::chrono::microseconds longest_nap{1000000};

/// The first fault of loading steps of this size in this way.
[[nodiscard]] constexpr loader_fault verify(const loader_options& o, std::size_t step) {
  using enum loader_wrong;
  if (step == 0) return {no_step, 0, 1};
  if (o.mode != loading::sync && o.async.buffer_size == 0) return {no_buffer, 0, 1};
  if (o.async.buffer_size > most_steps_ahead) return {buffer_too_large, o.async.buffer_size, most_steps_ahead};
  if (const auto nap = o.async.miss_sleep.count(); nap < 0 || nap > longest_nap.count()) {
    const auto length = static_cast<std::size_t>(nap);
    return {nap < 0 ? nap_below_zero : nap_too_long, nap < 0 ? 0 - length : length, static_cast<std::size_t>(longest_nap.count())};
  }
  if (o.workers > most_workers) return {too_many_workers, o.workers, most_workers};
  if (o.worker_batch > step) return {worker_batch_too_large, o.worker_batch, step};
  if (o.process >= o.processes) return {no_process, o.process, o.processes};
  return {};
}

}  // namespace ipuflow::feed

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<feed::loader_fault>;
}
#endif
