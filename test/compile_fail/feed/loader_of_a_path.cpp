// SPDX-License-Identifier: BSL-1.0
// The name of a file where a loader takes what is in it.
// expect: ipuflow: a loader is given the name of a file, whose letters are no samples; read it first, as feed::csv and its neighbours do
#include <ipuflow/feed.hpp>

#include <string>

using namespace ipuflow;

#ifdef EXPECT_FAILURE
void loads() { feed::load("train.csv", 8); }
#else
void loads(const std::string& text) { (void)feed::load(text, 8); }
#endif
