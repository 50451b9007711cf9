// SPDX-License-Identifier: BSL-1.0
// A batch whose size is an argument of the template.
// expect: ipuflow: the size of a batch is an argument; batch\(3\)
#include <ipuflow/run/stream.hpp>

#ifdef EXPECT_FAILURE
auto three = ipuflow::run::batch<3>();
#else
auto three = ipuflow::run::batch(3);
#endif
