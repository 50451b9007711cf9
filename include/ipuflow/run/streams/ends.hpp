// SPDX-License-Identifier: BSL-1.0
// The two ends of a `run::stream`: tokens are made of a source's items, and taken apart for the sink. Each remembers that
// what it called has thrown, since a run takes the source for a part of the first stage and the sink for one of the last.
#pragma once

#include <ipuflow/core/stop_signal.hpp>
#include <ipuflow/run/streams/actions.hpp>
#include <ipuflow/run/streams/token.hpp>

#include <cstddef>
#include <optional>
#include <utility>

namespace ipuflow::run::impl {

/// Gives a token for each item of `Source` and, where stages have to be told of the end, one more behind the last.
template <class Token, bool TellsEnd, class Source>
class token_source {
 public:
  token_source(Source& source, stop_signal stop) : source_{source}, stop_{std::move(stop)} {}

  std::optional<Token> operator()() {
    if (!ended_) {
      try {
        if (!stop_.stop_requested()) {
          if (auto&& item = source_()) {
            std::optional<Token> token{Token{typename Token::item(*std::forward<decltype(item)>(item))}};
            ++taken_;
            return token;
          }
        }
      } catch (...) {
        threw_ = true;
        throw;
      }
      ended_ = true;
      if constexpr (TellsEnd) return Token::end();
    }
    return std::nullopt;
  }

  void abandon()
    requires requires(Source& from) { from.abandon(); }
  {
    source_.abandon();
  }

  [[nodiscard]] std::size_t taken() const { return taken_; }
  [[nodiscard]] bool ended() const { return ended_; }  ///< or a stop was requested
  [[nodiscard]] bool threw() const { return threw_; }

 private:
  Source& source_;
  stop_signal stop_;
  std::size_t taken_ = 0;
  bool ended_ = false;
  bool threw_ = false;
};

/// Gives the sink each value of a token.
template <class Sink>
class token_sink {
 public:
  explicit token_sink(Sink& sink) : sink_{sink} {}

  template <class T>
  void operator()(one<T>&& token) {
    give(std::move(token.value));
  }
  template <class T>
  void operator()(some<T>&& token) {
    token.take_each([&](T&& value) { give(std::move(value)); });
  }

  void open()
    requires requires(Sink& to) { to.open(); }
  {
    sink_.open();
  }
  void close()
    requires requires(Sink& to) { to.close(); }
  {
    sink_.close();
  }
  void abandon()
    requires requires(Sink& to) { to.abandon(); }
  {
    sink_.abandon();
  }

  [[nodiscard]] std::size_t given() const { return given_; }
  [[nodiscard]] bool threw() const { return threw_; }

 private:
  template <class T>
  void give(T&& value) {
    try {
      impl::apply_op(sink_, std::forward<T>(value));
    } catch (...) {
      threw_ = true;
      throw;
    }
    ++given_;
  }

  Sink& sink_;
  std::size_t given_ = 0;
  bool threw_ = false;
};

}  // namespace ipuflow::run::impl
