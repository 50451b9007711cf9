// SPDX-License-Identifier: BSL-1.0
// A session's part in a training that several processes share. The lanes of all replicas are dealt out to them, neighbours together:
// some replicas each, some IPUs of one, or both. All have the whole model; what they learn they add up, and it is the same bit for bit.
#pragma once

#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/train/threads/courier.hpp>
#include <ipuflow/train/threads/process_sums.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ipuflow::train::impl {

/// The lanes of a process.
constexpr lane_range lanes_of(std::size_t lanes, std::size_t process, std::size_t processes) {
  return {lanes * process / processes, lanes * (process + 1) / processes};
}
/// Those of this one: all, if there are no others.
template <class = void>
lane_range lanes_here(const other_processes* others, std::size_t lanes) {
  return others == nullptr ? lane_range{0, lanes} : lanes_of(lanes, others->process(), others->processes());
}

/// The lanes of this process dealt out to its threads: by their work if they are whole replicas, else neighbours together.
template <class = void>
[[gnu::cold]] run::dealt deal_lanes_here(const schedule::any_timetable& t, std::size_t threads, lane_range here, std::span<const std::size_t> work) {
  const std::size_t ipus = t.where.ipus, count = here.end - here.first;
  if (here.first % ipus != 0 || here.end % ipus != 0) {
    run::dealt lanes(threads);
    for (std::size_t i = 0; i < count; ++i) lanes[i * threads / count].push_back(here.first + i);
    return lanes;
  }
  run::dealt lanes = run::deal_lanes(t, threads, count / ipus, work);
  for (auto& mine : lanes) {
    for (std::size_t& lane : mine) lane += here.first;
  }
  return lanes;
}

/// Facts of a session as text that processes can compare.
template <class = void>
[[nodiscard, gnu::cold]] std::vector<std::string> agreed_numbers(const schedule::any_timetable& t, const options& o, const std::vector<piece>& tensors) {
  std::size_t order = 0, network = 0;
  const auto mix = [](std::size_t& hash, std::size_t number) { hash = (hash ^ number) * 1099511628211u; };
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    for (auto w = t.walk(ipu); w; ++w) {
      for (const std::size_t number : {ipu, w->step, w->stage, w->micro_batch, static_cast<std::size_t>(w->kind)}) mix(order, number);
    }
  }
  for (const piece& p : tensors) {
    for (const std::size_t number : {p.stage, p.begin, p.count, p.group}) mix(network, number);
  }
  const auto text = [](auto number) { return std::to_string(number); };
  return {text(network), text(order), text(o.micro_batch), text(o.device_iterations), text(o.replicas), text(static_cast<int>(o.gradients)),
          text(static_cast<int>(o.outputs)), text(o.output_period), text(o.inputs.scale), text(o.inputs.shift), text(o.scale.factor),
          text(o.scale.automatic), text(static_cast<int>(o.parameters)), text(o.max_grad_norm), text(shards_state(o)), text(o.shard_at_least),
          text(o.seed)};
}
inline constexpr std::string_view agreed_names[] = {
    "the network (its tensors, as a number)", "the timetable (as a number)", "micro_batch", "device_iterations", "replicas", "gradients",
    "outputs", "output_period", "inputs.scale", "inputs.shift", "scale.factor", "scale.automatic", "parameters", "max_grad_norm",
    "shard_optimiser", "shard_at_least", "seed"};

template <class T>
class distribution {
 public:
  /// The processes and the shape have to last as long. `update`: an updater; `rule`: the name of its optimiser.
  template <class Updater>
  [[gnu::cold]] distribution(other_processes& others, const network_code<T>& code, const schedule::any_timetable& t, const options& o, const work_shape& shape,
                             const std::vector<piece>& tensors, std::string_view rule, const pipeline_work<T>& work, const Updater& update)
      : others_{others}, code_{code}, shape_{shape}, sharded_{shards_state(o)}, whole_{!sharded_ || o.max_grad_norm <= greatest}, courier_{others},
        sums_(code.seats.all_values()) {
    if (const std::size_t lanes = o.replicas * t.where.ipus; others.processes() > lanes)
      throw_if(session_fault{session_wrong::more_processes, others.processes(), lanes});
    const std::vector<std::string> numbers = agreed_numbers(t, o, tensors);
    std::vector<agreed_fact> facts{{"the optimiser", rule}};
    for (std::size_t i = 0; i < numbers.size(); ++i) facts.push_back({agreed_names[i], numbers[i]});
    others.agree(facts);
    connect(work);
    if (shape_.training) deal_sums(update);
  }

  /// The process that has a seat of a copy.
  [[nodiscard]] std::size_t process_of(std::size_t copy, std::size_t seat) const { return process_of_lane(shape_.lane_of(copy, seat)); }
  /// Whether the optimiser's state of a piece is here, and whether its gradients are.
  [[nodiscard]] bool keeps(const piece& p) const { return !sharded_ || p.replica == each_replica || keeper_of(p) == others_.process(); }
  [[nodiscard]] bool reads(const piece& p) const { return whole_ || keeps(p); }

  /// Runs the timetable once, and carries what crosses to other processes meanwhile; true if it was stopped.
  bool execute(const schedule::any_timetable& t, pipeline_work<T>& work, run::crew& threads, const run::execution& how) {
    struct {
      pipeline_work<T>& work;
      courier& mail;
      run::progress perform(std::size_t lane, const schedule::op& o, std::size_t count) {
        mail.carry();
        return work.perform(lane, o, count);
      }
    } carried{work, courier_};
    const bool stopped = run::execute(t, carried, threads, how).stopped;
    if (!stopped) courier_.finish();
    return stopped;
  }
  /// True if what a process does does not depend on others until the end of a run.
  [[nodiscard]] bool runs_alone() const { return courier_.idle(); }

  template <class EachThread>
  void add_up(const pipeline_work<T>& work, const EachThread& each_thread) {
    (*adder_)(work, others_, sums_, each_thread);
    round_sums(shape_.accumulators, sums_);
  }
  /// The sums for parameters of a stage.
  void gradients(std::size_t stage, std::size_t first, std::span<float> to) const {
    const std::size_t begin = code_.seats.values[code_.seats.first[stage]] + first;
    std::copy_n(sums_.begin() + static_cast<std::ptrdiff_t>(begin), to.size(), to.begin());
  }
  bool any(bool here) { return whole_ ? here : others_.any(here); }

  /// After an update: the parameters that others have changed, and the running state of layers, of which each copy has its own.
  template <class Number, class States>
  void share(std::span<Number> values, States& states) {
    std::vector<owned_bytes> parts;
    for (const sum_share& s : kept_) parts.push_back({s.process, reinterpret_cast<std::byte*>(values.data() + s.first), s.count * sizeof(Number)});
    for (std::size_t copy = 0; copy < shape_.copies() && code_.seats.all_state() > 0; ++copy) {
      for (std::size_t seat = 0; seat < code_.seats.count(); ++seat) {
        const std::size_t first = code_.seats.state[seat], count = code_.seats.state[seat + 1] - first;
        if (count > 0) parts.push_back({process_of(copy, seat), reinterpret_cast<std::byte*>(states.state_of(copy).data() + first), count * sizeof(T)});
      }
    }
    if (!parts.empty()) others_.share(parts);
  }
  /// Optimiser state in the order of the model: `each(visit)` calls `visit(bytes, piece)`.
  template <class Each>
  void share_optimiser(std::span<std::byte> numbers, const Each& each) {
    std::vector<owned_bytes> parts;
    std::size_t at = 0;
    each([&](std::size_t bytes, const piece& p) {
      if (sharded_ && p.replica != each_replica) parts.push_back({keeper_of(p), numbers.data() + at, bytes});
      at += bytes;
    });
    if (!parts.empty()) others_.share(parts);
  }
  /// Rows of results: `each(visit)` calls `visit(copy, row)` for those of a step.
  template <class Each>
  void share_results(std::span<result_column> results, const Each& each) {
    if (!others_.gathers_results()) return;
    std::vector<owned_bytes> parts;
    each_result(results, each, [&](std::size_t process, result_column& c, std::size_t row) {
      parts.push_back({process, reinterpret_cast<std::byte*>(c.values.data() + row * c.width), c.width * sizeof(float)});
    });
    others_.share(parts);
  }
  void failed() { others_.failed(); }

 private:
  void connect(const pipeline_work<T>& work) {
    for (const crossing& c : work.crossings()) {
      const bool sends = process_of(c.copy, c.sender) == others_.process();
      courier_.serve(c, sends, process_of(c.copy, sends ? c.receiver : c.sender), message_sizes_of(code_, c.sender, shape_.samples), shape_.training);
    }
  }
  template <class Updater>
  void deal_sums(const Updater& update) {
    std::vector<sum_share> shares;
    const std::size_t processes = others_.processes();
    if (!sharded_) {
      for (std::size_t p = 0; p < processes; ++p) {
        const lane_range mine = lanes_of(sums_.size(), p, processes);
        shares.push_back({p, mine.first, mine.end - mine.first, true});
      }
    } else {
      for (std::size_t i = 0; i < update.pieces(); ++i) {
        const piece& p = update.piece_at(i);
        update.each_range(i, [&](std::size_t first, std::size_t count) {
          shares.push_back({keeper_of(p), first, count, whole_ || p.replica == each_replica});
          if (p.replica != each_replica) kept_.push_back({keeper_of(p), first, count});
        });
      }
    }
    adder_ = std::make_unique<process_sums>(others_, code_.seats.values, shape_.copies(), [&](std::size_t copy, std::size_t seat) { return process_of(copy, seat); }, shares);
  }

  static constexpr float greatest = 0x1.fffffep+127f;

  [[nodiscard]] std::size_t process_of_lane(std::size_t lane) const {
    const std::size_t lanes = shape_.replicas * shape_.ipus, processes = others_.processes();
    std::size_t process = lane * processes / lanes;  // or the one behind it
    while (!lanes_of(lanes, process, processes).has(lane)) ++process;
    return process;
  }
  /// The first process that has IPUs of the replica which keeps a piece.
  [[nodiscard]] std::size_t keeper_of(const piece& p) const { return p.replica == each_replica ? 0 : process_of_lane(p.replica * shape_.ipus); }

  template <class Each, class Visit>
  void each_result(std::span<result_column> results, const Each& each, const Visit& visit) const {
    const seat_table& seats = code_.seats;
    for (std::size_t seat = seats.first[seats.stages() - 1]; seat < seats.count(); ++seat) {
      for (const std::size_t column : code_.code[seat].leaves_at)
        each([&](std::size_t copy, std::size_t row) { visit(process_of(copy, seat), results[column], row); });
    }
  }

  other_processes& others_;
  network_code<T> code_;
  const work_shape& shape_;
  bool sharded_;
  bool whole_;  // every process has all sums
  courier courier_;
  std::vector<float> sums_;     // over copies, in the order of the model
  std::vector<sum_share> kept_;  // parameters that one process alone updates
  std::unique_ptr<process_sums> adder_;
};

}  // namespace ipuflow::train::impl
