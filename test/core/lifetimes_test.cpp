// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/core/lifetimes.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>

namespace lifetimes_test {

namespace lifetimes = ipuflow::lifetimes;

struct counted {
  static inline int alive = 0, most = 1000;
  counted() {
    if (alive == most) throw 1;
    ++alive;
  }
  ~counted() { --alive; }
};

template <class T, std::size_t Count>
struct raw {
  alignas(T) std::byte bytes[Count * sizeof(T)];
  T* at() { return reinterpret_cast<T*>(bytes); }
};

TEST_CASE("as many begin as were asked for, and all end") {
  raw<counted, 5> room;
  lifetimes::begin(room.at(), 5);
  CHECK(counted::alive == 5);
  lifetimes::end(room.at() + 1, 4);
  lifetimes::end(room.at());
  CHECK(counted::alive == 0);
  lifetimes::begin(room.at(), 0);
  lifetimes::end(room.at(), 0);
  CHECK(counted::alive == 0);
}

TEST_CASE("where one does not begin, none has") {
  raw<counted, 5> room;
  counted::most = 3;
  CHECK_THROWS(lifetimes::begin(room.at(), 5));
  CHECK(counted::alive == 0);
  counted::most = 1000;
}

TEST_CASE("values are default-initialised") {
  raw<std::string, 2> strings;
  lifetimes::begin(strings.at(), 2);
  CHECK((strings.at()[0].empty() && strings.at()[1].empty()));
  lifetimes::end(strings.at(), 2);
  raw<int, 2> numbers{};
  *numbers.at() = 4;
  lifetimes::begin(numbers.at(), 2);
  CHECK(*numbers.at() == 4);  // trivial ones stay as they are
}

}  // namespace lifetimes_test
