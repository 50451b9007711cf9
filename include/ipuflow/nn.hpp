// SPDX-License-Identifier: BSL-1.0
// Everything of `nn`: layers as types.
#pragma once

#include <ipuflow/nn/activation.hpp>
#include <ipuflow/nn/conv2d.hpp>
#include <ipuflow/nn/flatten.hpp>
#include <ipuflow/nn/linear.hpp>
#include <ipuflow/nn/loss.hpp>
#include <ipuflow/nn/pool.hpp>
