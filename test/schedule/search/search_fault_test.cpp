// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/schedule/generators/dualpipe.hpp>
#include <ipuflow/schedule/search/search.hpp>

#include <doctest/doctest.h>

namespace search_fault_test {

using namespace ipuflow;
using namespace ipuflow::schedule;

constexpr grid line{.ipus = 2, .stages = 2, .micro_batches = 3};

template <class Where = grid>
std::string_view refusal(const search_memory& memory, const Where& where = line, const costs& c = {}) {
  static message_text text;
  text = message(search(where, c, memory, {.iterations = 1}).refused);
  return text.view();
}

TEST_CASE("each fault has its sentence") {
  CHECK(refusal({{}, 2}) == "");
  CHECK(refusal({{}, 2}, grid{.ipus = 2, .stages = 2}) ==
        "ipuflow: a search has 2 operations for each micro-batch and 0 micro-batches; give at least one stage on an IPU and one "
        "micro-batch");
  CHECK(refusal({{}, 2}, grid{2, 2, 4, layout::mirrored}) ==
        "ipuflow: stage 0 is on 1 IPU or on another for some micro-batches; a search wants each on one");
  costs_of_stages<2> one_record;
  one_record.stage.push_back({});
  CHECK(message(search(line, one_record, {{}, 2}, {.iterations = 1}).refused).view() ==
        "ipuflow: costs are given for 1 stage, but the search has 2; give one record for each stage");
  search_memory memory{{}, 2};
  memory.stages = dynamic_array<activation_bytes>(3);
  CHECK(refusal(memory) == "ipuflow: memory is given for 3 stages, but the search has 2; give one record for all, or one for each stage");
  memory = {{}, 2};
  memory.limits = dynamic_array<std::size_t>(3, 2);
  CHECK(refusal(memory) == "ipuflow: limits of memory are given for 3 IPUs, but the search has 2; give one for all, or one for each IPU");
  CHECK(refusal({{3, -1, -1}, 4}) ==
        "ipuflow: stage 0 adds 3 bytes and frees 2 for a micro-batch; what its passes add must come to zero");
  CHECK(refusal({{3, -1, -2}, 2}) ==
        "ipuflow: IPU 0 holds 3 bytes for one micro-batch alone, more than its limit of 2; give it more, or smaller micro-batches");
  CHECK(refusal({{}, 2}, line, costs{std::size_t{1} << 50}) ==
        "ipuflow: the times or bytes of this search come to more than 4398046511104; count them in a larger unit");
}

}  // namespace search_fault_test
