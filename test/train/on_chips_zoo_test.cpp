// SPDX-License-Identifier: BSL-1.0
// Networks of the zoo, tiny, on two simulated chips: the losses of ten updates are those of threads.
#include "chips_check.hpp"
#include "small_bert.hpp"
#include "small_resnet.hpp"

#include <cmath>
#include <cstddef>

namespace on_chips_zoo_test {

using namespace ipuflow;

namespace {

constexpr auto bert = regroup(test::small_bert, stage<"embeddings", "layer[0]">().ipu<0>(), stage<"layer[1]", "masked">().ipu<1>());
constexpr auto resnet = regroup(test::small_resnet, stage<"conv1", "layer1.0">().ipu<0>(),
                                stage<"layer2.0", "layer2.1", "fc", "loss">().ipu<1>());

/// The largest difference of a loss, of all in ten updates with the same samples, and of what was learned.
struct distance {
  double loss = 0, model = 0, state = 0;
};

template <class Data, class P>
distance after_ten_updates(const P& network, train::options o) {
  o.outputs = feed::output_mode::all;
  const schedule::table t = schedule::tabulate(schedule::one_f_one_b(network, micro_batches<4>));
  const train::adamw rule{.rate = 2e-2f, .epsilon = 1e-3f};
  train::session host{network, t, rule, o};
  train::session tiles{network, t, rule, o, on::chips{.system = test::small_system(2)}};
  distance most;
  double first = 0, last = 0;
  const Data data{host.samples_per_step()};
  for (std::size_t update = 0; update < 10; ++update) {
    const auto& wanted = host(data).back();
    most.loss = std::fmax(most.loss, test::farthest(tiles(data).back().values, wanted.values));
    (update == 0 ? first : last) = train::mean_of(wanted);
  }
  CHECK(last < 0.9 * first);
  most.model = test::farthest(tiles.parameters()->values, host.parameters()->values);
  most.state = test::farthest(tiles.parameters()->state, host.parameters()->state);
  return most;
}

}  // namespace

TEST_CASE("a tiny BERT on two chips learns what it learns on threads") {
  const distance of = after_ten_updates<test::made_up_masked_texts>(bert, {.micro_batch = 4});
  CHECK(of.loss < 1e-5);
  CHECK(of.model < 1e-5);
}

TEST_CASE("a tiny ResNet on two chips learns what it learns on threads") {
  const distance of = after_ten_updates<test::made_up_images>(resnet, test::resnet_options(4));
  CHECK(of.loss < 1e-5);
  CHECK(of.model < 1e-5);
  CHECK(of.state < 1e-5);
}

}  // namespace on_chips_zoo_test
