// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/analysis/tabulate.hpp>
#include <ipuflow/schedule/generators/catalogue.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>
#include <ipuflow/schedule/lowering/pytorch.hpp>

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace pytorch_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

TEST_CASE("which schedules its runtime takes: all that run one way; pairs from 2.9 on") {
  for (const std::string_view name : schedule_names) {
    CAPTURE(name);
    with_schedule(name, {.ipus = 4, .micro_batches = 16}, [&](const auto& t) {
      const bool both_ways = name == "dualpipe" || name == "chimera";
      const auto old = verify_for_pytorch(t).kind;
      const auto current = verify_for_pytorch(t, {.reads_pairs = true}).kind;
      CHECK(current == (both_ways ? pytorch_wrong::two_ranks : name == "inference" ? pytorch_wrong::inference : pytorch_wrong::nothing));
      CHECK(old == (name == "dualpipev" ? pytorch_wrong::together : current));
      if (current != pytorch_wrong::nothing) return;
      // the file has what was checked
      const table back = read_csv(to_csv(tabulate(t)));
      CHECK(verify_for_pytorch(back, {.reads_pairs = true}).kind == pytorch_wrong::nothing);
    });
  }
}

TEST_CASE("what it would refuse, or compute wrong, with the operation") {
  CHECK(message(verify_for_pytorch(grouped({.ipus = 4, .micro_batches = 10}))).view() ==
        "ipuflow: 10 micro-batches do not fill the rounds of this schedule; the next number it allows is 16");
  CHECK(message(verify_for_pytorch(forwards_only({.ipus = 2, .micro_batches = 2}))).view() ==
        "ipuflow: PyTorch's runtime runs files for training only; make the timetable for training");
  CHECK(message(verify_for_pytorch(chimera({.ipus = 2, .micro_batches = 2}))).view() ==
        "ipuflow: PyTorch's runtime has each stage on one rank, but stage 0 is on 0 and 1; take a schedule that runs one way and has no "
        "concurrent stages");
  CHECK(message(verify_for_pytorch(grouped(devices(0, on_ipus(1, 2), 3), micro_batches<6>))).view().find("stage 1 is on 1 and 2") !=
        std::string_view::npos);
  CHECK(message(verify_for_pytorch(grouped({.ipus = 2, .micro_batches = 4}, {.recompute = recomputation::automatic}))).view() ==
        "ipuflow: PyTorch's runtime has no word for the recompute of stage 0, micro-batch 0; make the timetable without recomputation, "
        "infeeds and outfeeds");
  CHECK(message(verify_for_pytorch(dualpipev({.ipus = 2, .micro_batches = 4}))).view() ==
        "ipuflow: rank 0 runs the forward of stage 0, micro-batch 3 together with the next operation, which PyTorch's runtime reads from "
        "2.9 on; say that it is, or take another schedule");
  const table swapped = read_csv("0F1,0F0,0B1,0B0\n1F1,1F0,1B1,1B0\n");
  CHECK(verify(swapped).kind == schedule_wrong::nothing);
  CHECK(message(verify_for_pytorch(swapped)).view() ==
        "ipuflow: the last stage does the forward of micro-batch 1 where 0 is next; PyTorch's runtime numbers losses in the order of those "
        "forwards, so let them ascend");
}

}  // namespace pytorch_test
