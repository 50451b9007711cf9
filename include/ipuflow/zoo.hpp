// SPDX-License-Identifier: BSL-1.0
// Published networks as blocks, to put on stages. Not in <ipuflow/ipuflow.hpp>: a program names the one that it wants.
#pragma once

#include <ipuflow/zoo/resnet.hpp>
#include <ipuflow/zoo/vgg.hpp>
#include <ipuflow/zoo/efficientnet.hpp>
#include <ipuflow/zoo/transformers.hpp>
#include <ipuflow/zoo/parts.hpp>
