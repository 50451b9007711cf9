// SPDX-License-Identifier: BSL-1.0
// Every schedule as a table.
#pragma once

#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace chips_tables {

using namespace ipuflow;

template <class Use>
void each_table(std::size_t ipus, std::size_t micro_batches, Use use) {
  for (const std::string_view name : schedule::schedule_names) {
    const schedule::setup asked{ipus, 0, micro_batches, name == "inference" ? mode::inference : mode::training};
    schedule::with_schedule(name, asked, [&](const auto& t) {
      CAPTURE(std::string{name});
      if (!t.refused) use(schedule::tabulate(t));
    });
  }
}

}  // namespace chips_tables
