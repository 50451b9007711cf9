// SPDX-License-Identifier: BSL-1.0
// The values that pass between the stages of `run::stream`. One token travels for each item of the source, whatever stages
// make of it: none, one or many values. So a token's number says which item of the source it came from, and a pipeline of
// stages that drop or multiply items keeps the timetable of every pipeline.
#pragma once

#include <optional>
#include <utility>
#include <vector>

namespace ipuflow::run::impl {

/// A token with one value: every stage before has made one of one.
template <class T>
struct one {
  using item = T;
  T value;
};

/// A token with any number of values: a stage before may have dropped items or made several of one, or an end has to be told to
/// stages that hold items back. The first value needs no memory of its own.
template <class T>
class some {
 public:
  using item = T;

  some() = default;
  explicit some(T&& value) : first_{std::move(value)} {}
  static some end() {
    some last;
    last.ends_ = true;
    return last;
  }

  void add(T&& value) {
    if (first_) {
      rest_.emplace_back(std::move(value));
    } else {
      first_.emplace(std::move(value));
    }
  }
  void set_end() { ends_ = true; }
  [[nodiscard]] bool ends() const { return ends_; }  ///< nothing comes after these values

  template <class Use>
  void take_each(Use use) {
    if (first_) use(std::move(*first_));
    for (one<T>& each : rest_) use(std::move(each.value));
  }

 private:
  std::optional<T> first_;
  std::vector<one<T>> rest_;  // a std::vector<bool> has no elements to move
  bool ends_ = false;
};

}  // namespace ipuflow::run::impl
