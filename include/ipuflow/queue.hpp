// SPDX-License-Identifier: BSL-1.0
// Everything of `queue`: rings, channels and their two ends, waiting, statistics. Of these, boost_ring.hpp alone costs
// half a second of compile time; who does not need it includes channel.hpp.
#pragma once

#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/queue/boost_ring.hpp>
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/consumer.hpp>
#include <ipuflow/queue/ending.hpp>
#include <ipuflow/queue/producer.hpp>
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/ring_side.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/statistics.hpp>
#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/queue/wrong.hpp>
