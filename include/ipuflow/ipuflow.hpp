// SPDX-License-Identifier: BSL-1.0
// The whole library. A file that uses one module compiles faster with that module's header alone.
#pragma once

#include <ipuflow/chips.hpp>
#include <ipuflow/core.hpp>
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/queue.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/feeds.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/feeds.hpp>
