// SPDX-License-Identifier: BSL-1.0
// Random networks: that what is put together while a program runs is what the library makes of types, that a fixed sample of seeds keeps
// all laws, that they reach every layer and every schedule, and that what breaks a law is made as small as it can be.
#include "assembly.hpp"
#include "networks.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace networks_test {

using namespace ipuflow;

namespace {

constexpr std::size_t seeds = 90;

bool has(const trust::recipe& r, std::string_view name) {
  return std::any_of(r.layers.begin(), r.layers.end(), [&](const trust::chosen_word& c) { return trust::word_of(c).name == name; });
}

}  // namespace

TEST_CASE("a stage that is put together is the one that its types make: every slot, every step, every place of memory") {
  constexpr auto typed = pipeline(input<float, 3, 4>, per_sample<"label", std::uint8_t>,
                                  block<"a">(nn::linear<4>, keep<"x">, nn::gelu, keep<"y">, nn::checkpoint, nn::layer_norm),
                                  block<"b">(use<"y">(nn::add), nn::softmax), block<"c">(use<"x">(nn::add), nn::flatten, nn::linear<4>, use<"label">(nn::cross_entropy)));
  using P = std::remove_cvref_t<decltype(typed)>;
  const trust::recipe r = trust::recipe_of(
      "entry=sequence layers=positions,gelu,checkpoint_sequence,layer_norm,add_sequence@2,shares,add_sequence@1,flatten_sequence,logits12,cross_entropy "
      "cuts=4,6 schedule=gpipe ipus=3 micro_batches=2 micro_batch=5");
  const trust::network_of_words<float> made{r};
  const auto check = [&]<std::size_t Stage>(std::integral_constant<std::size_t, Stage>) {
    CAPTURE(Stage);
    constexpr const auto& wanted = nn::planned<P, Stage, float>;
    const auto& got = made.stages[Stage].plan;
    REQUIRE(got.slots.size() == wanted.slots.size());
    REQUIRE(got.steps.size() == wanted.steps.size());
    CHECK(got.entering == wanted.entering);
    CHECK(got.parameters == wanted.parameters);
    CHECK(got.segments == wanted.segments);
    CHECK(got.exit_is_read_later == wanted.exit_is_read_later);
    CHECK(std::equal(got.leaving.begin(), got.leaving.end(), wanted.leaving.begin(), wanted.leaving.end()));
    for (std::size_t i = 0; i < got.slots.size(); ++i) {
      CAPTURE(i);
      const nn::slot_plan &a = got.slots[i], &b = wanted.slots[i];
      CHECK((a.elements == b.elements && a.positions == b.positions && a.element_bytes == b.element_bytes && a.real == b.real && a.single == b.single));
      CHECK((a.root == b.root && a.gradient_root == b.gradient_root && a.has_gradient == b.has_gradient && a.travels_back == b.travels_back));
      CHECK((a.never_written == b.never_written && a.cleared == b.cleared && a.where == b.where && a.gradient_where == b.gradient_where));
      CHECK((a.needed_by_inputs == b.needed_by_inputs && a.needed_by_weights == b.needed_by_weights && a.needed_again == b.needed_again && a.segment == b.segment));
    }
    for (std::size_t i = 0; i < got.steps.size(); ++i) {
      CAPTURE(i);
      const nn::impl::step_plan &a = got.steps[i], &b = wanted.steps[i];
      CHECK(std::equal(a.in.begin(), a.in.end(), b.in.begin(), b.in.end()));
      CHECK(std::equal(a.out.begin(), a.out.end(), b.out.begin(), b.out.end()));
      CHECK(std::equal(a.to.begin(), a.to.end(), b.to.begin(), b.to.end()));
      CHECK((a.parameters_begin == b.parameters_begin && a.computes_inputs == b.computes_inputs && a.runs_again == b.runs_again && a.segment == b.segment));
      CHECK(a.facts.parameters == b.facts.parameters);
    }
  };
  check(std::integral_constant<std::size_t, 0>{});
  check(std::integral_constant<std::size_t, 1>{});
  check(std::integral_constant<std::size_t, 2>{});
}

TEST_CASE("a sample of random networks keeps all laws") {
  trust::tried counted;
  std::set<std::string> layers, schedules, optimisers;
  std::size_t shared = 0, in_halves = 0, of_tokens = 0, concurrent = 0;
  const auto is_new = [&layers](const trust::chosen_word& c) { return !layers.contains(std::string{trust::word_of(c).name}); };
  for (std::size_t seed = 1; seed <= seeds || (layers.size() < trust::words().size() && seed <= 10 * seeds); ++seed) {
    const trust::recipe r = trust::random_recipe(seed, 12);
    if (seed > seeds && std::none_of(r.layers.begin(), r.layers.end(), is_new)) continue;  // behind the sample, words that it did not draw
    REQUIRE(trust::fits(r));
    CHECK(trust::recipe_of(trust::text_of(r)) == r);
    CAPTURE(trust::text_of(r));
    CHECK(trust::check_all(r, counted) == "");
    for (const trust::chosen_word& c : r.layers) layers.insert(std::string{trust::word_of(c).name});
    shared += std::any_of(r.layers.begin(), r.layers.end(), [](const trust::chosen_word& c) { return c.shares != trust::chosen_word::alone; }) ? 1u : 0u;
    in_halves += r.half_parameters ? 1u : 0u;
    concurrent += r.fork ? 1u : 0u;
    of_tokens += r.entry == trust::kind::tokens ? 1u : 0u;
    schedules.insert(r.schedule);
    optimisers.insert(r.optimiser);
  }
  CHECK(layers.size() == trust::words().size());  // none is left out
  CHECK(schedules.size() >= 12);
  CHECK(shared >= 5);
  CHECK(in_halves >= 5);
  CHECK(concurrent >= 10);
  CHECK(of_tokens >= 5);
  CHECK(optimisers.size() == 4);
  CHECK(counted.gradients > 1000);
  CHECK(counted.searches > 10);
  CHECK(counted.faults > 100);
  MESSAGE(seeds << " networks, " << shared << " with shared weights, " << in_halves << " with parameters in halves, " << of_tokens << " of tokens, " << concurrent << " with concurrent branches: " << counted.gradients << " gradients, " << counted.steps << " steps, " << counted.schedules << " schedules, " << counted.searches << " searched, "
                << counted.faults << " faults, " << counted.numbers << " numbers compared");
}

TEST_CASE("networks that once broke a law") {
  for (const char* const text : {
           // On tiles the sums of a product of few numbers were left where they were made.
           "entry=sequence layers=queries,attention,flatten_sequence,logits12,cross_entropy cuts= schedule=sharded ipus=1 stages_per_ipu=0 micro_batches=1 micro_batch=5 "
           "replicas=1 iterations=1 threads=1 optimiser=sgd gradients=sum halves=0 seed=1",
           // A maximum changes hands between two points that are 4e-7 apart, so no difference as wide as that is the slope.
           "entry=image layers=conv,group_norm,tanh_planes,mean,scale_channels@2,max_pool,flatten,logits12,cross_entropy cuts= schedule=sharded ipus=1 stages_per_ipu=0 "
           "micro_batches=4 micro_batch=1 replicas=2 iterations=1 threads=1 optimiser=sgd gradients=sum halves=0 half_parameters=0 seed=255274255108865",
       }) {
    CAPTURE(text);
    trust::tried counted;
    CHECK(trust::check_all(trust::recipe_of(text), counted) == "");
  }
}

TEST_CASE("what breaks a law is made smaller until nothing smaller breaks it") {
  // As if a maximum over a window were wrong wherever a layer behind it is in another stage.
  const auto breaks = [](const trust::recipe& r) {
    const auto pool = std::find_if(r.layers.begin(), r.layers.end(), [](const trust::chosen_word& c) { return trust::word_of(c).name == "max_pool"; });
    return pool != r.layers.end() && !r.cuts.empty() && r.cuts.back() > static_cast<std::size_t>(pool - r.layers.begin());
  };
  std::size_t tried = 0;
  for (std::size_t seed = 1; seed <= 400; ++seed) {
    const trust::recipe r = trust::random_recipe(seed, 12);
    if (!breaks(r)) continue;
    ++tried;
    const trust::recipe small = trust::shrunk(r, breaks);
    CAPTURE(trust::text_of(r));
    CAPTURE(trust::text_of(small));
    CHECK(breaks(small));
    CHECK(has(small, "max_pool"));
    CHECK(small.layers.size() <= 5);  // conv, max_pool, flatten, logits, loss
    CHECK(small.cuts.size() == 1);
    CHECK(small.schedule == "sharded");
    CHECK((small.micro_batch == 1 && small.micro_batches == 1 && small.replicas == 1 && small.iterations == 1 && small.threads == 1 && small.seed == 1));
    CHECK((small.optimiser == "sgd" && small.gradients == "sum" && !small.halves));
  }
  CHECK(tried >= 5);
}

TEST_CASE("a text that is no recipe is refused") {
  CHECK_THROWS(trust::recipe_of("entry=image"));
  CHECK_THROWS(trust::recipe_of("entry=image layers=conv,nothing"));
  CHECK_THROWS(trust::recipe_of("entry=image layers=conv,logits,cross_entropy schedule=sharded ipus=1"));  // planes are no logits
  CHECK_THROWS(trust::recipe_of("entry=eight layers=logits,cross_entropy cuts=9 schedule=sharded ipus=2"));
  CHECK_THROWS(trust::recipe_of("entry=eight layers=logits,cross_entropy speed=9"));
}

}  // namespace networks_test
