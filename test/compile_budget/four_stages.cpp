// SPDX-License-Identifier: BSL-1.0
// What a user's first file looks like: four stages, their types checked, run in a constant expression.
#include <ipuflow/graph.hpp>

using namespace ipuflow;

struct frame {
  int pixels = 0;
};

constexpr frame decode(int packet) { return {packet * 2}; }
constexpr frame denoise(frame f) { return {f.pixels - 1}; }
constexpr int count(const frame& f) { return f.pixels; }
constexpr double share(int found) { return found / 4.0; }

constexpr auto camera = pipeline(input<int>,
                                 stage(block<"decode">(decode)).ipu<0>(),
                                 stage(block<"denoise">(denoise)).ipu<1>(),
                                 stage(block<"count">(count)).ipu<2>(),
                                 stage(block<"share">(share)).ipu<3>());

static_assert(camera.stage_count == 4);
static_assert(camera(5) == 2.25);

int main() {}
