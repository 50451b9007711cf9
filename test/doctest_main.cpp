// SPDX-License-Identifier: BSL-1.0
// The main function of every <module>_test.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
