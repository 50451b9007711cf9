// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/nn/bounds/layer_bound.hpp>

#include <doctest/doctest.h>

namespace layer_bound_test {

using namespace ipuflow;

TEST_CASE("passes behind each other share the memory of what lives for a time, and add their code") {
  nn::pass_bound one{100, 10, 2, 8};
  one.then({70, 5, 1, 4});
  CHECK(one == nn::pass_bound{100, 15, 3, 12});
  CHECK(one.then({300, 0, 0, 0}).temporary == 300);
}

TEST_CASE("a question knows the shares of its chip") {
  constexpr nn::bound_question q{.samples = 64};
  static_assert(q.memory() == bytes{383'385});
  static_assert(q.spread(ipu::element_type::f16, 1440) == 128);  // 64 x 1440 halves over 1,440 tiles
  static_assert(q.rows(3000, 10) == 30);                         // three rows on some tiles
  CHECK(q.spread(ipu::element_type::f32, 1) == 128);             // 64 floats on two tiles, as no tile gets less than 128 bytes
}

struct own {};
template <class X>
constexpr nn::layer_bound bound_on_tiles(own, nn::in<X>, nn::out<X>, const nn::bound_question&) {
  return {.forward = {.temporary = 7}};
}
struct unknown {};

TEST_CASE("a user's layer has the bound that it says, or none") {
  using value = tensor<float, 8>;
  static_assert(nn::impl::bounded_layer<own, nn::in<value>, nn::out<value>>);
  static_assert(!nn::impl::bounded_layer<unknown, nn::in<value>, nn::out<value>>);
}

}  // namespace layer_bound_test
