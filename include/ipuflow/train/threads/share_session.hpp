// SPDX-License-Identifier: BSL-1.0
// A session's part in a training that several processes share. The lanes of all replicas are dealt out to them, neighbours together:
// some replicas each, some IPUs of one, or both. All have the whole model; what they learn they add up, and it is the same bit for bit.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/sorting.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/run/threads/executor.hpp>
#include <ipuflow/train/options.hpp>
#include <ipuflow/train/step_data.hpp>
#include <ipuflow/train/threads/agreement.hpp>
#include <ipuflow/train/threads/courier.hpp>
#include <ipuflow/train/threads/lanes.hpp>
#include <ipuflow/train/threads/process_sums.hpp>
#include <ipuflow/train/threads/sharing.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::train {

namespace impl {

/// The lanes of this process dealt out to its threads: by their work if they are whole replicas, else neighbours together.
template <class = void>
[[gnu::cold]] run::dealt deal_lanes_here(const schedule::any_timetable& t, std::size_t threads, lane_range here, light_span<const std::size_t> work) {
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

template <class T>
class sharing_processes final : public sharing<T> {
 public:
  explicit sharing_processes(other_processes& others) : others_{others}, courier_{others} {}

  [[nodiscard]] lane_range here(std::size_t lanes) const override { return lanes_of(lanes, others_.process(), others_.processes()); }
  [[nodiscard]] std::size_t cores() const override { return others_.cores(); }
  [[nodiscard]] run::dealt deal(const schedule::any_timetable& t, std::size_t threads, light_span<const std::size_t> work) const override {
    return deal_lanes_here(t, threads, here(lanes_), work);
  }

  void begin(const network_code<T>& code, const schedule::any_timetable& t, const options& o, const work_shape& shape, const light_vector<piece>& tensors,
             std::string_view rule, const pipeline_work<T>& work, const dynamic_array<kept_range>& ranges) override {
    code_ = code;
    shape_ = shape;
    sharded_ = shards_state(o);
    whole_ = !sharded_ || o.max_grad_norm <= greatest;
    if (sharded_) compared_ = smallest_of_groups(tensors);
    const light_vector<std::string> numbers = agreed_numbers(t, o, tensors, others_.gathers_results());
    light_vector<agreed_fact> facts{{"the optimiser", rule}};
    for (std::size_t i = 0; i < numbers.size(); ++i) facts.push_back({agreed_names[i], numbers[i]});
    others_.agree(facts);
    connect(work);
    if (shape_.training) deal_sums(ranges);
    passes_.resize(code_.seats.stages());
    left_ = dynamic_array<std::atomic<std::size_t>>(passes_.size());
    for (std::size_t lane = shape_.here.first; lane < shape_.here.first + shape_.lanes_here(); ++lane) {
      for (auto w = t.walk(lane % shape_.ipus); w; ++w) passes_[w->stage] += makes_gradients(*w) ? 1u : 0u;
    }
  }

  [[nodiscard]] bool keeps(const piece& p) const override { return is_for_all(p.replica, p.begin) || keeper_of(p.replica) == others_.process(); }
  [[nodiscard]] bool reads(const piece& p) const override { return whole_ || keeps(p); }

  void begin_step(light_span<const column_code> columns, std::size_t samples) override {
    if (!others_.compares_samples() || !is_compared(++steps_)) return;
    std::uint64_t all = samples;
    for (const column_code& c : columns) mix(all, number_of_bytes({static_cast<const std::byte*>(c.data), c.sample_bytes * samples}));
    compare(all, session_wrong::samples_differ, steps_);
  }
  bool execute(const schedule::any_timetable& t, pipeline_work<T>& work, run::crew& threads, const run::execution& how) override {
    struct {
      pipeline_work<T>& work;
      sharing_processes& all;
      run::progress perform(std::size_t lane, const schedule::op& o, std::size_t count) {
        all.carry(work);
        const run::progress made = work.perform(lane, o, count);
        all.note(o, made.done);
        return made;
      }
    } carried{work, *this};
    begin_sums();
    courier_.begin(shape_.micro_batches);
    not_carried_ = nullptr;
    try {
      const bool stopped = run::execute(t, carried, threads, how).stopped;
      if (!stopped) courier_.finish();
      return stopped;
    } catch (const run::stage_failed& seen) {
      if (seen.cause() == not_carried_) std::rethrow_exception(not_carried_);  // it is no failure of the stage whose thread carried
      throw;
    }
  }
  [[nodiscard]] bool runs_alone() const override { return courier_.idle(); }

  void add_up(const pipeline_work<T>& work, run::crew& threads) override {
    any_ready_.store(false, std::memory_order_relaxed);  // its threads are here
    sums_begun_ = false;
    (*adder_)(work, [&](const auto& job) { threads.run(job); });
    round_sums(shape_.accumulators, adder_->sums());
  }
  void gradients(std::size_t stage, std::size_t first, light_span<float> to) const override {
    const std::size_t begin = code_.seats.values[code_.seats.first[stage]] + first;
    algorithms::copy_n(adder_->sums().data() + begin, to.size(), to.data());
  }
  bool any(bool here) override { return whole_ ? here : others_.any(here); }

  void share(std::byte* values, std::size_t each, light_span<const parameter_view<T>> copies) override {
    light_vector<owned_bytes> parts;
    for (const kept_range& k : kept_) parts.push_back({keeper_of(k.replica), values + k.first * each, k.count * each});
    for (std::size_t copy = 0; copy < copies.size() && code_.seats.all_state() > 0; ++copy) {
      for (std::size_t seat = 0; seat < code_.seats.count(); ++seat) {
        const std::size_t first = code_.seats.state[seat], count = code_.seats.state[seat + 1] - first;
        if (count > 0) parts.push_back({process_of(copy, seat), reinterpret_cast<std::byte*>(copies[copy].state + first), count * sizeof(T)});
      }
    }
    if (!parts.empty()) others_.share(parts);
    if (is_compared(++updates_)) compare(number_of_bytes({values, code_.seats.all_values() * each}), session_wrong::weights_differ, updates_);
  }
  void share_optimiser(light_span<std::byte> numbers, const dynamic_array<kept_range>& runs) override {
    light_vector<owned_bytes> parts;
    for (const kept_range& k : runs) {
      if (!is_for_each(k.replica)) parts.push_back({keeper_of(k.replica), numbers.data() + k.first, k.count});
    }
    if (!parts.empty()) others_.share(parts);
  }
  void share_results(light_span<result_column> results, const step_host<T>& host) override {
    if (!others_.gathers_results()) return;
    light_vector<owned_bytes> parts;
    each_result(results, host, [&](std::size_t process, result_column& c, std::size_t row) {
      parts.push_back({process, reinterpret_cast<std::byte*>(c.values.data() + row * c.width), c.width * sizeof(float)});
    });
    if (!parts.empty()) others_.share(parts);
  }
  void leave_own(light_span<result_column> results, const step_host<T>& host) override {
    if (others_.gathers_results()) return;
    for (result_column& column : results) {
      light_vector<std::size_t> mine;
      each_result(results, host, [&](std::size_t process, result_column& c, std::size_t row) {
        if (&c == &column && process == others_.process()) mine.push_back(c.sums ? row / shape_.directions : row);
      });
      algorithms::sort(mine.begin(), mine.end());
      mine.erase(algorithms::unique(mine.begin(), mine.end()), mine.end());
      light_vector<float> left;
      for (const std::size_t row : mine) left.insert(left.end(), column[row].begin(), column[row].end());
      column.replicas = shape_.replicas * mine.size() / algorithms::max<std::size_t>(column.size(), 1);
      column.values = std::move(left);
    }
  }
  void failed() override {
    sums_begun_ = false;  // the next step begins them anew
    others_.failed();
  }

  /// Before a session is made: how many lanes it has.
  void expect(std::size_t lanes) {
    if (others_.processes() > lanes) throw_if(session_fault{session_wrong::more_processes, others_.processes(), lanes});
    lanes_ = lanes;
  }

 private:
  static constexpr float greatest = 0x1.fffffep+127f;
  /// First steps and updates show what differs in data and figures, later ones in how these change.
  static constexpr bool is_compared(std::size_t number) { return number <= 4 || number % 64 == 0; }

  void connect(const pipeline_work<T>& work) {
    for (const crossing& c : work.crossings()) {
      const bool sends = process_of(c.copy, c.sender) == others_.process();
      courier_.serve(c, sends, process_of(c.copy, sends ? c.receiver : c.sender), message_sizes_of(code_, c.sender, shape_.samples), shape_.training);
    }
  }
  void deal_sums(const dynamic_array<kept_range>& ranges) {
    light_vector<sum_share> shares;
    for (std::size_t p = 0; p < others_.processes() && !sharded_; ++p) {
      const lane_range mine = lanes_of(code_.seats.all_values(), p, others_.processes());
      shares.push_back({p, mine.first, mine.end - mine.first, true});
    }
    for (const kept_range& k : ranges) {
      if (!sharded_) break;
      const bool for_all = is_for_all(k.replica, k.first);
      shares.push_back({keeper_of(k.replica), k.first, k.count, whole_ || for_all});
      if (!for_all) kept_.push_back(k);
    }
    adder_ = make_owner<process_sums>(others_, code_.seats.values, shape_.copies(), [&](std::size_t copy, std::size_t seat) { return process_of(copy, seat); }, shares);
  }

  /// Throws in all processes if one has another number.
  void compare(std::uint64_t mine, session_wrong wrong, std::size_t number) {
    light_vector<std::uint64_t> numbers(others_.processes());
    numbers[others_.process()] = mine;
    light_vector<owned_bytes> parts;
    for (std::size_t p = 0; p < numbers.size(); ++p) parts.push_back({p, reinterpret_cast<std::byte*>(&numbers[p]), sizeof numbers[p]});
    others_.share(parts);
    for (std::size_t p = 1; p < numbers.size(); ++p) {
      if (numbers[p] != numbers[0]) throw_if(session_fault{wrong, p, number});
    }
  }

  /// Before a run: gradients of a stage are added up from its last backward pass on. A run again, which explains one that failed, adds
  /// nothing up.
  void begin_sums() {
    any_ready_.store(false, std::memory_order_relaxed);  // no thread of the run is there yet
    if (!shape_.training) return;
    const bool again = algorithms::exchange(sums_begun_, true);
    for (std::size_t stage = 0; stage < left_.size(); ++stage) left_[stage].store(again ? 0 : passes_[stage], std::memory_order_relaxed);
    if (again) return;
    adder_->begin();
    for (std::size_t stage = 0; stage < left_.size(); ++stage) {
      if (passes_[stage] == 0) ready(stage);
    }
  }
  static bool makes_gradients(const schedule::op& o) { return o.kind == schedule::pass::backward || o.kind == schedule::pass::backward_weights; }
  /// Carries what there is. If that fails, all threads throw the same.
  void carry(pipeline_work<T>& work) {
    try {
      if (!any_ready_.load(std::memory_order_relaxed)) courier_.carry();  // no partner: a hint, mutexes are behind it
      else courier_.carry_and([&] { adder_->advance(work); });
    } catch (...) {
      const posix::lock held{not_carried_mutex_};
      if (!not_carried_) not_carried_ = std::current_exception();
      std::rethrow_exception(not_carried_);
    }
  }
  void note(const schedule::op& o, std::size_t done) {
    if (done == 0 || !makes_gradients(o)) return;
    if (left_[o.stage].fetch_sub(done, std::memory_order_acq_rel) != done) return;  // partners: the same of other threads
    ready(o.stage);
    any_ready_.store(true, std::memory_order_relaxed);  // no partner: a hint
  }
  void ready(std::size_t stage) {
    for (std::size_t seat = code_.seats.first[stage]; seat < code_.seats.first[stage + 1]; ++seat) adder_->ready(seat);
  }

  [[nodiscard]] std::size_t process_of(std::size_t copy, std::size_t seat) const { return process_of_lane(shape_.lane_of(copy, seat), lanes_, others_.processes()); }
  [[nodiscard]] bool is_for_each(std::size_t replica) const { return !sharded_ || replica == each_replica; }
  /// True if all processes update the parameters from there on.
  [[nodiscard]] bool is_for_all(std::size_t replica, std::size_t first) const { return is_for_each(replica) || has_parameter(compared_, first); }
  /// The first process that has IPUs of a replica keeps its share; what all keep, the first of all adds up.
  [[nodiscard]] std::size_t keeper_of(std::size_t replica) const { return replica == each_replica ? 0 : process_of_lane(replica * shape_.ipus, lanes_, others_.processes()); }

  /// Calls `visit(process, column, row)` for the results of a step.
  template <class Visit>
  void each_result(light_span<result_column> results, const step_host<T>& host, const Visit& visit) const {
    const seat_table& seats = code_.seats;
    for (std::size_t seat = seats.first[seats.stages() - 1]; seat < seats.count(); ++seat) {
      for (const std::size_t column : code_.code[seat].leaves_at)
        host.each_row([&](std::size_t copy, std::size_t row) { visit(process_of(copy, seat), results[column], row); });
    }
  }

  other_processes& others_;
  std::size_t lanes_ = 1;
  network_code<T> code_{};
  work_shape shape_{};
  bool sharded_ = false;
  bool whole_ = true;  // every process has all sums
  light_vector<piece> compared_;  // tensors that all update although their state is dealt out
  std::size_t updates_ = 0, steps_ = 0;
  courier courier_;
  dynamic_array<kept_range> kept_;  // parameters that one process alone updates
  owner<process_sums> adder_;  // over copies
  light_vector<std::size_t> passes_;               // of each stage, those that change its gradients here
  dynamic_array<std::atomic<std::size_t>> left_;  // of these, in a run
  std::atomic<bool> any_ready_{false};            // of the stages that have some
  bool sums_begun_ = false;
  posix::mutex not_carried_mutex_;
  std::exception_ptr not_carried_;  // why messages of a run could not be
};

}  // namespace impl

/// A session in that precision, of a number of IPUs in all replicas, that these processes share: what `on::threads` refers to. All have
/// to last as long as the session.
template <class Precision>
[[nodiscard]] owner<shared_session> share_session(other_processes& others, std::size_t lanes) {
  auto made = make_owner<impl::sharing_processes<typename Precision::compute>>(others);
  made->expect(lanes);
  return made;
}

}  // namespace ipuflow::train
