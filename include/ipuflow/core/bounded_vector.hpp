// SPDX-License-Identifier: BSL-1.0
// A vector whose capacity is part of its type, so that it can be a constant, a template argument and a member of a
// value that never allocates. It holds up to `Capacity` elements; vectors of different capacity compare by what they
// hold.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow {

enum class vector_wrong : unsigned char { nothing, full, out_of_range };
using vector_fault = fault<vector_wrong>;

constexpr const char* wording(vector_wrong wrong) {
  switch (wrong) {
    case vector_wrong::nothing:
      break;
    case vector_wrong::full:
      return "ipuflow: a bounded_vector of capacity {limit} is asked to hold {got} element{s}; give it more capacity";
    case vector_wrong::out_of_range:
      return "ipuflow: element {got} of a bounded_vector is asked for, but it holds {limit}; ask for an index below its size()";
  }
  return "";
}

constexpr message_text sentence(const vector_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

template <class T, std::size_t Capacity>
struct bounded_vector {
  using value_type = T;

  T elements[Capacity == 0 ? 1 : Capacity]{};
  std::size_t count = 0;

  [[nodiscard]] static constexpr std::size_t capacity() { return Capacity; }
  [[nodiscard]] constexpr std::size_t size() const { return count; }
  [[nodiscard]] constexpr bool empty() const { return count == 0; }

  constexpr T* begin() { return elements; }
  constexpr T* end() { return elements + count; }
  [[nodiscard]] constexpr const T* begin() const { return elements; }
  [[nodiscard]] constexpr const T* end() const { return elements + count; }
  constexpr T* data() { return elements; }
  [[nodiscard]] constexpr const T* data() const { return elements; }

  /// Unchecked, as in std::vector; `at` checks.
  constexpr T& operator[](std::size_t index) { return elements[index]; }
  constexpr const T& operator[](std::size_t index) const { return elements[index]; }
  [[nodiscard]] constexpr const T& front() const { return elements[0]; }
  [[nodiscard]] constexpr const T& back() const { return elements[count - 1]; }

  [[nodiscard]] constexpr const T& at(std::size_t index) const {
    if (index >= count) throw_if(vector_fault{vector_wrong::out_of_range, index, count});
    return elements[index];
  }

  constexpr void push_back(T value) {
    if (count == Capacity) throw_if(vector_fault{vector_wrong::full, count + 1, Capacity});
    elements[count] = static_cast<T&&>(value);
    ++count;
  }

  constexpr void pop_back() {
    --count;
    elements[count] = T{};  // equal contents stay equal template arguments
  }

  constexpr void clear() {
    while (count > 0) pop_back();
  }

  template <std::size_t Other>
  friend constexpr bool operator==(const bounded_vector& a, const bounded_vector<T, Other>& b) {
    if (a.count != b.count) return false;
    for (std::size_t i = 0; i < a.count; ++i) {
      if (!(a[i] == b[i])) return false;
    }
    return true;
  }
};

}  // namespace ipuflow

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<vector_fault>;
}
#endif
