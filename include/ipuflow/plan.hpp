// SPDX-License-Identifier: BSL-1.0
// Where layers and runs meet: a stage as programs on tiles.
#pragma once

// A stage on tiles.
#include <ipuflow/plan/lowered.hpp>
