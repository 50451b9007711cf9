// SPDX-License-Identifier: BSL-1.0
// All schedules by name, for programs that learn at run time which one is wanted.
#pragma once

#include <ipuflow/schedule/generators/chimera.hpp>
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/generators/grouped.hpp>
#include <ipuflow/schedule/generators/inference.hpp>
#include <ipuflow/schedule/generators/interleaved.hpp>
#include <ipuflow/schedule/generators/interleaved_1f1b.hpp>
#include <ipuflow/schedule/generators/looped_bfs.hpp>
#include <ipuflow/schedule/generators/one_f_one_b.hpp>
#include <ipuflow/schedule/generators/phased.hpp>
#include <ipuflow/schedule/generators/sequential.hpp>
#include <ipuflow/schedule/generators/v_half.hpp>
#include <ipuflow/schedule/generators/v_min.hpp>
#include <ipuflow/schedule/generators/zb1p.hpp>
#include <ipuflow/schedule/generators/zb2p.hpp>
#include <ipuflow/schedule/generators/zbv.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::schedule {

inline constexpr std::string_view schedule_names[] = {
    "grouped",    "interleaved",      "sequential", "sharded", "phased",   "gpipe", "1f1b",
    "eager_1f1b", "interleaved_1f1b", "looped_bfs", "zb1p",    "zb2p",     "zbv",   "v_half",
    "v_min",      "dualpipe",         "dualpipev",  "chimera", "inference"};

enum class name_wrong : unsigned char { nothing, unknown };

using name_fault = fault<name_wrong, fixed_string<40>>;

constexpr message_text sentence(const name_fault& f) {
  message_text text = words("ipuflow: no schedule is called '", f.where, "'; use one of");
  for (const std::string_view name : schedule_names) (text += " ") += name;
  return text;
}

/// Calls `use(timetable)` with the schedule of that name; a name that there is none of is thrown.
template <class Use>
constexpr decltype(auto) with_schedule(std::string_view name, const setup& asked, Use&& use) {
  if (name == "grouped") return use(grouped(asked));
  if (name == "interleaved") return use(interleaved(asked));
  if (name == "sequential") return use(sequential(asked));
  if (name == "sharded") return use(sharded(asked));
  if (name == "phased") return use(phased(asked));
  if (name == "gpipe") return use(gpipe(asked));
  if (name == "1f1b") return use(one_f_one_b(asked));
  if (name == "eager_1f1b") return use(eager_1f1b(asked));
  if (name == "interleaved_1f1b") return use(interleaved_1f1b(asked));
  if (name == "looped_bfs") return use(looped_bfs(asked));
  const bool few = asked.stages_per_ipu > 1 && asked.micro_batches < asked.ipus;
  if (name == "zb1p") return few ? use(zb1p_of_few(asked)) : use(zb1p(asked));
  if (name == "zb2p") return use(zb2p(asked));
  if (name == "zbv") return use(zbv(asked));
  if (name == "v_half") return use(v_half(asked));
  if (name == "v_min") return use(v_min(asked));
  if (name == "dualpipe") return use(dualpipe(asked));
  if (name == "dualpipev") return use(dualpipev(asked));
  if (name == "chimera") return use(chimera(asked));
  if (name != "inference") throw_if(name_fault{name_wrong::unknown, fixed_string<40>{name}, 0, 0});
  return use(inference(asked));
}

}  // namespace ipuflow::schedule
