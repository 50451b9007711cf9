// SPDX-License-Identifier: BSL-1.0
// Expected values: torch_values.py.
#include "zoo_check.hpp"

#include <ipuflow/zoo/efficientnet.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

namespace efficientnet_test {

using namespace zoo_test;

namespace {

constexpr auto b0 = block_by_block<3, 40, 40>(zoo::efficientnet_b0<>);
static_assert(parameters_of(b0) == 5'288'548);
static_assert(parameters_of(block_by_block<3, 40, 40>(zoo::efficientnet_b4<>)) == 19'341'616);

/// The channels of the layers, the stem's first and the head's last, and the blocks of each, as torchvision has them.
constexpr bool has(const zoo::impl::efficientnet_sizes& net, std::array<std::size_t, 9> channels, std::array<std::size_t, 7> blocks) {
  bool same = net.channels(32) == channels[0] && 4 * net.channels(320) == channels[8];
  std::size_t at = 0;
  for (std::size_t layer = 0; layer < 7; ++layer) {
    for (std::size_t index = 0; index < blocks[layer]; ++index, ++at) {
      const zoo::impl::inverted_sizes s = inverted_at(net, {}, at);
      same = same && s.layer == layer && s.index == index && s.out == channels[layer + 1] &&
             s.in == (index == 0 ? channels[layer] : channels[layer + 1]);
    }
  }
  return same && at == blocks_of(net);
}
static_assert(has({1.0, 1.1, 0.2}, {32, 16, 24, 40, 80, 112, 192, 320, 1280}, {2, 3, 3, 4, 4, 5, 2}), "B1");
static_assert(has({1.1, 1.2, 0.3}, {32, 16, 24, 48, 88, 120, 208, 352, 1408}, {2, 3, 3, 4, 4, 5, 2}), "B2");
static_assert(has({1.2, 1.4, 0.3}, {40, 24, 32, 48, 96, 136, 232, 384, 1536}, {2, 3, 3, 5, 5, 6, 2}), "B3");
static_assert(has({1.4, 1.8, 0.4}, {48, 24, 32, 56, 112, 160, 272, 448, 1792}, {2, 4, 4, 6, 6, 8, 2}), "B4");

constexpr zoo::inverted_blocks in_sixteens{.group = 16, .expansion = 4};
static_assert(std::is_same_v<decltype(zoo::efficientnet_b0<>), decltype(zoo::efficientnet_b0<1000, zoo::inverted_blocks{1, 6}, nn::batch_norm>)>);

/// Parameters by the formulas of the papers: each convolution has a scale and a shift for each of its channels behind it.
constexpr std::size_t parameters_by_hand(const zoo::impl::efficientnet_sizes& net, const zoo::inverted_blocks& variant) {
  const std::size_t stem = net.channels(32), head = 4 * net.channels(320);
  std::size_t all = 27 * stem + 2 * stem + net.channels(320) * head + 2 * head + 1000 * (head + 1);
  for (std::size_t b = 0; b < blocks_of(net); ++b) {
    const zoo::impl::inverted_sizes s = inverted_at(net, variant, b);
    const std::size_t inner = b < net.repeats(1) ? s.in : s.in * variant.expansion, squeezed = s.in / 4;
    const std::size_t together = inner < variant.group ? inner : variant.group;  // channels of a group
    if (inner != s.in) all += s.in * inner + 2 * inner;
    all += s.kernel * s.kernel * together * inner + 2 * inner + squeezed * (2 * inner + 1) + inner + inner * s.out + 2 * s.out;
  }
  return all;
}
static_assert(parameters_by_hand({1.0, 1.0, 0.2}, {}) == 5'288'548);
static_assert(parameters_by_hand({1.0, 1.0, 0.2}, in_sixteens) ==
              parameters_of(block_by_block<3, 40, 40>(zoo::efficientnet_b0<1000, in_sixteens, nn::group_norm<4>>)));

}  // namespace

TEST_CASE("EfficientNet-B0 gives PyTorch's values") {
  check_values(values_of_second_image(b0, 8),
               {-0.335522f, -1.06926f, 0.114922f, 1.55862f, -0.186149f,
                -0.71924f, -0.913931f, 0.280437f, -0.172762f, 0.249277f});
}

}  // namespace efficientnet_test
