// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/streams/stage_fault.hpp>

#include <doctest/doctest.h>

namespace stage_fault_test {

using namespace ipuflow;
using run::stream_stage_wrong;

TEST_CASE("a stage is called by its name, or by its number if it has none") {
  run::stream_stage_fault found{.kind = stream_stage_wrong::gives_nothing, .got = 2, .where = {.item = type_text{"int"}}};
  CHECK(sentence(found).view() == "ipuflow: stage 2 returns nothing for int; return what the next stage takes, or make it the sink");
  found.where.block = fixed_string<60>{std::string_view{"parse"}};
  CHECK(sentence(found).view().substr(0, 46) == "ipuflow: block 'parse' returns nothing for int");
}

TEST_CASE("every mistake has a sentence of its own, nothing has none") {
  message_text last;
  for (auto kind : {stream_stage_wrong::no_source, stream_stage_wrong::no_stage, stream_stage_wrong::cannot_take,
                    stream_stage_wrong::gives_nothing, stream_stage_wrong::lends, stream_stage_wrong::filter, stream_stage_wrong::filter_map,
                    stream_stage_wrong::flat_map, stream_stage_wrong::expand, stream_stage_wrong::empty_batch, stream_stage_wrong::sink}) {
    const message_text text = sentence(run::stream_stage_fault{.kind = kind});
    CHECK(text.view().substr(0, 9) == "ipuflow: ");
    CHECK(text.view().find(';') != std::string_view::npos);
    CHECK(!(text == last));
    last = text;
  }
  CHECK(sentence(run::stream_stage_fault{}).empty());
}

}  // namespace stage_fault_test
