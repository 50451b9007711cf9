// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/run/model_labels.hpp>

#include <doctest/doctest.h>

namespace model_labels_test {

using namespace ipuflow;
using namespace ipuflow::run;

TEST_CASE("equal labels have one number, different ones have two") {
  label_book book;
  const model_label a{model_work::pass, 0, 1, schedule::pass::forward};
  const std::size_t first = book.of(a);
  CHECK(book.of(a) == first);
  for (const model_label& other : {model_label{model_work::stash, 0, 1, schedule::pass::forward},
                                   model_label{model_work::pass, 1, 1, schedule::pass::forward},
                                   model_label{model_work::pass, 0, 2, schedule::pass::forward},
                                   model_label{model_work::pass, 0, 1, schedule::pass::backward}}) {
    CHECK(book.of(other) != first);
    CHECK(book.labels[book.of(other)] == other);
  }
  CHECK(book.labels.size() == 5);
}

TEST_CASE("an order that only counts is not kept, any other is") {
  label_book book;
  const model_label counted{model_work::pass, 0};
  const model_label partial{model_work::pass, 1};
  const model_label turned{model_work::pass, 2};
  for (std::size_t m = 0; m < 4; ++m) book.note(counted, m);
  for (std::size_t m = 0; m < 3; ++m) book.note(partial, m);
  for (std::size_t m = 4; m-- > 0;) book.note(turned, m);
  book.finish(4);
  CHECK(book.order[book.of(counted)].empty());
  CHECK(book.order[book.of(partial)] == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(book.order[book.of(turned)] == std::vector<std::uint32_t>{3, 2, 1, 0});
}

}  // namespace model_labels_test
