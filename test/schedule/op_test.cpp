// SPDX-License-Identifier: BSL-1.0
// Operations compare by value, and each pass has a letter and a name.
#include <ipuflow/schedule/generators/gpipe.hpp>
#include <ipuflow/schedule/op.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace op_test {

using namespace ipuflow::schedule;

static_assert(op{pass::forward, 1, 2} == op{pass::forward, 1, 2});
static_assert(op{pass::forward, 1, 2} != op{pass::backward, 1, 2});
static_assert(placed{op{}, 1} != placed{op{}, 2});
static_assert(is_backward(pass::backward) && is_backward(pass::backward_inputs));
static_assert(!is_backward(pass::backward_weights) && !is_backward(pass::forward));

TEST_CASE("2,048 stages are handled, and no more") {
  CHECK_FALSE(gpipe({.ipus = 2048, .micro_batches = 1}).refused);
  CHECK(gpipe({.ipus = 2049, .micro_batches = 1}).refused == schedule_fault{schedule_wrong::too_many_stages, 2049, 2048});
}

TEST_CASE("letters and names tell passes apart") {
  std::set<char> letters;
  std::set<std::string> names;
  for (std::size_t i = 0; i < pass_count; ++i) {
    letters.insert(letter(static_cast<pass>(i)));
    names.insert(name_of(static_cast<pass>(i)));
  }
  CHECK(letters.size() == pass_count);
  CHECK(names.size() == pass_count);
  CHECK(letter(pass::forward) == 'F');
  CHECK(letter(pass::backward_weights) == 'W');
}

}  // namespace op_test
