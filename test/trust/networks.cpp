// SPDX-License-Identifier: BSL-1.0
// Recipes as text, at random, and smaller ones.
#include "networks.hpp"
#include "assembly.hpp"

#include <ipuflow/schedule.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace trust {

namespace {

struct draws {
  std::uint64_t seed;
  std::uint64_t at = 0;
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(nn::random_bits(seed, at++) % n); }
};

constexpr std::string_view optimisers[] = {"sgd", "momentum", "adamw", "lamb"};
constexpr std::string_view reductions[] = {"sum", "mean", "running_mean"};
constexpr auto far = static_cast<std::size_t>(-1);

bool is_loss(const word& w) { return w.outputs == 2; }

/// The least number of layers from a kind to the logits, and the words that begin such a way.
std::size_t way_to_logits(kind from) {
  static const std::vector<std::size_t> ways = [] {
    std::vector<std::size_t> all(kind_names.size(), far);
    all[static_cast<std::size_t>(kind::four)] = 0;
    for (std::size_t round = 0; round < all.size(); ++round) {
      for (const word& w : words()) {
        const std::size_t to = all[static_cast<std::size_t>(w.out[0])];
        if (w.inputs == 1 && to != far) all[static_cast<std::size_t>(w.in[0])] = std::min(all[static_cast<std::size_t>(w.in[0])], to + 1);
      }
    }
    return all;
  }();
  return ways[static_cast<std::size_t>(from)];
}

/// The places of values of a kind that a layer behind `layers` may read a second time.
std::vector<std::size_t> places_of(const recipe& r, kind wanted) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i <= r.layers.size(); ++i) {
    if (kind_at(r, i == 0 ? 0 : made_by(i - 1)) == wanted) all.push_back(i);
  }
  return all;
}

/// The layers in front of the last one whose weights it can have.
std::vector<std::size_t> tables_for(const recipe& r, std::size_t layer) {
  std::vector<std::size_t> all;
  const word& w = word_of(r.layers[layer]);
  for (std::size_t i = 0; i < layer && w.facts.parameters > w.facts.biases; ++i) {
    if (r.fork.has(i) || r.fork.has(layer)) continue;
    if (r.layers[i].word == r.layers[layer].word && r.layers[i].shares == chosen_word::alone) all.push_back(i);
  }
  return all;
}
void draw_share(recipe& r, draws& d) {
  const std::vector<std::size_t> tables = tables_for(r, r.layers.size() - 1);
  if (!tables.empty() && d.below(2) == 0) r.layers.back().shares = tables[d.below(tables.size())];
}

/// One or two layers from a value on; the kind that they make. What they read by name is from before the fork, or their own.
kind draw_branch(recipe& r, draws& d, kind from, std::size_t fork) {
  const std::size_t begin = r.layers.size();
  kind now = from;
  for (std::size_t left = 1 + d.below(2); left > 0; --left) {
    std::vector<chosen_word> choices;
    for (std::size_t w = 0; w < words().size(); ++w) {
      if (words()[w].in[0] != now || is_loss(words()[w])) continue;
      if (words()[w].inputs == 1) choices.push_back({w, 0});
      for (const std::size_t place : words()[w].inputs == 1 ? std::vector<std::size_t>{} : places_of(r, words()[w].in[1])) {
        if (place <= fork || place > begin) choices.push_back({w, place});
      }
    }
    if (choices.empty()) break;
    r.layers.push_back(choices[d.below(choices.size())]);
    now = word_of(r.layers.back()).out[0];
  }
  return now;
}
/// Two branches and what joins them, if any word does; the kind that it makes.
kind draw_fork(recipe& r, draws& d, kind now) {
  const recipe before = r;
  const std::size_t first = r.layers.size();
  for (int tries = 0; tries < 20; ++tries) {
    r = before;
    const kind one = draw_branch(r, d, now, first);
    const std::size_t second = r.layers.size();
    const kind other = draw_branch(r, d, now, first);
    if (second == first || r.layers.size() == second) continue;
    std::vector<std::size_t> joins;
    for (std::size_t w = 0; w < words().size(); ++w) {
      if (words()[w].inputs == 2 && !is_loss(words()[w]) && words()[w].in == std::array{one, other}) joins.push_back(w);
    }
    if (joins.empty()) continue;
    r.fork = {first, second, r.layers.size()};
    r.layers.push_back({joins[d.below(joins.size())], r.fork.join});
    return word_of(r.layers.back()).out[0];
  }
  r = before;
  return now;
}

void draw_layers(recipe& r, draws& d, std::size_t most, bool forks) {
  kind now = r.entry;
  for (;;) {
    if (forks && !r.fork && !r.layers.empty() && d.below(2) == 0) now = draw_fork(r, d, now);
    const bool homewards = r.layers.size() + way_to_logits(now) >= most;
    if (homewards && now == kind::four) break;
    std::vector<chosen_word> choices;
    for (std::size_t w = 0; w < words().size(); ++w) {
      const word& one = words()[w];
      if (one.in[0] != now || is_loss(one)) continue;
      if (homewards && (one.inputs > 1 || way_to_logits(one.out[0]) + 1 != way_to_logits(now))) continue;
      if (one.inputs == 1) {
        choices.push_back({w, 0});
        continue;
      }
      for (const std::size_t from : places_of(r, one.in[1])) choices.push_back({w, from});
    }
    r.layers.push_back(choices[d.below(choices.size())]);
    draw_share(r, d);
    now = word_of(r.layers.back()).out[0];
    if (now == kind::four && d.below(3) == 0) break;
  }
  std::vector<chosen_word> losses;
  for (std::size_t w = 0; w < words().size(); ++w) {
    if (!is_loss(words()[w])) continue;
    if (words()[w].in[1] == kind::label) losses.insert(losses.end(), 2, {w, 0});
    for (const std::size_t from : places_of(r, words()[w].in[1])) losses.push_back({w, from});
  }
  r.layers.push_back(losses[d.below(losses.size())]);
}

/// Stages that begin anywhere.
void draw_cuts(recipe& r, draws& d, std::size_t stages) {
  std::vector<std::size_t> all;
  for (std::size_t i = 1; i < r.layers.size(); ++i) {
    if (!r.fork.has(i)) all.push_back(i);
  }
  const std::size_t kept = r.fork ? 2 : 0;  // where branches begin and end
  if (r.fork) std::erase(all, r.fork.join);
  while (!all.empty() && all.size() + kept + 1 > stages) all.erase(all.begin() + static_cast<std::ptrdiff_t>(d.below(all.size())));
  if (r.fork) all.insert(all.end(), {r.fork.first, r.fork.join});
  std::sort(all.begin(), all.end());
  r.cuts = all;
}

template <class Number>
Number number_of(std::string_view text) {
  Number n{};
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (wrong != std::errc{} || end != text.data() + text.size()) throw std::runtime_error{"no number: '" + std::string{text} + "'"};
  return n;
}
std::vector<std::string_view> pieces_of(std::string_view text, char by) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = text.find(by);
    if (end != 0) all.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return all;
}

}  // namespace

schedule::table forked(const schedule::table& t, const recipe& r) {
  const auto at = std::find(r.cuts.begin(), r.cuts.end(), r.fork.first);
  if (!r.fork || t.refused || at == r.cuts.end()) return t;
  const auto stage = static_cast<std::size_t>(at - r.cuts.begin()) + 1;
  if (stage >= t.where.stages || t.where.directions() > 1) return t;
  schedule::table made = t;
  made.where = {};
  made.where.ipus = t.where.ipus + 1, made.where.stages = t.where.stages, made.where.micro_batches = t.where.micro_batches;
  const auto put = [&](std::size_t ipu) {
    made.where.home.push_back(ipu);
    made.where.crossing.push_back(ipu);
  };
  for (std::size_t s = 0; s < t.where.stages; ++s) {
    made.where.first.push_back(made.where.home.size());
    put(t.where.home[s]);
    if (s == stage) put(t.where.ipus);
  }
  made.where.first.push_back(made.where.home.size());
  made.rows.push_back({});
  for (const schedule::placed& o : t.rows[t.where.home[stage]]) {
    if (o.stage == stage) made.rows.back().push_back(o);
  }
  return made;
}

schedule::table timetable_of(const recipe& r) {
  schedule::table t;
  schedule::with_schedule(r.schedule, schedule::setup{.ipus = r.ipus, .stages_per_ipu = r.stages_per_ipu, .micro_batches = r.micro_batches}, [&](const auto& made) {
    if (made.refused) {
      t.refused = made.refused;
    } else {
      t = schedule::tabulate(made);
    }
  });
  return forked(t, r);
}

bool fits(const recipe& r) {
  if (r.layers.empty() || r.micro_batch == 0 || r.replicas == 0 || r.iterations == 0 || r.threads == 0) return false;
  for (std::size_t i = 0; i < r.layers.size(); ++i) {
    const word& w = word_of(r.layers[i]);
    if (w.in[0] != kind_at(r, first_read(r, i)) || is_loss(w) != (i + 1 == r.layers.size())) return false;
    if (w.inputs > 1 && w.in[1] != kind::label && (r.layers[i].from > i || kind_at(r, r.layers[i].from == 0 ? 0 : made_by(r.layers[i].from - 1)) != w.in[1])) return false;
    if (r.layers[i].shares != chosen_word::alone) {
      const std::vector<std::size_t> tables = tables_for(r, i);
      if (std::find(tables.begin(), tables.end(), r.layers[i].shares) == tables.end()) return false;
    }
    if (r.fork.has(i) && w.inputs > 1) {
      if (w.in[1] == kind::label) return false;
      if (i >= r.fork.second && r.layers[i].from > r.fork.first && r.layers[i].from <= r.fork.second) return false;  // of the other branch
    }
  }
  if (r.fork) {
    const chosen_fork& f = r.fork;
    if (f.first == 0 || f.second <= f.first || f.join <= f.second || f.join + 1 >= r.layers.size()) return false;
    if (word_of(r.layers[f.join]).inputs != 2 || r.layers[f.join].from != f.join || word_of(r.layers[f.join]).in[1] == kind::label) return false;
    if (std::find(r.cuts.begin(), r.cuts.end(), f.first) == r.cuts.end() || std::find(r.cuts.begin(), r.cuts.end(), f.join) == r.cuts.end()) return false;
    if (std::any_of(r.cuts.begin(), r.cuts.end(), [&](std::size_t cut) { return cut > f.first && cut < f.join; })) return false;
  }
  for (std::size_t i = 0; i < r.cuts.size(); ++i) {
    if (r.cuts[i] >= r.layers.size() || r.cuts[i] <= (i == 0 ? 0 : r.cuts[i - 1])) return false;
  }
  const schedule::table t = timetable_of(r);
  if (r.fork && t.where.directions() > 1) return false;
  return !t.refused && !schedule::verify(t) && t.run_for == mode::training && t.where.stages == r.cuts.size() + 1 &&
         r.micro_batches % t.where.directions() == 0;
}

recipe random_recipe(std::uint64_t seed, std::size_t most_layers) {
  draws d{seed};
  recipe r;
  r.seed = seed;
  constexpr kind entries[] = {kind::image, kind::image, kind::sequence, kind::sequence, kind::eight, kind::tokens, kind::tokens};
  r.entry = entries[d.below(std::size(entries))];
  const std::size_t layers = 3 + d.below(most_layers);
  const bool forks = d.below(3) == 0;  // not as arguments, which each compiler evaluates in an order of its own
  draw_layers(r, d, layers, forks);
  r.micro_batch = 1 + d.below(d.below(3) == 0 ? 19 : 5);
  r.replicas = d.below(4) == 0 ? 2 : 1;
  r.iterations = 1 + d.below(2);
  r.threads = 2 + d.below(4);
  r.optimiser = optimisers[d.below(std::size(optimisers))];
  r.gradients = reductions[d.below(std::size(reductions))];
  r.halves = d.below(4) == 0;
  r.half_parameters = d.below(r.halves ? 2 : 6) == 0;
  for (int tries = 0; tries < 40; ++tries) {
    r.schedule = schedule::schedule_names[d.below(std::size(schedule::schedule_names))];
    r.ipus = 1 + d.below(5);
    r.stages_per_ipu = d.below(3);
    r.micro_batches = 1 + d.below(12);
    const schedule::table t = timetable_of(r);
    if (t.refused || t.where.stages > r.layers.size() || (r.fork && t.where.stages < 3)) continue;
    draw_cuts(r, d, t.where.stages);
    if (fits(r)) return r;
  }
  r.schedule = "sharded";
  r.ipus = 1, r.stages_per_ipu = 0, r.cuts.clear();
  if (r.fork) r.ipus = 3, r.cuts = {r.fork.first, r.fork.join};
  return r;
}

std::string text_of(const recipe& r) {
  std::string text = "entry=" + std::string{kind_names[static_cast<std::size_t>(r.entry)]} + " layers=";
  for (std::size_t i = 0; i < r.layers.size(); ++i) {
    const word& w = word_of(r.layers[i]);
    text += (i == 0 ? "" : ",") + std::string{w.name} + (w.inputs > 1 && w.in[1] != kind::label ? "@" + std::to_string(r.layers[i].from) : "");
    if (r.layers[i].shares != chosen_word::alone) text += "^" + std::to_string(r.layers[i].shares);
  }
  if (r.fork) text += " fork=" + std::to_string(r.fork.first) + "," + std::to_string(r.fork.second) + "," + std::to_string(r.fork.join);
  text += " cuts=";
  for (std::size_t i = 0; i < r.cuts.size(); ++i) text += (i == 0 ? "" : ",") + std::to_string(r.cuts[i]);
  const auto add = [&](const char* name, std::size_t n) { text += std::string{" "} + name + "=" + std::to_string(n); };
  text += " schedule=" + r.schedule;
  add("ipus", r.ipus), add("stages_per_ipu", r.stages_per_ipu), add("micro_batches", r.micro_batches), add("micro_batch", r.micro_batch);
  add("replicas", r.replicas), add("iterations", r.iterations), add("threads", r.threads);
  text += " optimiser=" + r.optimiser + " gradients=" + r.gradients;
  add("halves", r.halves ? 1 : 0), add("half_parameters", r.half_parameters ? 1 : 0), add("seed", r.seed);
  return text;
}

recipe recipe_of(std::string_view text) {
  recipe r;
  for (const std::string_view part : pieces_of(text, ' ')) {
    const std::size_t at = part.find('=');
    if (at == part.npos) throw std::runtime_error{"no 'name=value': '" + std::string{part} + "'"};
    const std::string_view name = part.substr(0, at), value = part.substr(at + 1);
    if (name == "entry") {
      r.entry = static_cast<kind>(std::find(kind_names.begin(), kind_names.end(), value) - kind_names.begin());
    } else if (name == "layers") {
      for (const std::string_view one : pieces_of(value, ',')) {
        const std::string_view called = one.substr(0, one.find_first_of("@^"));
        const std::string_view tie = one.substr(std::min(one.find('^'), one.size()));
        const std::string_view from = one.substr(called.size(), one.size() - called.size() - tie.size());
        const auto found = std::find_if(words().begin(), words().end(), [&](const word& w) { return w.name == called; });
        if (found == words().end()) throw std::runtime_error{"no layer is called '" + std::string{called} + "'"};
        r.layers.push_back({static_cast<std::size_t>(found - words().begin()), from.empty() ? 0 : number_of<std::size_t>(from.substr(1)),
                            tie.empty() ? chosen_word::alone : number_of<std::size_t>(tie.substr(1))});
      }
    } else if (name == "fork") {
      const std::vector<std::string_view> three = pieces_of(value, ',');
      if (three.size() != 3) throw std::runtime_error{"no fork: '" + std::string{value} + "'"};
      r.fork = {number_of<std::size_t>(three[0]), number_of<std::size_t>(three[1]), number_of<std::size_t>(three[2])};
    } else if (name == "cuts") {
      for (const std::string_view one : pieces_of(value, ',')) r.cuts.push_back(number_of<std::size_t>(one));
    } else if (name == "schedule" || name == "optimiser" || name == "gradients") {
      (name == "schedule" ? r.schedule : name == "optimiser" ? r.optimiser : r.gradients) = value;
    } else if (name == "seed") {
      r.seed = number_of<std::uint64_t>(value);
    } else if (name == "halves") {
      r.halves = value == "1";
    } else if (name == "half_parameters") {
      r.half_parameters = value == "1";
    } else {
      const std::pair<std::string_view, std::size_t*> numbers[] = {{"ipus", &r.ipus},         {"stages_per_ipu", &r.stages_per_ipu}, {"micro_batches", &r.micro_batches}, {"micro_batch", &r.micro_batch},
                                                                   {"replicas", &r.replicas}, {"iterations", &r.iterations},         {"threads", &r.threads}};
      const auto found = std::find_if(std::begin(numbers), std::end(numbers), [&](const auto& n) { return n.first == name; });
      if (found == std::end(numbers)) throw std::runtime_error{"nothing is called '" + std::string{name} + "'"};
      *found->second = number_of<std::size_t>(value);
    }
  }
  if (!fits(r)) throw std::runtime_error{"these parts do not fit together"};
  return r;
}

namespace {

/// Without layers [first, last), or with one word in their place; empty if what follows then reads something else.
recipe without(const recipe& r, std::size_t first, std::size_t last, std::size_t with = far) {
  recipe s = r;
  const std::size_t put = with == far ? 0 : 1, gone = last - first - put;
  s.layers.erase(s.layers.begin() + static_cast<std::ptrdiff_t>(first), s.layers.begin() + static_cast<std::ptrdiff_t>(last));
  if (put > 0) s.layers.insert(s.layers.begin() + static_cast<std::ptrdiff_t>(first), chosen_word{with, 0});
  for (std::size_t i = first + put; i < s.layers.size(); ++i) {
    std::size_t& from = s.layers[i].from;
    if (from > first) from = from < last ? first : from - gone;
    std::size_t& table = s.layers[i].shares;
    if (table != chosen_word::alone && table >= first) table = table < last ? chosen_word::alone : table - gone;
  }
  const auto move = [&](std::size_t& at) { at = at >= last ? at - gone : std::min(at, first + put); };
  for (std::size_t& cut : s.cuts) move(cut);
  if (s.fork) move(s.fork.first), move(s.fork.second), move(s.fork.join);
  s.cuts.erase(std::unique(s.cuts.begin(), s.cuts.end()), s.cuts.end());
  std::erase_if(s.cuts, [&](std::size_t cut) { return cut == 0 || cut >= s.layers.size(); });
  return s;
}

/// A recipe with fewer stages than its schedule has takes one that has them.
void with_schedule_for(const recipe& s, std::vector<recipe>& to) {
  to.push_back(s);
  for (const std::string_view name : {"sharded", "gpipe"}) {
    recipe t = s;
    t.schedule = name, t.ipus = s.cuts.size() + 1, t.stages_per_ipu = 0;
    to.push_back(t);
  }
}

/// Simpler ones, what takes most away first.
std::vector<recipe> simpler(const recipe& r) {
  std::vector<recipe> all;
  const auto change = [&](auto&& how) {
    recipe s = r;
    how(s);
    if (!(s == r)) all.push_back(s);
  };
  change([](recipe& s) { s.cuts.clear(), s.fork = {}, s.schedule = "sharded", s.ipus = 1, s.stages_per_ipu = 0; });
  if (r.fork) {  // one branch alone, which what followed the join reads instead
    recipe line = r;
    line.fork = {};
    with_schedule_for(without(line, r.fork.second, r.fork.join + 1), all);
    with_schedule_for(without(without(line, r.fork.join, r.fork.join + 1), r.fork.first, r.fork.second), all);
  }
  for (std::size_t length = r.layers.size() - 1; length > 0; --length) {
    for (std::size_t first = 0; first + length <= r.layers.size(); ++first) {
      with_schedule_for(without(r, first, first + length), all);
      for (std::size_t w = 0; length > 1 && w < words().size(); ++w) {
        if (words()[w].inputs == 1 && words()[w].in[0] == kind_at(r, first_read(r, first))) with_schedule_for(without(r, first, first + length, w), all);
      }
    }
  }
  for (std::size_t i = 0; i < r.cuts.size(); ++i) {
    recipe s = r;
    s.cuts.erase(s.cuts.begin() + static_cast<std::ptrdiff_t>(i));
    with_schedule_for(s, all);
  }
  for (const std::size_t n : {std::size_t{1}, r.micro_batches / 2, r.micro_batches - 1})
    if (n < r.micro_batches) change([&](recipe& s) { s.micro_batches = n; });
  for (const std::size_t n : {std::size_t{1}, r.micro_batch / 2, r.micro_batch - 1})
    if (n < r.micro_batch) change([&](recipe& s) { s.micro_batch = n; });
  change([](recipe& s) { s.replicas = 1; });
  change([](recipe& s) { s.iterations = 1; });
  change([](recipe& s) { s.threads = 1; });
  if (r.threads > 2) change([](recipe& s) { s.threads = 2; });
  if (r.schedule != "sharded") {
    change([](recipe& s) { s.schedule = "sharded", s.ipus = s.cuts.size() + 1, s.stages_per_ipu = 0; });
    if (r.schedule != "gpipe") change([](recipe& s) { s.schedule = "gpipe", s.ipus = s.cuts.size() + 1, s.stages_per_ipu = 0; });
  }
  change([](recipe& s) { s.optimiser = "sgd"; });
  change([](recipe& s) { s.gradients = "sum"; });
  change([](recipe& s) { s.halves = false; });
  change([](recipe& s) { s.half_parameters = false; });
  if (r.seed > 1) change([](recipe& s) { s.seed = 1; });
  for (std::size_t i = 0; i < r.layers.size(); ++i) {
    if (r.layers[i].from != i) change([&](recipe& s) { s.layers[i].from = i; });
    change([&](recipe& s) { s.layers[i].shares = chosen_word::alone; });
  }
  return all;
}

}  // namespace

recipe shrunk(recipe r, const std::function<bool(const recipe&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const recipe& s : simpler(r)) {
      if (!fits(s) || !fails(s)) continue;
      r = s;
      smaller = true;
      break;
    }
  }
  return r;
}

}  // namespace trust
