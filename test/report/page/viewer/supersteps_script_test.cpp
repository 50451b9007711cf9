// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/report/page/viewer/supersteps_script.hpp>

#include "report/page/viewer/piece.hpp"

TEST_CASE("the viewer's supersteps piece loads nothing and makes no markup") {
  viewer_pieces::check_piece(ipuflow::report::impl::supersteps_script);
}
