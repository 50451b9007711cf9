// SPDX-License-Identifier: BSL-1.0
// A search from several seeds on several threads. What is found depends on the seeds alone and not on the threads or their pace: of all that
// were run it is the best, and of equally good ones the first.
#pragma once

#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <atomic>
#include <cstddef>
#include <exception>

namespace ipuflow::schedule {

/// Options of a search from several seeds.
struct restart_options {
  search_options each{};     ///< of each search; its seed is that of the first, and the others follow it
  std::size_t searches = 4;  ///< seeds that are tried; the same find the same
  std::size_t threads = 0;   ///< 0: one a core; more than searches are of no use
};

namespace impl {

/// Runs `search(i, ends)` for each of `count` on threads, those behind one that says true left out; the least that said so, or `count`. `ends()`: whether
/// what that search finds is of no use any more. Where one throws, that is all of them.
template <class Search>
std::size_t run_searches(std::size_t count, std::size_t threads, Search search) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> last{count};
  std::atomic<bool> failed{false};
  dynamic_array<std::exception_ptr> thrown(count);
  const auto work = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      const auto ends = [&] { return failed.load() || last.load() < i; };
      if (ends()) return;
      try {
        if (!search(i, ends)) continue;
      } catch (...) {
        thrown[i] = std::current_exception();
        failed.store(true);
        return;
      }
      std::size_t least = last.load();
      while (i < least && !last.compare_exchange_weak(least, i)) {
      }
    }
  };
  {
    light_vector<posix::thread> others;
    for (std::size_t i = 1; i < threads && i < count; ++i) others.emplace_back(work);
    work();
  }
  for (const std::exception_ptr& e : thrown) {
    if (e) std::rethrow_exception(e);
  }
  return last.load();
}

}  // namespace impl

/// Searches from several seeds. A schedule that is proved ends those behind it. `stop()` is asked by all threads at once.
template <whereabouts Where, pricing Costs, class Stop = impl::never_stops>
[[nodiscard]] searched search_with_restarts(const Where& where, const Costs& costs, const search_memory& memory,
                                            const restart_options& options = {}, Stop stop = {}) {
  const std::size_t count = options.searches == 0 ? 1 : options.searches;
  const std::size_t cores = posix::cores();
  dynamic_array<searched> found(count);
  dynamic_array<bool> late(count);  // after the time was over: not begun, since its bound alone may take as long
  const std::size_t last = impl::run_searches(count, options.threads != 0 ? options.threads : cores, [&](std::size_t i, const auto& ends) {
    late[i] = i > 0 && stop();
    if (late[i]) return true;
    search_options own = options.each;
    own.seed += i;
    found[i] = search(where, costs, memory, own, [&] { return ends() || stop(); });
    return found[i].proved() || found[i].refused;
  });
  std::size_t best = 0;
  std::size_t bound = 0;
  bool stopped = false;
  for (std::size_t i = 0; i < count && i <= last; ++i) {
    stopped = stopped || late[i];
    if (late[i]) continue;
    if (found[i].found() < found[best].found()) best = i;
    if (found[i].lower_bound > found[bound].lower_bound) bound = i;
  }
  found[best].lower_bound = found[bound].lower_bound;
  found[best].limit = found[bound].limit;
  found[best].stopped = found[best].stopped || (stopped && !found[best].proved());
  return found[best];
}

/// The threads of a search, and the seeds that it tries: what is found depends on the seeds alone.
struct cores {
  std::size_t threads = 0;   ///< 0: one a core
  std::size_t searches = 4;  ///< from several seeds, each for all its iterations, from the seed of the options on
};

/// A `stop` with which `search` uses several threads: `search(where, costs, memory, options, on_cores{{.threads = 2}, stop_after{1}})`.
template <class Stop = impl::never_stops>
class on_cores {
 public:
  explicit on_cores(cores how = {}, Stop stop = {}) : how_{how}, stop_{stop} {}

  template <whereabouts Where, pricing Costs>
  [[nodiscard]] searched spread(const Where& where, const Costs& costs, const search_memory& memory, const search_options& options) const {
    return search_with_restarts(where, costs, memory, {.each = options, .searches = how_.searches, .threads = how_.threads}, stop_);
  }

 private:
  cores how_;
  Stop stop_;
};

}  // namespace ipuflow::schedule
