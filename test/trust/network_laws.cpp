// SPDX-License-Identifier: BSL-1.0
// The laws of random networks.
#include "assembly.hpp"
#include "networks.hpp"

#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/search/search.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/checkpoint_file.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <utility>

namespace trust {

namespace {

using schedule::pass;

/// The rule of a recipe. Rates are small: what is compared are numbers, and not what is learned. Adam with a small epsilon makes steps
/// of full length from gradients that are nothing but rounding.
template <class Use>
auto with_optimiser(const recipe& r, Use use) {
  if (r.optimiser == "momentum") return use(train::sgd{.rate = 1e-2f, .momentum = 0.5f, .weight_decay = 1e-3f});
  if (r.optimiser == "adamw") return use(train::adamw{.rate = 1e-3f, .epsilon = 1e-2f});
  if (r.optimiser == "lamb") return use(train::lamb{.rate = 1e-3f, .epsilon = 1e-2f});
  return use(train::sgd{.rate = 1e-2f});
}

train::options options_of(const recipe& r) {
  train::options o;
  o.micro_batch = r.micro_batch;
  o.device_iterations = r.iterations;
  o.replicas = r.replicas;
  o.gradients = r.gradients == "sum" ? train::reduction::sum : r.gradients == "mean" ? train::reduction::mean : train::reduction::running_mean;
  o.outputs = feed::output_mode::all;
  o.seed = r.seed;
  if (r.optimiser != "still") o.max_grad_norm = 1;  // or some networks make numbers that are none of a few steps
  return o;
}

/// What a training leaves behind.
template <class Number>
struct learned {
  train::model<Number> model{};
  std::vector<float> gradients{};
  std::vector<std::vector<float>> results{};

  friend bool operator==(const learned&, const learned&) = default;
};

/// A session on threads of a network that was chosen while the program runs.
template <class Precision>
class thread_session {
  using compute = typename Precision::compute;
  using number = typename Precision::number;

 public:
  template <class Optimiser>
  thread_session(const recipe& r, const schedule::table& t, const Optimiser& optimiser, const on::threads& where)
      : recipe_{r}, network_{r}, code_{network_.code()}, timetable_{t}, model_{std::make_shared<train::model<number>>(network_.template first_model<number>(r.seed))},
        session_{{.code = code_,
                  .tensors = network_.tensors,
                  .timetable = timetable_,
                  .wrong = schedule::verify(t),
                  .asked = options_of(r),
                  .learned = model_,
                  .rule = train::impl::optimiser_code_of<number>(optimiser),
                  .where = where}} {
    session_.reserve(results_);
  }

  std::size_t samples() const { return session_.samples_per_step(); }
  void step(const made_samples& data) {
    const train::impl::column_code columns[] = {{data.entering(), data.width, ends_for<compute>(recipe_.entry, recipe_.halves).load},
                                                {data.labels.data(), 1, ends_for<compute>(kind::label, false).load}};
    session_.step(columns, data.labels.size(), results_, {});
  }
  train::training_state<number> all() const { return session_.state({}); }
  void go_on(const train::training_state<number>& from) { session_.go_on(from); }
  learned<number> state() const {
    const std::span<const float> g = session_.gradients();
    return {*model_, {g.begin(), g.end()}, {results_[0].values, results_[1].values}};
  }

 private:
  recipe recipe_;
  network_of_words<compute> network_;
  train::impl::network_code<compute> code_;
  schedule::any_timetable timetable_;
  std::shared_ptr<train::model<number>> model_;
  train::impl::session_on_threads<Precision> session_;
  std::vector<train::result_column> results_ = std::vector<train::result_column>(2);
};

template <class Precision>
learned<typename Precision::number> train_in(const recipe& r, const schedule::table& t, std::size_t threads, std::size_t steps, tried& counted) {
  return with_optimiser(r, [&](const auto& optimiser) {
    thread_session<Precision> session{r, t, optimiser, on::threads{.count = threads}};
    for (std::size_t s = 0; s < steps; ++s) session.step(made_samples{r, session.samples(), r.seed + 10 * s});
    counted.steps += steps;
    return session.state();
  });
}

/// Calls `use` for the precision of a recipe.
template <class Use>
auto with_precision(const recipe& r, Use use) {
  return r.half_parameters ? use(train::precision<float, half>{}) : use(train::precision<>{});
}
learned<float> train_on_threads(const recipe& r, const schedule::table& t, std::size_t threads, std::size_t steps, tried& counted) {
  return with_precision(r, [&]<class Precision>(Precision) { return train_in<Precision>(r, t, threads, steps, counted); });
}

/// Lowers the stages of a network that was chosen while the program runs, each with its update, as a session of its types would.
template <class Optimiser>
class chip_stages {
 public:
  chip_stages(const recipe& r, const schedule::table& t, const train::options& o, const Optimiser& optimiser)
      : network_{r}, half_parameters_{r.half_parameters}, seats_{t.where.seats()}, skipped_{t.where.micro_batches * o.replicas - t.where.micro_batches / t.where.directions()},
        rule_{ipuflow::shared<Optimiser>{optimiser}, 1, o.parameters, o.seed} {
    update_.replicas = o.replicas;
    update_.max_norm = o.max_grad_norm;
    update_.tensors = network_.tensors;
  }

  plan::lowered operator()(ipu::graph& g, std::size_t s, plan::lowering_options o) {
    static constexpr std::string_view names[] = {"random"};
    o.parameters = half_parameters_ ? ipu::element_type::f16 : ipu::element_type::f32;
    o.shards = update_.parts();
    o.accumulators.clear();
    for (const train::impl::piece& t : network_.tensors)
      if (t.stage == s) o.accumulators.push_back(ipu::element_type::f32);
    const auto& stage = network_.stages[s];
    plan::lowered made = nn::impl::stage_lowering{g,
                                                  {.plan = nn::impl::view_of(stage.plan), .code = stage.codes, .shared = {}, .types = stage.types, .arguments = stage.arguments,
                                                   .blocks = names, .first_block = 0, .is_last = s + 1 == network_.stages.size()},
                                                  o}
                             .take();
    for (plan::trained_tensor& tensor : made.parameters) {
      for (const auto& c : network_.copies) {
        if (c.table == network_.values[s] + tensor.first) tensor.number = c.table;
        if (c.copy == network_.values[s] + tensor.first) tensor.copy_of = c.table;
      }
    }
    train::impl::chips_stage noted{network_.values[s], network_.state[s], stage.leaves_at, {}};
    if (o.training) {
      for (const ipu::variable_id counter : made.counters)
        made.clear.then(train::impl::skip_others(g, counter, static_cast<std::int32_t>(static_cast<std::uint32_t>(skipped_))));
      train::impl::chips_update_options update = update_;
      update.where = o.where;
      update.offloads = o.optimiser_off_chip;
      update.first = network_.values[s];
      update.seats = seats_;
      noted.update = train::impl::update_lowering<Optimiser>{g, update, rule_}(made);
      made.before_update = std::move(noted.update.before);
      made.clear.then(noted.update.clear);
      made.told = noted.update.told;
      made.update = std::move(noted.update.program);
    }
    noted_.push_back(std::move(noted));
    return made;
  }

  const network_of_words<float>& network() const { return network_; }
  const ipuflow::light_vector<train::impl::chips_stage>& noted() const { return noted_; }

 private:
  network_of_words<float> network_;
  bool half_parameters_;
  std::size_t seats_, skipped_;
  train::impl::update_rule<Optimiser> rule_;
  train::impl::chips_update_options update_{};
  ipuflow::light_vector<train::impl::chips_stage> noted_{};
};

template <class Optimiser>
std::pair<learned<float>, bool> train_on_chips(const recipe& r, const schedule::table& t, const Optimiser& optimiser, std::size_t steps) {
  const train::options o = options_of(r);
  ipu::architecture chip = ipu::mk2;
  chip.tiles = 24;  // a part of it, so that values are cut in odd places
  const on::chips where{.system = ipu::pod(chip, t.where.ipus * r.replicas), .checked = true};
  const schedule::any_timetable timetable{t};
  chip_stages<Optimiser> stages{r, t, o, optimiser};
  auto program = run::on_chips(
      timetable, where.system, [&](ipu::graph& g, std::size_t stage, const plan::lowering_options& how) { return stages(g, stage, how); },
      train::impl::run_options_of(timetable, o, where));
  const std::size_t widths[] = {slot_for<float>(r.entry).elements, 1};
  const bool given[] = {false, false};
  const auto model = std::make_shared<train::model<float>>(stages.network().template first_model<float>(r.seed));
  train::impl::basic_session_on_chips<> session{{.timetable = timetable,
                                                 .asked = o,
                                                 .where = where,
                                                 .learned = model,
                                                 .begun = nullptr,
                                                 .program = std::move(program),
                                                 .session = nullptr,
                                                 .again = [](const void*, const run::chips_options&) -> run::chips_program { throw std::runtime_error{"a chip has no room"}; },
                                                 .stages = stages.noted(),
                                                 .input_widths = widths,
                                                 .given = given,
                                                 .outputs = stages.network().outputs}};
  std::vector<train::result_column> results(2);
  bool as_counted = true;
  for (std::size_t s = 0; s < steps; ++s) {
    const made_samples data{r, session.samples_per_step(), r.seed + 10 * s};
    const train::impl::chips_column columns[] = {r.entry == kind::tokens ? train::impl::column_of_numbers(data.tokens.data(), data.width)
                                                                         : train::impl::column_of_numbers(data.numbers.data(), data.width),
                                                 train::impl::column_of_numbers(data.labels.data(), 1)};
    session.step(columns, data.labels.size(), results, {});
    as_counted = as_counted && session.profile().chips == session.cost().chips;
  }
  const std::span<const float> g = session.gradients();
  return {{*model, {g.begin(), g.end()}, {results[0].values, results[1].values}}, as_counted};
}

std::string place_and(const char* what, std::size_t at, double got, double wanted) {
  char text[160];
  std::snprintf(text, sizeof text, "%s %zu is %.9g and should be %.9g", what, at, got, wanted);
  return text;
}

/// The first number that is farther off than `tolerance`, of one or the largest number.
std::string compare(const char* what, const std::vector<float>& got, const std::vector<float>& wanted, double tolerance, tried& counted) {
  if (got.size() != wanted.size()) return std::string{what} + " differ in number";
  double scale = 1;
  for (const float x : wanted) scale = std::fmax(scale, std::fabs(static_cast<double>(x)));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double apart = std::fabs(static_cast<double>(got[i]) - static_cast<double>(wanted[i]));
    if (!(apart <= tolerance * scale)) return place_and(what, i, static_cast<double>(got[i]), static_cast<double>(wanted[i]));
  }
  counted.numbers += got.size();
  return {};
}
std::string compare(const learned<float>& got, const learned<float>& wanted, double tolerance, tried& counted) {
  for (std::size_t i = 0; i < 2; ++i) {
    if (auto wrong = compare(i == 0 ? "result" : "loss", got.results[i], wanted.results[i], tolerance, counted); !wrong.empty()) return wrong;
  }
  if (auto wrong = compare("gradient", got.gradients, wanted.gradients, tolerance, counted); !wrong.empty()) return wrong;
  if (auto wrong = compare("parameter", got.model.values, wanted.model.values, tolerance, counted); !wrong.empty()) return wrong;
  return compare("state", got.model.state, wanted.model.state, tolerance, counted);
}
std::string compare_bits(const learned<float>& got, const learned<float>& wanted, tried& counted) {
  const auto bits = [](const std::vector<float>& a, const std::vector<float>& b) {
    return std::ranges::equal(std::as_bytes(std::span{a}), std::as_bytes(std::span{b}));
  };
  counted.numbers += wanted.model.values.size() + wanted.gradients.size() + wanted.results[0].size() + wanted.results[1].size();
  if (!bits(got.results[0], wanted.results[0]) || !bits(got.results[1], wanted.results[1])) return "results differ";
  if (!bits(got.gradients, wanted.gradients)) return "gradients differ";
  if (!bits(got.model.values, wanted.model.values)) return "parameters differ";
  return bits(got.model.state, wanted.model.state) ? "" : "state differs";
}

/// The loss of a step as its gradients are of it, by forward passes alone, in double and uncut.
class objective {
 public:
  objective(const recipe& r, const schedule::table& t, const made_samples& data)
      : recipe_{uncut(r)}, stage_{make_stage<double>(recipe_, {0, recipe_.layers.size(), 0, recipe_.layers.size(), 0})}, code_{stage_.code()}, host_{code_, r.micro_batch}, areas_{host_.layout()},
        micro_batches_{t.where.micro_batches}, data_{data} {}

  double operator()(const train::model<double>& m) {
    double sum = 0;
    std::vector<double> state = m.state;
    for (std::size_t replica = 0; replica < recipe_.replicas; ++replica) {
      for (std::size_t i = 0; i < micro_batches_; ++i) sum += loss_of(m, state, (i * recipe_.replicas + replica) * recipe_.micro_batch, replica * micro_batches_ + i);
    }
    return recipe_.gradients == "sum" ? sum : sum / static_cast<double>(micro_batches_ * recipe_.replicas);
  }

 private:
  static recipe uncut(recipe r) {
    r.cuts.clear();
    return r;
  }
  double loss_of(const train::model<double>& m, std::vector<double>& state, std::size_t first, std::uint64_t number) {
    ends_for<double>(recipe_.entry, false).load(data_.entering(), first, recipe_.micro_batch, host_.value_of(0, areas_.memory), recipe_.micro_batch, {});
    ends_for<double>(kind::label, false).load(data_.labels.data(), first, recipe_.micro_batch, host_.value_of(1, areas_.memory), recipe_.micro_batch, {});
    host_.forward(areas_.memory, {m.values.data(), state.data()}, {.seed = recipe_.seed, .micro_batch = number, .updates_state = false});
    const auto* const losses = reinterpret_cast<const nn::lanes<double>*>(host_.value_of(stage_.plan.leaving[1], areas_.memory));
    double sum = 0;
    for (std::size_t i = 0; i < recipe_.micro_batch; ++i) sum += losses[i / nn::lane_count][i % nn::lane_count];
    return sum / static_cast<double>(recipe_.micro_batch);
  }

  recipe recipe_;
  stage_of_words<double> stage_;
  nn::stage_code<double> code_;
  nn::host_stage<double> host_;
  areas areas_;
  std::size_t micro_batches_;
  const made_samples& data_;
};

/// True if each stage is on one IPU, which adds up its gradients in the order of micro-batches.
bool adds_up_in_order(const schedule::table& t) {
  if (t.where.directions() != 1) return false;
  for (std::size_t ipu = 0; ipu < t.where.ipus; ++ipu) {
    std::vector<std::size_t> next(t.where.stages, 0);
    for (auto w = t.walk(ipu); w; ++w) {
      if (w->kind != pass::backward && w->kind != pass::backward_weights) continue;
      if (w->micro_batch != next[w->stage]++) return false;
    }
  }
  return true;
}

}  // namespace

std::string check_gradients(const recipe& given, tried& counted, std::size_t most) {
  recipe r = given;
  r.halves = false;  // steps are flat
  r.iterations = 1;
  r.optimiser = "still";
  const schedule::table t = timetable_of(r);
  const train::sgd still{.rate = 0.0f};
  thread_session<train::precision<double>> session{r, t, still, on::threads{.count = r.threads}};
  const made_samples data{r, session.samples(), r.seed};
  train::model<double> m = session.state().model;
  const auto copies = network_of_words<double>{r}.copies;
  session.step(data);
  ++counted.steps;
  const learned<double> got = session.state();
  if (got.model.values != m.values) return "a rate of zero has changed parameters";
  objective loss{r, t, data};
  double largest = 1e-2;
  for (const float g : got.gradients) largest = std::fmax(largest, std::fabs(static_cast<double>(g)));
  const std::size_t stride = std::max<std::size_t>(1, m.values.size() / most);
  for (std::size_t i = static_cast<std::size_t>(nn::random_bits(r.seed, 99) % stride); i < m.values.size(); i += stride) {
    const auto slope = [&](double by) {
      const double before = m.values[i];
      const auto set = [&](double x) {  // wherever a copy of it is
        m.values[i] = x;
        for (const auto& c : copies) {
          std::size_t table = i;
          for (const auto& own : copies)
            if (i >= own.copy && i < own.copy + own.count) table = own.table + (i - own.copy);
          if (table < c.table || table >= c.table + c.count) continue;
          m.values[table] = m.values[c.copy + (table - c.table)] = x;
        }
      };
      set(before + by);
      const double above = loss(m);
      set(before - by);
      const double below = loss(m);
      set(before);
      return (above - below) / (2 * by);
    };
    const auto analytic = static_cast<double>(got.gradients[i]);
    // A kink, of relu or of a maximum, may lie between the two points of the first difference, so it is taken again nearby.
    double wanted = 0;
    bool near = false;
    for (const double by : {1e-5, 1e-6, 2e-7, 3e-8}) {
      wanted = slope(by);
      near = near || std::fabs(analytic - wanted) <= (by < 1e-6 ? 1e-5 : 2e-6) * largest;
      if (near) break;
    }
    if (!near) return place_and("the gradient of parameter", i, analytic, wanted);
    ++counted.gradients;
  }
  return {};
}

namespace {

/// Copies of weights are equal, and parameters are of their type.
std::string check_kept(const recipe& r, const train::model<float>& m) {
  for (const auto& c : network_of_words<float>{r}.copies) {
    for (std::size_t i = 0; i < c.count; ++i)
      if (m.values[c.copy + i] != m.values[c.table + i]) return place_and("the copy of a weight, parameter", c.copy + i, static_cast<double>(m.values[c.copy + i]), static_cast<double>(m.values[c.table + i]));
  }
  for (std::size_t i = 0; r.half_parameters && i < m.values.size(); ++i)
    if (m.values[i] != static_cast<float>(half{m.values[i]})) return place_and("what is no half, parameter", i, static_cast<double>(m.values[i]), static_cast<double>(static_cast<float>(half{m.values[i]})));
  return {};
}

}  // namespace

std::string check_schedules(const recipe& r, tried& counted) {
  const schedule::table own = timetable_of(r);
  const learned<float> alone = train_on_threads(r, own, 1, 2, counted);
  if (auto wrong = check_kept(r, alone.model); !wrong.empty()) return wrong;
  const auto same = [&](const schedule::table& t, std::size_t threads, const learned<float>& as, const std::string& what) -> std::string {
    const std::string wrong = compare_bits(train_on_threads(r, t, threads, 2, counted), as, counted);
    return wrong.empty() ? wrong : what + " on " + std::to_string(threads) + (threads == 1 ? " thread: " : " threads: ") + wrong;
  };
  for (const std::size_t threads : {std::size_t{1}, r.threads, own.where.ipus * r.replicas + 1}) {
    if (auto wrong = same(own, threads, alone, r.schedule); !wrong.empty()) return wrong;
  }
  recipe in_turn = r;
  in_turn.schedule = "sharded", in_turn.ipus = r.cuts.size() + 1, in_turn.stages_per_ipu = 0;
  const schedule::table in_order = timetable_of(in_turn);
  const learned<float> wanted = train_on_threads(r, in_order, 1, 2, counted);
  recipe once = r;
  once.iterations = 1, once.optimiser = "sgd";
  const learned<float> first = train_on_threads(once, in_order, 1, 1, counted);
  for (const std::string_view name : schedule::schedule_names) {
    bool found = false;
    for (std::size_t chunks = 0; chunks <= 4 && !found; ++chunks) {
      for (std::size_t ipus = 1; ipus <= r.cuts.size() + 1 && !found; ++ipus) {
        recipe other = r;
        other.schedule = name, other.ipus = ipus, other.stages_per_ipu = chunks;
        if (!fits(other)) continue;
        found = true;
        ++counted.schedules;
        schedule::table t = timetable_of(other);
        if (adds_up_in_order(t)) {
          if (auto wrong = same(t, r.threads, wanted, other.schedule); !wrong.empty()) return wrong;
          if (name != "grouped") continue;
          for (const auto how : {schedule::recomputation::automatic, schedule::recomputation::and_backpropagate}) {
            const schedule::setup asked{.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = r.micro_batches};
            const auto recomputing = schedule::grouped(asked, {.recompute = how});
            if (recomputing.refused || schedule::verify(recomputing)) continue;
            const schedule::table again = forked(schedule::tabulate(recomputing), r);
            ++counted.schedules;
            if (auto wrong = same(again, r.threads, wanted, "grouped, recomputing,"); !wrong.empty()) return wrong;
          }
          continue;
        }
        auto near = train_on_threads(once, t, r.threads, 1, counted);
        if (t.where.directions() > 1) near.model.state = first.model.state;  // each direction has seen a half, and their mean is kept
        if (auto wrong = compare(near, first, r.halves || r.half_parameters ? 2e-2 : 2e-4, counted); !wrong.empty()) return other.schedule + ": " + wrong;
      }
    }
  }
  return {};
}

std::string check_searched(const recipe& r, tried& counted) {
  const schedule::table own = timetable_of(r);
  if (own.where.directions() > 1 || r.micro_batches > 6 || r.fork) return {};  // a search knows no directions and no branches
  const auto drawn = [&](std::size_t i) { return 1 + static_cast<std::size_t>(nn::random_bits(r.seed, 500 + i) % 5); };
  const schedule::costs costs{drawn(0), drawn(1), drawn(2), drawn(3) - 1};
  const schedule::roster where{own.where};
  const schedule::searched found = schedule::search(where, costs, {{}, drawn(4) + own.where.stages},
                                                    {.metric = schedule::search_metric::makespan, .split = r.seed % 2 == 0, .iterations = 60, .seed = r.seed});
  if (found.refused) return {};
  ++counted.searches;
  if (const auto wrong = schedule::verify(found.timetable)) return std::string{sentence(wrong).view()};
  if (found.makespan < found.lower_bound) return "a schedule is shorter than its bound";
  if (schedule::times_of(found.timetable, costs).makespan != found.makespan) return "a schedule takes another time than was found";
  recipe in_turn = r;
  in_turn.schedule = "sharded", in_turn.ipus = r.cuts.size() + 1, in_turn.stages_per_ipu = 0;
  const std::string wrong = compare_bits(train_on_threads(r, found.timetable, r.threads, 1, counted), train_on_threads(r, timetable_of(in_turn), 1, 1, counted), counted);
  return wrong.empty() ? wrong : "trained by it, " + wrong;
}

namespace {

/// Descent by steps of bounded length that throws at a call, if it is told to.
struct fragile_descent {
  using state_type = float;
  static constexpr std::size_t states = 1;
  std::atomic<long>* calls_left = nullptr;

  template <class Number>
  void update(std::span<Number> values, std::span<const float> gradients, std::span<float> state, std::size_t) const {
    if (calls_left->fetch_sub(1) == 0) throw std::runtime_error{"the optimiser has had enough"};
    for (std::size_t i = 0; i < values.size(); ++i) {
      state[i] = 0.5f * state[i] + gradients[i];
      values[i] = static_cast<Number>(static_cast<float>(values[i]) - 0.003f * state[i] / (1 + std::fabs(state[i])));
    }
  }
};

}  // namespace

namespace {

template <class Precision>
std::string check_faults_in(const recipe& r, tried& counted) {
  const schedule::table t = timetable_of(r);
  std::atomic<long> never{-1}, calls{-1};
  const fragile_descent steady{&never}, fragile{&calls};
  using session_type = thread_session<Precision>;
  session_type wanted{r, t, steady, on::threads{.count = 1}};
  auto failing = std::make_unique<session_type>(r, t, fragile, on::threads{.count = r.threads});
  std::stop_source stop;
  session_type stopped{r, t, steady, on::threads{.count = r.threads, .stop = stop.get_token()}};
  for (std::size_t s = 0; s < 4; ++s) {
    const made_samples data{r, wanted.samples(), r.seed + 10 * s};
    never = -1;
    wanted.step(data);
    const learned<float> before = failing->state();
    calls = static_cast<long>(nn::random_bits(r.seed, 600 + s) % 6);
    try {
      failing->step(data);
    } catch (const std::exception&) {
      ++counted.faults;
      if (!(failing->state().model == before.model)) return "a step whose optimiser throws changes the model";
      calls = -1;
      failing->step(data);
    }
    counted.steps += 2;
    if (auto wrong = compare_bits(failing->state(), wanted.state(), counted); !wrong.empty()) return "after a fault, " + wrong;
    if (s == 1) {  // another session goes on from a file
      const std::string path = (std::filesystem::temp_directory_path() / ("ipuflow_soak_" + std::to_string(::getpid()))).string();
      save(train::checkpoint<>{failing->all(), {}}, path);
      failing = std::make_unique<session_type>(r, t, fragile, on::threads{.count = r.threads + 1});
      failing->go_on(train::load_checkpoint(path).state);
      std::filesystem::remove(path);
      ++counted.faults;
    }
  }
  const learned<float> first = stopped.state();
  stop.request_stop();
  try {
    never = -1;
    stopped.step(made_samples{r, stopped.samples(), r.seed});
    return "a step that is stopped ends as if it were whole";
  } catch (const error&) {
    ++counted.faults;
  }
  return stopped.state().model == first.model ? "" : "a step that is stopped changes the model";
}

}  // namespace

std::string check_faults(const recipe& r, tried& counted) {
  return with_precision(r, [&]<class Precision>(Precision) { return check_faults_in<Precision>(r, counted); });
}

namespace {

/// A value that is a rounding apart may be on the other side of one of these, and then slopes differ.
bool has_kinks(const recipe& r) {
  return std::any_of(r.layers.begin(), r.layers.end(), [](const chosen_word& c) {
    const std::string_view name = word_of(c).name;
    return name.starts_with("relu") || name == "max_pool";
  });
}

/// The same training, computed in double.
learned<float> in_doubles(const recipe& r, const schedule::table& t, tried& counted) {
  const learned<double> wide = train_in<train::precision<double>>(r, t, r.threads, 2, counted);
  return {{{wide.model.values.begin(), wide.model.values.end()}, {wide.model.state.begin(), wide.model.state.end()}}, wide.gradients, wide.results};
}
/// The largest difference, of one or the largest number.
double farthest(const learned<float>& a, const learned<float>& b) {
  double most = 0;
  const auto look = [&](const std::vector<float>& x, const std::vector<float>& y) {
    double apart = 0, scale = 1;
    for (std::size_t i = 0; i < x.size(); ++i) {
      apart = std::fmax(apart, std::fabs(static_cast<double>(x[i]) - static_cast<double>(y[i])));
      scale = std::fmax(scale, std::fabs(static_cast<double>(y[i])));
    }
    most = std::fmax(most, apart / scale);
  };
  look(a.results[0], b.results[0]), look(a.results[1], b.results[1]), look(a.gradients, b.gradients), look(a.model.values, b.model.values), look(a.model.state, b.model.state);
  return most;
}

std::string compare_chips(recipe r, tried& counted) {
  if (!r.halves) r.half_parameters = false;  // tiles take halves of the weights for halves of the values
  // In front of a norm gradients may be nothing but rounding, and a rule that looks at directions alone makes whole steps of it.
  const auto norms = [](const chosen_word& c) { return word_of(c).name.find("norm") != std::string_view::npos; };
  if (r.optimiser == "lamb" && std::any_of(r.layers.begin(), r.layers.end(), norms)) r.optimiser = "momentum";
  const schedule::table t = timetable_of(r);
  const learned<float> host = train_on_threads(r, t, r.threads, 2, counted);
  const auto [chips, as_counted] = with_optimiser(r, [&](const auto& optimiser) { return train_on_chips(r, t, optimiser, 2); });
  counted.steps += 2;
  if (!as_counted) return "a step on chips did not take what was counted";
  if (r.halves && has_kinks(r)) return compare("loss", chips.results[1], host.results[1], 5e-2, counted);
  const double tolerance = r.halves ? 5e-2 : 2e-4;
  const std::string wrong = compare(chips, host, tolerance, counted);
  // Some networks make much of little. What floats of the host are off from doubles, those of tiles may be a few times.
  return wrong.empty() || r.halves ? wrong : compare(chips, host, tolerance + 8 * farthest(host, in_doubles(r, t, counted)), counted);
}

}  // namespace

std::string check_chips(const recipe& r, tried& counted) {
  if (r.fork) return {};  // the parts of its stages on tiles are not put together here
  std::string wrong = compare_chips(r, counted);
  for (std::uint64_t other = 1; other <= 2 && !wrong.empty() && has_kinks(r); ++other) {  // whatever is wrong is so with other numbers, too
    recipe again = r;
    again.seed += other;
    wrong = compare_chips(again, counted);
  }
  return wrong;
}

namespace {

/// One layer alone, on numbers that halves hold.
template <class T>
class lone_word {
 public:
  lone_word(const word& w, bool halves, std::size_t samples) : word_{w}, samples_{samples} {
    ipuflow::light_vector<std::size_t> in;
    for (std::size_t i = 0; i < w.inputs; ++i) {
      in.push_back(stage_.add_slot(w.in[i]));
      stage_.plan.slots[i].has_gradient = stage_.plan.slots[i].travels_back = stage_.plan.slots[i].real;
    }
    stage_.plan.entering = w.inputs;
    stage_.let_go(stage_.add_step(w, in, 0, 0), true, 0);
    stage_.finish(halves);
    code_ = stage_.code();
    host_ = std::make_unique<nn::host_stage<T>>(code_, samples);
    areas_ = std::make_unique<areas>(host_->layout());
  }

  /// Runs both passes; returns what it makes, the gradients of what it reads, and those of its parameters. `made`: what the backward
  /// pass finds there, since slopes are those at the value that was stored.
  std::vector<std::vector<double>> run(std::uint64_t seed, const std::vector<double>* made = nullptr) {
    const std::size_t in = word_.inputs, out = stage_.plan.leaving[0];
    for (std::size_t i = 0; i < in; ++i) fill(i, host_->value_of(i, areas_->memory), seed + i);
    std::vector<double> values(word_.facts.parameters), state(word_.facts.state);
    if (word_.begin != nullptr) word_.begin(seed, values.data(), state.data());
    std::vector<T> p, kept, d_p(values.size());
    for (const double x : values) p.push_back(static_cast<T>(static_cast<float>(x)));
    for (const double x : state) kept.push_back(static_cast<T>(static_cast<float>(x)));
    const nn::context c{.seed = seed, .micro_batch = 3};
    host_->forward(areas_->memory, {p.data(), kept.data()}, c);
    std::vector<std::vector<double>> all{read(out, host_->value_of(out, areas_->memory))};
    if (made != nullptr && word_.facts.inputs_need_output) write(out, host_->value_of(out, areas_->memory), *made);
    const auto gradient = [&](std::size_t slot) {
      return areas_->memory.gradients[static_cast<std::size_t>(stage_.plan.slots[slot].gradient_where)] + host_->layout().gradient_offset[slot];
    };
    fill(out, gradient(out), seed + 7);
    host_->backward(areas_->memory, {p.data(), kept.data()}, c, d_p.data());
    for (std::size_t i = 0; i < in; ++i) all.push_back(read(i, gradient(i)));
    all.emplace_back(d_p.begin(), d_p.end());
    return all;
  }

 private:
  void write(std::size_t slot, std::byte* at, const std::vector<double>& numbers) {
    auto* const lanes = reinterpret_cast<nn::lanes<T>*>(at);
    const nn::slot_plan& s = stage_.plan.slots[slot];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const nn::lane_place to = nn::place_of(i / s.elements, i % s.elements, s.elements, s.positions);
      lanes[to.vector].set(to.lane, static_cast<T>(numbers[i]));
    }
  }
  void fill(std::size_t slot, std::byte* at, std::uint64_t seed) {
    std::memset(at, 0, stage_.plan.slots[slot].bytes_of(samples_));
    std::vector<double> numbers(samples_ * stage_.plan.slots[slot].elements);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(static_cast<float>(half{4 * static_cast<float>(nn::random_unit(seed, i)) - 2}));
    write(slot, at, numbers);
  }
  std::vector<double> read(std::size_t slot, const std::byte* at) const {
    const auto* const lanes = reinterpret_cast<const nn::lanes<T>*>(at);
    const nn::slot_plan& s = stage_.plan.slots[slot];
    std::vector<double> all;
    for (std::size_t i = 0; i < samples_ * s.elements; ++i) {
      const nn::lane_place from = nn::place_of(i / s.elements, i % s.elements, s.elements, s.positions);
      all.push_back(static_cast<double>(lanes[from.vector][from.lane]));
    }
    return all;
  }

  const word& word_;
  std::size_t samples_;
  stage_of_words<T> stage_{};
  nn::stage_code<T> code_{};
  std::unique_ptr<nn::host_stage<T>> host_{};
  std::unique_ptr<areas> areas_{};
};

/// Between two neighbouring halves at this size.
double half_ulp(double x) { return std::ldexp(1.0, std::max(std::ilogb(std::fmax(std::fabs(x), 1e-30)), -14) - 10); }

}  // namespace

std::string check_halves(const recipe& r, tried& counted) {
  std::vector<std::size_t> seen;
  for (const chosen_word& c : r.layers) {
    const word& w = word_of(c);
    if (w.facts.same_memory || w.in[0] == kind::tokens || std::find(seen.begin(), seen.end(), c.word) != seen.end()) continue;
    seen.push_back(c.word);
    const auto stored = lone_word<float>{w, true, r.micro_batch}.run(r.seed);
    const auto exact = lone_word<double>{w, false, r.micro_batch}.run(r.seed, &stored[0]);
    for (std::size_t part = 0; part < exact.size(); ++part) {
      double largest = 1;
      for (const double x : exact[part]) largest = std::fmax(largest, std::fabs(x));
      const bool rounds = part + 1 < exact.size();  // gradients of parameters stay floats
      for (std::size_t i = 0; i < exact[part].size(); ++i) {
        const double got = stored[part][i], wanted = exact[part][i];
        const std::string what = std::string{w.name} + (part == 0 ? ": value" : rounds ? ": gradient of an input" : ": gradient of a parameter");
        if (rounds && got != static_cast<double>(static_cast<float>(half{static_cast<float>(got)}))) return place_and((what + ", which is no half,").c_str(), i, got, wanted);
        const double room = (rounds ? 0.5 * half_ulp(wanted) : 0) + std::ldexp(largest, -17);
        if (!(std::fabs(got - wanted) <= room)) return place_and(what.c_str(), i, got, wanted);
        ++counted.numbers;
      }
    }
  }
  return {};
}

std::string check_all(const recipe& r, tried& counted, std::string_view only) {
  const auto law = [&](std::string_view name, auto check) -> std::string {
    if (!only.empty() && only != name) return {};
    try {
      const std::string wrong = check(r, counted);
      return wrong.empty() ? wrong : std::string{name} + ": " + wrong;
    } catch (const std::exception& thrown) {
      return std::string{name} + ": it throws: " + thrown.what();
    }
  };
  std::string wrong = law("gradients", [](const recipe& x, tried& y) { return check_gradients(x, y); });
  if (wrong.empty()) wrong = law("schedules", check_schedules);
  if (wrong.empty()) wrong = law("chips", check_chips);
  if (wrong.empty()) wrong = law("halves", check_halves);
  if (wrong.empty()) wrong = law("searched", check_searched);
  if (wrong.empty()) wrong = law("faults", check_faults);
  return wrong;
}

}  // namespace trust
