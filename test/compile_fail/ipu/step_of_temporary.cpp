// SPDX-License-Identifier: BSL-1.0
// An engine of a step that ends with its line.
// expect: ipuflow: an engine runs a step that outlives it; give the step a name
#include <ipuflow/ipu/engine/engine.hpp>

using namespace ipuflow;


#ifdef EXPECT_FAILURE
void run(const ipu::graph& g) { ipu::engine chips(ipu::pod(ipu::mk2, 1), g, ipu::step{}); }
#else
void run(const ipu::graph& g, const ipu::step& s) { ipu::engine chips(ipu::pod(ipu::mk2, 1), g, s); }
#endif
