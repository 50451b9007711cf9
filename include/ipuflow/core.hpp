// SPDX-License-Identifier: BSL-1.0
// The vocabulary of all modules: faults, units, shapes, small containers.
#pragma once

// Faults: values with a sentence.
#include <ipuflow/core/fault.hpp>

// Counts, sizes and types of data.
#include <ipuflow/core/units.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/core/micro_batches.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/shape.hpp>
#include <ipuflow/core/tensor.hpp>

// Text and containers that work in constants.
#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/per_stage.hpp>
#include <ipuflow/core/dynamic_array.hpp>
#include <ipuflow/core/flat_map.hpp>
#include <ipuflow/core/memo.hpp>

// Options as text, where they are wanted: core/field_text.hpp.

// Random numbers that say where they belong.
#include <ipuflow/core/mixed_bits.hpp>
#include <ipuflow/core/crc32.hpp>
