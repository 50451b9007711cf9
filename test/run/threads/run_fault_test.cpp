// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/threads/run_fault.hpp>

#include <doctest/doctest.h>

#include "streams.hpp"

#include <string>

namespace run_fault_test {

using namespace ipuflow;
using run::run_fault;
using run::run_wrong;

namespace {

constexpr auto grid = [](std::size_t ipus, std::size_t chunks) {
  return schedule::inference(schedule::setup{.ipus = ipus, .stages_per_ipu = chunks, .micro_batches = 8});
};

static_assert(accept<run::verify(streams::line, schedule::inference(streams::line, micro_batches<8>))>());
static_assert(accept<run::verify(streams::fork_fork, schedule::sequential(inference(streams::fork_fork), micro_batches<8>))>());
static_assert(accept<run::verify(streams::vee, schedule::inference(streams::vee, micro_batches<8>))>());
static_assert(accept<run::verify(streams::crowded, schedule::one_f_one_b(streams::crowded, micro_batches<8>))>());
// What the timetable says of itself comes first.
static_assert(run::verify(streams::line, schedule::grouped(streams::line, micro_batches<12>)).where.refused.kind ==
              schedule::schedule_wrong::not_a_multiple);
static_assert(run::verify(streams::line, grid(2, 1)) == run_fault{run_wrong::stages_differ, 2, 4});
static_assert(run::verify(streams::vee, grid(2, 2)) == run_fault{.kind = run_wrong::not_there, .where = {2, 1}});
static_assert(run::verify(streams::sparse, grid(4, 1)) == run_fault{.kind = run_wrong::not_there, .where = {0, 5}});
static_assert(run::verify(streams::fork_middle, grid(3, 1)) == run_fault{run_wrong::not_there, 1, 0, {1, 2}});

}  // namespace

TEST_CASE("each sentence has its numbers") {
  CHECK(sentence(run::verify(streams::line, grid(2, 1))).view() ==
        "ipuflow: a timetable of 2 stages is to run a pipeline of 4; make the timetable from that pipeline");
  CHECK(sentence(run::verify(streams::fork_middle, grid(3, 1))).view() ==
        "ipuflow: branch 1 of stage 1 is on IPU 2, where the timetable does not have that stage; make the timetable from this "
        "pipeline, or place it");
  const auto more = schedule::grouped(schedule::devices(0, schedule::on_ipus(1, 2), 2, 3), micro_batches<8>, mode::inference);
  CHECK(run::verify(streams::line, more) == run_fault{.kind = run_wrong::no_branch, .where = {1, 2}});
  CHECK(sentence(run::verify(streams::line, more)).view() ==
        "ipuflow: the timetable has stage 1 on IPU 2, where the pipeline has no branch of it; make the timetable from this "
        "pipeline, or place it");
  CHECK(sentence(run::verify(streams::line, schedule::grouped(streams::line, micro_batches<12>))).view() ==
        "ipuflow: 12 micro-batches do not fill the rounds of this schedule; the next number it allows is 16");
  CHECK(sentence(run_fault{run_wrong::out_of_order, 7, 5, {3, 4}}).view() ==
        "ipuflow: stage 3 on IPU 4 does micro-batch 7 out of turn, micro-batch 5 is next; values pass a stage in their order, so "
        "let its micro-batches ascend");
}

TEST_CASE("a stage that changes sides half-way is not where the pipeline has it") {
  constexpr auto p = place<0, 1, 2, 3>(streams::line);
  schedule::table crossing{schedule::grid{4, 4, 8, schedule::layout::mirrored}, mode::inference};
  CHECK(run::verify(p, crossing).kind == run_wrong::not_there);
}

}  // namespace run_fault_test
