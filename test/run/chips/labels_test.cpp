// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/chips/labels.hpp>

#include <doctest/doctest.h>

namespace labels_test {

using namespace ipuflow;
using namespace ipuflow::run;
using namespace ipuflow::run::impl;

TEST_CASE("equal labels have one number, different ones have two") {
  label_book book;
  const chips_label a{chips_work::pass, 0, 1, schedule::pass::forward};
  const std::size_t first = book.of(a);
  CHECK(book.of(a) == first);
  for (const chips_label& other : {chips_label{chips_work::stash, 0, 1, schedule::pass::forward},
                                   chips_label{chips_work::pass, 1, 1, schedule::pass::forward},
                                   chips_label{chips_work::pass, 0, 2, schedule::pass::forward},
                                   chips_label{chips_work::pass, 0, 1, schedule::pass::backward}}) {
    CHECK(book.of(other) != first);
    CHECK(book.labels[book.of(other)] == other);
  }
  CHECK(book.labels.size() == 5);
}

TEST_CASE("an order that only counts is not kept, any other is") {
  label_book book;
  const chips_label counted{chips_work::pass, 0};
  const chips_label partial{chips_work::pass, 1};
  const chips_label turned{chips_work::pass, 2};
  for (std::size_t m = 0; m < 4; ++m) book.note(counted, m);
  for (std::size_t m = 0; m < 3; ++m) book.note(partial, m);
  for (std::size_t m = 4; m-- > 0;) book.note(turned, m);
  book.finish(4);
  CHECK(book.order[book.of(counted)].empty());
  CHECK(book.order[book.of(partial)] == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(book.order[book.of(turned)] == std::vector<std::uint32_t>{3, 2, 1, 0});
}

}  // namespace labels_test
