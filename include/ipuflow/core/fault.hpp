// SPDX-License-Identifier: BSL-1.0
// A fault is a value. Every verifier returns one; `accept<verify(x)>()` turns it into a compile error, `throw_if` into
// an exception and `==` into a test. Each kind of fault has one sentence, made by a function `sentence(fault)` that
// stands beside the verifier; compiler and exception show the same one, with its names and numbers filled in.
// The kinds are an `enum class x_wrong` that begins with `nothing`, the fault is `x_fault`, and a header of its own for
// both is called `x_fault.hpp`.
#pragma once

#ifndef __cpp_exceptions  // here, as the map of every module includes this one before what throws
#error "ipuflow: faults are reported by exceptions, which are switched off; compile without -fno-exceptions"
#endif

#include <ipuflow/core/fixed_string.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <string_view>

namespace ipuflow {

/// The place of a fault that needs none.
struct no_place {
  friend constexpr bool operator==(const no_place&, const no_place&) = default;
};

/// A fault: what is wrong, what was found, what would have been allowed, and where. `Kind{}` means that nothing is wrong.
template <class Kind, class Where = no_place>
struct [[nodiscard]] fault {
  Kind kind{};
  std::size_t got = 0;
  std::size_t limit = 0;
  Where where{};

  constexpr explicit operator bool() const { return kind != Kind{}; }
  friend constexpr bool operator==(const fault&, const fault&) = default;
};

using message_text = fixed_string<512>;

namespace detail {

/// A part of a sentence outside of its type: a text and its length, or no text and a number. Two words, which every sentence stores for each part.
struct word {
  const char* text = nullptr;
  std::size_t number = 0;

  constexpr word(std::string_view some) : text{some.empty() ? "" : some.data()}, number{some.size()} {}
  constexpr word(std::size_t count) : number{count} {}
};

/// The one function that builds sentences. They are for the moment when something has gone wrong: nothing here is to be
/// inlined or optimised for speed.
[[gnu::cold, gnu::noinline]] constexpr message_text joined(const word* part, std::size_t count) {
  message_text text;
  for (std::size_t i = 0; i < count; ++i) {
    if (part[i].text == nullptr) {
      text += part[i].number;
    } else {
      text += std::string_view(part[i].text, part[i].number);
    }
  }
  return text;
}

}  // namespace detail

/// "ipuflow: <what is wrong>; <what to do>", put together from words and numbers. By value, so that literals of any length are one type.
template <class... Part>
[[nodiscard, gnu::cold]] constexpr message_text words(Part... part) {
  const detail::word all[] = {detail::word(part)...};
  return detail::joined(all, sizeof...(Part));
}

/// A value with a sentence for when it is not fine: what `accept`, `throw_if` and `message` take.
template <class Fault>
concept explained = std::equality_comparable<Fault> && requires(const Fault& f) {
  { sentence(f) } -> std::same_as<message_text>;
  static_cast<bool>(f);
};

/// The sentence of a fault; empty if there is none.
template <explained Fault>
[[nodiscard]] constexpr message_text message(const Fault& found) {
  return found ? sentence(found) : message_text{};
}

/// The exception that every function of this library throws for bad input; `what()` is the sentence.
class error : public std::exception {
 public:
  explicit error(const message_text& text) : text_{text} {}
  [[nodiscard]] const char* what() const noexcept override { return text_.data(); }

 private:
  message_text text_;
};

/// The same with the fault itself, for handlers that need its numbers.
template <explained Fault>
class rejected : public error {
 public:
  [[gnu::cold, gnu::noinline]] explicit rejected(const Fault& found) : error{sentence(found)}, found_{found} {}
  [[nodiscard]] const Fault& found() const noexcept { return found_; }

 private:
  Fault found_;
};

/// Throws the fault if there is one. In a constant expression that is a compile error at this call.
template <explained Fault>
constexpr void throw_if(const Fault& found) {
  if (found) throw rejected<Fault>{found};
}

/// Carries a sentence into a compiler's output. What refuses something chooses between a `problem_of<fault>()` and
/// `nothing_wrong{}`: where they differ, both g++ and clang begin their line with the type, and with it the sentence, whole. (clang
/// shortens text in every message but one that compares two types of one template, and this one has no notes.)
template <fixed_string Sentence>
struct problem {};

using nothing_wrong = problem<"">;

namespace detail {

template <fixed_string Sentence>
[[nodiscard]] consteval problem<Sentence> as_problem() {
  return {};
}

}  // namespace detail

template <auto Found>
  requires explained<decltype(Found)>
[[nodiscard]] consteval auto problem_of() {
  return detail::as_problem<fixed_string<message(Found).size()>{message(Found).view()}>();
}

template <auto Found>
using problem_in = decltype(problem_of<Found>());

/// True if nothing is wrong; otherwise the compiler stops here with the fault's sentence.
template <auto Found>
[[nodiscard]] consteval bool accept() {
  if constexpr (!static_cast<bool>(Found)) {  // nothing to put into a sentence
    return true;
  } else {
    [[maybe_unused]] auto none = true ? problem_of<Found>() : nothing_wrong{};
    return false;
  }
}

}  // namespace ipuflow
