// SPDX-License-Identifier: BSL-1.0
// The wish of another thread that work should end: a std::stop_token, or whatever else can be asked for it. <stop_token> is dear to
// compile, so that only who has one includes it.
#pragma once

#include <ipuflow/core/shared.hpp>

#include <concepts>

namespace ipuflow {

class stop_signal {
 public:
  constexpr stop_signal() = default;  ///< never requested; nor is one that was moved from
  /// Keeps a copy of `token`, whose `stop_requested()` is asked by several threads at once.
  template <class Token>
    requires(!__is_same(Token, stop_signal) && requires(const Token& t) { { t.stop_requested() } -> std::same_as<bool>; })
  stop_signal(Token token)
      : token_{shared{static_cast<Token&&>(token)}.thing()},
        asked_{[](const void* asked) noexcept { return static_cast<const Token*>(asked)->stop_requested(); }} {}

  [[nodiscard]] bool stop_requested() const noexcept { return token_.get() != nullptr && asked_(token_.get()); }

 private:
  shared_thing token_;
  bool (*asked_)(const void*) noexcept = nullptr;
};

}  // namespace ipuflow
