// Changes of a header that the environment switches on, one at a time: a program made with n of them is compiled once and run n
// times. Code that the compiler evaluates always has the original, so mutants.sh compiles a change alone that no run notices.
#pragma once

#include <cstdlib>
#include <type_traits>

namespace mutant {

inline const int active = [] {
  const char* chosen = std::getenv("IPUFLOW_MUTANT");
  return chosen == nullptr ? 0 : std::atoi(chosen);
}();

constexpr bool on(int id) { return !std::is_constant_evaluated() && active == id; }

// `a < b` is written `a < mutant::less{id} < b`, whose precedence is that of `<`; the others alike.
struct less { int id; };
struct less_equal { int id; };
struct greater { int id; };
struct greater_equal { int id; };
struct equal { int id; };
struct unequal { int id; };

template <class Operator, class T>
struct half_done {
  const T& left;
  int id;
};

template <class T> constexpr half_done<less, T> operator<(const T& left, less o) { return {left, o.id}; }
template <class T> constexpr half_done<less_equal, T> operator<=(const T& left, less_equal o) { return {left, o.id}; }
template <class T> constexpr half_done<greater, T> operator>(const T& left, greater o) { return {left, o.id}; }
template <class T> constexpr half_done<greater_equal, T> operator>=(const T& left, greater_equal o) { return {left, o.id}; }
template <class T> constexpr half_done<equal, T> operator==(const T& left, equal o) { return {left, o.id}; }
template <class T> constexpr half_done<unequal, T> operator!=(const T& left, unequal o) { return {left, o.id}; }

template <class T, class U>
constexpr bool operator<(half_done<less, T> a, const U& b) { return on(a.id) ? a.left <= b : a.left < b; }
template <class T, class U>
constexpr bool operator<=(half_done<less_equal, T> a, const U& b) { return on(a.id) ? a.left < b : a.left <= b; }
template <class T, class U>
constexpr bool operator>(half_done<greater, T> a, const U& b) { return on(a.id) ? a.left >= b : a.left > b; }
template <class T, class U>
constexpr bool operator>=(half_done<greater_equal, T> a, const U& b) { return on(a.id) ? a.left > b : a.left >= b; }
template <class T, class U>
constexpr bool operator==(half_done<equal, T> a, const U& b) { return on(a.id) ? a.left != b : a.left == b; }
template <class T, class U>
constexpr bool operator!=(half_done<unequal, T> a, const U& b) { return on(a.id) ? a.left == b : a.left != b; }

}  // namespace mutant
