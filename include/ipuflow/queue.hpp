// SPDX-License-Identifier: BSL-1.0
// Lock-free queues with one producer and one consumer.
#pragma once

// The front door.
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/producer.hpp>
#include <ipuflow/queue/consumer.hpp>

// Rings. Boost.Lockfree's, boost_ring.hpp, is included by those who want it.
#include <ipuflow/queue/ring.hpp>
#include <ipuflow/queue/spsc_ring.hpp>
#include <ipuflow/queue/slot_ring.hpp>
#include <ipuflow/queue/capacity.hpp>

// Waiting, the end of a stream, statistics.
#include <ipuflow/queue/waiting.hpp>
#include <ipuflow/queue/stream_end.hpp>
#include <ipuflow/queue/statistics.hpp>
#include <ipuflow/queue/queue_fault.hpp>

// Parts of rings.
#include <ipuflow/queue/atomics.hpp>
#include <ipuflow/queue/ring_side.hpp>
