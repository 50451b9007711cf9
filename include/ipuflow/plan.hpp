// SPDX-License-Identifier: BSL-1.0
// A stage as programs on tiles: layers make them, a run puts them in order.
#pragma once

// A stage on tiles.
#include <ipuflow/plan/lowered.hpp>
