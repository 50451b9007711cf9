// SPDX-License-Identifier: BSL-1.0
// A pipeline of callables over processes: each runs the program that `lower` gives for its IPUs, one action after the other, over
// persistent sends and receives. The timetable is verified, and the program to come to its end even if each send waits for its receive.
#pragma once

#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/feed/device/sink_run.hpp>
#include <ipuflow/graph/flow/run_stage.hpp>
#include <ipuflow/mpi/processes.hpp>
#include <ipuflow/mpi/world.hpp>
#include <ipuflow/run/stage_failed.hpp>
#include <ipuflow/run/threads/run_fault.hpp>
#include <ipuflow/run/threads/stream_fault.hpp>
#include <ipuflow/schedule/lowering/channels.hpp>
#include <ipuflow/schedule/lowering/lower.hpp>
#include <ipuflow/schedule/verify.hpp>
#include <ipuflow/train/threads/lanes.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::mpi {

namespace impl {

/// The bytes of the values that enter a stage, behind a first one that says whether there are any.
template <class Values>
struct plain_values;
template <class... Value>
struct plain_values<std::tuple<Value...>> {
  static constexpr bool plain = (std::is_trivially_copyable_v<Value> && ...);
  static constexpr std::size_t bytes = (sizeof(Value) + ... + 1);

  static void write(const std::optional<std::tuple<Value...>>& values, std::byte* to) {
    *to = static_cast<std::byte>(values.has_value());
    if (values) std::apply([&](const Value&... v) { ((++to, std::memcpy(to, &v, sizeof v), to += sizeof v - 1), ...); }, *values);
  }
  static std::optional<std::tuple<Value...>> read(const std::byte* from) {
    if (*from == std::byte{0}) return {};
    std::optional<std::tuple<Value...>> values{std::in_place};
    std::apply([&](Value&... v) { ((++from, std::memcpy(&v, from, sizeof v), from += sizeof v - 1), ...); }, *values);
    return values;
  }
};

template <class P, std::size_t... S>
constexpr mpi_fault verify_plain(std::index_sequence<S...>) {
  mpi_fault found;
  ((found.kind == mpi_wrong::nothing && !plain_values<stage_input<P, S + 1>>::plain
        ? void(found = {mpi_wrong::not_plain, 0, 0, {{}, fixed_string<300>{type_name<stage_input<P, S + 1>>().view()}}})
        : void()),
   ...);
  for (std::size_t s = 0; s < P::stage_count; ++s) {
    if (!found && P::placement.branches(s) > 1) found = {mpi_wrong::branches, s};
  }
  return found;
}

/// Throws in all processes if they run other stages or another timetable: messages would be lost, or waited for.
template <class P, class Where>
void agree_on_run(session_processes& all, const Where& where, const schedule::action_rows& rows) {
  std::uint64_t stages = 0, order = 0;
  const auto mix = [](std::uint64_t& hash, std::uint64_t number) { hash = mixed_bits(hash ^ number); };
  [&]<std::size_t... S>(std::index_sequence<S...>) { (mix(stages, plain_values<stage_input<P, S>>::bytes), ...); }(std::make_index_sequence<P::stage_count>{});
  for (const auto name : P::names()) {
    for (const char c : name) mix(stages, static_cast<unsigned char>(c));
  }
  for (std::size_t ipu = 0; ipu < rows.size(); ++ipu) {
    for (const schedule::action& a : rows[ipu]) {
      for (const std::size_t number : {ipu, a.stage, a.micro_batch, static_cast<std::size_t>(a.kind)}) mix(order, number);
    }
  }
  const std::string values[] = {std::to_string(P::stage_count), std::to_string(stages), std::to_string(where.ipus), std::to_string(where.micro_batches),
                                std::to_string(order)};
  const train::agreed_fact facts[] = {{"the number of stages", values[0]},
                                      {"the pipeline (its blocks and values, as a number)", values[1]},
                                      {"the number of IPUs", values[2]},
                                      {"the number of micro-batches", values[3]},
                                      {"the timetable (as a number)", values[4]}};
  all.agree(facts);
}

template <class P, class Source, class Sink>
class process_run {
 public:
  template <class Where>
  process_run(world& all, const P& pipeline, const Where& where, schedule::action_rows rows, Source& source, Sink& sink)
      : others_{all, results::local}, pipeline_{pipeline}, source_{source}, sink_{sink}, rows_{std::move(rows)} {
    agree_on_run<P>(others_, where, rows_);
    const auto process_of = [&](std::size_t stage) {
      return train::process_of_lane(where.ipu_of(where.first_seat(stage), 0), where.ipus, all.processes());
    };
    for_stages([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
      here_[S] = process_of(S) == all.process();
      if constexpr (S > 0) {
        constexpr std::size_t bytes = plain_values<stage_input<P, S>>::bytes;
        const std::size_t before = process_of(S - 1);
        if (here_[S] && !here_[S - 1]) in_[S] = others_.receiver(before, S, bytes, 1);
        if (!here_[S] && here_[S - 1]) out_[S] = others_.sender(process_of(S), S, bytes, 1);
      }
    });
    for (std::size_t ipu = 0; ipu < rows_.size(); ++ipu) {
      if (!rows_[ipu].empty() && here_[rows_[ipu][0].stage]) mine_.push_back({ipu, 0});
    }
  }

  /// Runs the rows of this process in turn, each as far as it can go.
  void run() {
    for (bool left = !mine_.empty(); left;) {
      bool moved = left = false;
      for (place& p : mine_) {
        while (p.at < rows_[p.ipu].size() && perform(rows_[p.ipu][p.at])) ++p.at, moved = true;
        left = left || p.at < rows_[p.ipu].size();
      }
      if (left) others_.waiting(moved);
    }
  }
  /// The source has ended, as far as the stages of this process know.
  [[nodiscard]] bool source_ended() const { return ended_; }

 private:
  struct place {
    std::size_t ipu = 0;
    std::size_t at = 0;
  };

  template <class Visit>
  static void for_stages(const Visit& visit) {
    [&]<std::size_t... S>(std::index_sequence<S...>) { (visit(std::integral_constant<std::size_t, S>{}), ...); }(std::make_index_sequence<P::stage_count>{});
  }

  /// Does an action; false if it has to wait.
  bool perform(const schedule::action& a) {
    bool done = true;
    for_stages([&]<std::size_t S>(std::integral_constant<std::size_t, S>) {
      if (a.stage != S) return;
      if (a.kind == schedule::act::forward) {
        try {
          done = forward<S>();
        } catch (...) {
          throw run::stage_failed{{schedule::pass::forward, S, a.micro_batch}, std::current_exception()};
        }
      }
      if constexpr (S > 0) {
        if (a.kind == schedule::act::receive_forward) done = receive<S>();
      }
      if constexpr (S + 1 < P::stage_count) {
        if (a.kind == schedule::act::send_forward) done = send<S + 1>();
      }
    });
    return done;
  }

  template <std::size_t S>
  bool forward() {
    std::optional<stage_input<P, S>> in;
    if constexpr (S == 0) {
      if (!ended_) {
        if (auto&& next = source_()) in.emplace(*std::forward<decltype(next)>(next));
      }
    } else {
      auto& waiting = std::get<S>(values_);
      if (waiting.empty()) return false;
      in = std::move(waiting.front());
      waiting.pop_front();
    }
    ended_ = ended_ || !in;
    const auto made = [&] {
      return std::apply([&](auto&... x) { return ipuflow::call_stage<S>(pipeline_, std::move(x)...); }, *in);
    };
    if constexpr (S + 1 < P::stage_count) {
      auto& next = std::get<S + 1>(values_);
      next.emplace_back();
      if (in) next.back().emplace(made());
    } else if (in) {
      std::apply([&](auto&&... x) { sink_(std::move(x)...); }, made());
    }
    return true;
  }
  template <std::size_t S>
  bool receive() {
    if (!in_[S]) return true;  // it is here
    const std::byte* const came = in_[S]->message(0);
    if (came == nullptr) return false;
    std::get<S>(values_).push_back(plain_values<stage_input<P, S>>::read(came));
    in_[S]->release();
    return true;
  }
  template <std::size_t S>
  bool send() {
    if (!out_[S]) return true;
    std::byte* const room = out_[S]->room();
    if (room == nullptr) return false;
    auto& made = std::get<S>(values_);
    plain_values<stage_input<P, S>>::write(made.front(), room);
    made.pop_front();
    out_[S]->send();
    return true;
  }

  template <class Index>
  struct queues;
  template <std::size_t... S>
  struct queues<std::index_sequence<S...>> {
    using type = std::tuple<std::deque<std::optional<stage_input<P, S>>>...>;
  };

  session_processes others_;
  const P& pipeline_;
  Source& source_;
  Sink& sink_;
  schedule::action_rows rows_;
  std::vector<place> mine_;
  std::array<bool, P::stage_count> here_{};
  std::array<owner<train::message_sender>, P::stage_count> out_;  // to each stage
  std::array<owner<train::message_receiver>, P::stage_count> in_;
  typename queues<std::make_index_sequence<P::stage_count>>::type values_;  // that wait for each stage, or to be sent to it
  bool ended_ = false;
};

}  // namespace impl

/// Runs `pipeline` in all processes of a world, each with its IPUs. `source()` gives an optional of what enters it, in the process of the first stage;
/// `sink(...)` is called with what leaves it, in order, in that of the last one. To be called by all. A timetable that does not fit the pipeline,
/// or is another one in another process, is thrown before anything starts.
template <class P, class T, class Source, class Sink>
void over_processes(world& all, const P& pipeline, const T& timetable, Source&& source, Sink&& sink) {
  constexpr run::stream_fault wrong = run::verify_stream<P, T, std::remove_reference_t<Source>, std::remove_reference_t<Sink>>();
  [[maybe_unused]] auto taken = true ? problem_of<wrong>() : nothing_wrong{};
  if constexpr (!wrong) {
    constexpr mpi_fault found = impl::verify_plain<P>(std::make_index_sequence<P::stage_count - 1>{});
    [[maybe_unused]] auto none = true ? problem_of<found>() : nothing_wrong{};
    if constexpr (!found) {
      throw_if(run::verify(pipeline, timetable));
      throw_if(schedule::verify(timetable));
      throw_if(schedule::verify_channels(timetable, 0, schedule::receives::early));
      constexpr schedule::lower_options bare{.gathered = 0, .reduce_gradients = false};
      feed::source_run<std::remove_reference_t<Source>> items{source};
      feed::sink_run<std::remove_reference_t<Sink>> results{sink};
      impl::process_run<P, std::remove_reference_t<Source>, std::remove_reference_t<Sink>> here{
          all, pipeline, timetable.where, lower(timetable, bare), source, sink};
      here.run();
      items.finish();
      results.finish(here.source_ended());
    }
  }
}
template <class... Given>
void over_processes(const Given&...) {  // the one above takes what it can better
  constexpr mpi_fault other{sizeof...(Given) + 1 > 0 ? mpi_wrong::no_run : mpi_wrong::nothing};
  [[maybe_unused]] auto none = true ? problem_of<other>() : nothing_wrong{};
}

}  // namespace ipuflow::mpi
