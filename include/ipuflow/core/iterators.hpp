// SPDX-License-Identifier: BSL-1.0
// Iterators and the concepts of ranges, without the streams that <iterator> brings along: what is declared in terms of them has them.
#pragma once

#include <string_view>
