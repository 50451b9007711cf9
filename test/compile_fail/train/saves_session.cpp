// SPDX-License-Identifier: BSL-1.0
// A session where its model is to be saved, and what sessions share where one is to be loaded.
// expect: ipuflow: a file has a model, but what holds one is given; give the model itself, \*session.parameters\(\), or what a pointer points to
#include <ipuflow/train/model_file.hpp>

#include <ipuflow/core/shared.hpp>

#include <string>

using namespace ipuflow;

void keep(const shared<train::model<>>& learned, const std::string& path) {
#ifdef EXPECT_FAILURE
  save(learned, path);
#else
  save(*learned, path);
#endif
}
