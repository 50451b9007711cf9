// SPDX-License-Identifier: BSL-1.0
// A fault is a value. Every verifier returns one; `accept<verify(x)>()` turns it into a compile error, `throw_if` into
// an exception and `==` into a test. Each kind of fault has one sentence, made by a function `sentence(fault)` that
// stands beside the verifier: it fills names and numbers into the blanks of `wording(kind)`. Compiler and exception show the same one.
// The kinds are an `enum class x_wrong` that begins with `nothing`, the fault is `x_fault`, and a header of its own for
// both is called `x_fault.hpp`.
#pragma once

#include <ipuflow/core/fixed_string.hpp>
#include <ipuflow/core/language.hpp>

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

/// Blank of a wording: its name and what goes in, a text and its length, or no text and a number.
struct blank {
  const char* name;
  const char* text;
  std::size_t number;

  constexpr blank(const char* called, std::string_view some) : name{called}, text{some.empty() ? "" : some.data()}, number{some.size()} {}
  constexpr blank(const char* called, std::size_t count) : name{called}, text{nullptr}, number{count} {}

  /// True of a text from behind its brace on.
  [[nodiscard]] constexpr bool begins(std::string_view wording) const {
    const std::string_view called = name;
    return wording.size() > called.size() && wording[called.size()] == '}' && wording.substr(0, called.size()) == called;
  }
  constexpr void fill(message_text& sentence) const {
    if (text == nullptr) {
      sentence += number;
    } else {
      sentence += std::string_view(text, number);
    }
  }
};

namespace detail {

/// The one function that builds sentences. They are for the moment when something has gone wrong: nothing here is to be
/// inlined or optimised for speed.
[[gnu::cold, gnu::noinline]] constexpr message_text filled(std::string_view text, const blank* blanks, std::size_t count) {
  message_text all;
  bool one = false;  // the last number
  for (std::size_t open = text.find('{'); open != text.npos; open = text.find('{')) {
    all += text.substr(0, open);
    text.remove_prefix(open + 1);
    std::size_t i = 0;
    while (i < count && !blanks[i].begins(text)) ++i;
    if (i < count) {
      blanks[i].fill(all);
      if (blanks[i].text == nullptr) one = blanks[i].number == 1;
      text.remove_prefix(std::string_view(blanks[i].name).size() + 1);
    } else if (const std::string_view forms = text.substr(0, text.find('}')); forms == "s" || forms == "es" || forms.find('|') != forms.npos) {
      const std::size_t bar = forms.find('|');
      all += one ? forms.substr(0, bar == forms.npos ? 0 : bar) : forms.substr(bar + 1);  // behind no bar, all of it
      text.remove_prefix(forms.size() + 1);
    } else {
      all += "{";
    }
  }
  return all += text;
}

}  // namespace detail

/// A sentence: a wording, "ipuflow: <what is wrong>; <what to do>", with each `{name}` for which there is a blank filled in. What is
/// counted has the form of the number before it, as in "stage{s} {is|are}" and "micro-batch{es}".
template <std::size_t Count>
[[nodiscard, gnu::cold]] constexpr message_text filled(const char* wording, const blank (&blanks)[Count]) {
  return detail::filled(wording, blanks, Count);
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

/// The same with the fault itself, for handlers that need its numbers. Its functions are not inline: where ipuflow::compiled has them, a
/// user's file has neither the sentence nor what makes it.
template <explained Fault>
class rejected : public error {
 public:
  explicit rejected(const Fault& found);
  rejected(const rejected&) = default;
  rejected& operator=(const rejected&) = default;
  ~rejected() override;
  [[nodiscard]] const Fault& found() const noexcept { return found_; }

  [[noreturn]] static void raise(const Fault& found);

 private:
  Fault found_;
};

template <explained Fault>
[[gnu::cold]] rejected<Fault>::rejected(const Fault& found) : error{sentence(found)}, found_{found} {}
template <explained Fault>
rejected<Fault>::~rejected() = default;
template <explained Fault>
[[gnu::cold]] void rejected<Fault>::raise(const Fault& found) {
  throw rejected{found};
}

/// Throws the fault if there is one. In a constant expression that is a compile error at this call.
template <explained Fault>
constexpr void throw_if(const Fault& found) {
  if (found) rejected<Fault>::raise(found);
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
