// SPDX-License-Identifier: BSL-1.0
// A small GPT learns to write like a text, character by character, over four stages; then it writes on from a few words of yours.
// The text is what this library says about itself, or a file of your own.
#include <ipuflow/feed/load.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train/predict.hpp>
#include <ipuflow/train/session.hpp>

#include <cstdio>

using namespace ipuflow;
