// SPDX-License-Identifier: BSL-1.0
// Everything of `core`: what all other modules speak with.
#pragma once

#include <ipuflow/core/bounded_vector.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/mode.hpp>
#include <ipuflow/core/shape.hpp>
#include <ipuflow/core/type_name.hpp>
#include <ipuflow/core/units.hpp>
