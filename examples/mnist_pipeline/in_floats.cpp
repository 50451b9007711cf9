// SPDX-License-Identifier: BSL-1.0
#include "training.hpp"

void train_in_floats(const settings& s) { run_by_name<train::precision<>>(mnist<float>, s); }
