// SPDX-License-Identifier: BSL-1.0
// A stage of `run::stream` at work: its ops one after the other, and the op of a pipeline that carries them from token to
// token. What it points to, the run holds.
#pragma once

#include <ipuflow/graph/stage.hpp>
#include <ipuflow/run/streams/actions.hpp>
#include <ipuflow/run/streams/stage_fault.hpp>
#include <ipuflow/run/streams/token.hpp>

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace ipuflow::run::impl {

/// Actions that follow each other, the first of them on items of type `In`.
template <class In, class... Op>
struct op_actions {
  using out = In;
  static constexpr bool fits = true, gives_one = true, ends = false;

  static In made_of(In&& item) { return std::move(item); }
  template <class Give>
  void take(In&& item, Give give) {
    give(std::move(item));
  }
  template <class Give>
  void finish(Give) {}
};

template <class In, class First, class... Next>
  requires(op_action<First, In>::fits)
struct op_actions<In, First, Next...> {
  using head = op_action<First, In>;
  using tail = op_actions<typename head::out, Next...>;
  using out = typename tail::out;
  static constexpr bool fits = tail::fits, gives_one = head::gives_one && tail::gives_one, ends = head::ends || tail::ends;
  head first;
  tail next;

  constexpr explicit op_actions(First& op, Next&... rest) : first{op}, next{rest...} {}

  /// The result if every action gives one: without a call of `give` between what an op returns and who takes it.
  out made_of(In&& item) {
    if constexpr (sizeof...(Next) == 0) {
      return first.made_of(std::move(item));
    } else {
      return next.made_of(first.made_of(std::move(item)));
    }
  }
  template <class Give>
  void take(In&& item, Give give) {
    first.take(std::move(item), [&](typename head::out&& made) { next.take(std::move(made), give); });
  }
  template <class Give>
  void finish(Give give) {
    if constexpr (head::ends) first.finish([&](typename head::out&& made) { next.take(std::move(made), give); });
    next.finish(give);
  }
};

template <class In, class First, class... Next>
  requires(!op_action<First, In>::fits)
struct op_actions<In, First, Next...> {
  using op = First;
  using item = In;
  using out = void;
  static constexpr bool fits = false, gives_one = true, ends = false;
};

/// The actions of a stage from the first op on that does not fit.
template <class Actions>
struct misfit {
  using type = Actions;
};
template <class In, class First, class... Next>
  requires(op_action<First, In>::fits)
struct misfit<op_actions<In, First, Next...>> : misfit<typename op_actions<In, First, Next...>::tail> {};

/// The op of a pipeline that a stage becomes: it carries `Work` from tokens `Token<In>` to tokens of what it gives.
template <class Token, class Work>
struct token_op;

template <class In, class Work>
struct token_op<one<In>, Work> {
  using item = In;
  using work_type = Work;
  using given = std::conditional_t<Work::gives_one, one<typename Work::out>, some<typename Work::out>>;
  Work* work;

  given operator()(one<In>&& in) const {
    if constexpr (Work::gives_one) {
      return {work->made_of(std::move(in.value))};
    } else {
      given made;
      work->take(std::move(in.value), [&](typename Work::out&& value) { made.add(std::move(value)); });
      return made;
    }
  }
};

template <class In, class Work>
struct token_op<some<In>, Work> {
  using item = In;
  using work_type = Work;
  using given = some<typename Work::out>;
  Work* work;

  given operator()(some<In>&& in) const {
    given made;
    const auto add = [&](typename Work::out&& value) { made.add(std::move(value)); };
    in.take_each([&](In&& value) { work->take(std::move(value), add); });
    if (in.ends()) {
      work->finish(add);
      made.set_end();
    }
    return made;
  }
};

/// The name of a stage, and its ops as the actions on `In`. A callable is a stage of one op without a name.
template <class Stage>
struct stage_parts {
  static constexpr std::string_view name{};
  template <class In>
  using work = op_actions<In, Stage>;

  template <class In>
  static constexpr work<In> begin(Stage& stage) {
    return work<In>{stage};
  }
};
template <fixed_string Name, std::size_t Ipu, class... Op>
struct stage_parts<block_t<Name, Ipu, Op...>> {
  static constexpr std::string_view name = block_t<Name, Ipu, Op...>::name.view();
  template <class In>
  using work = op_actions<In, Op...>;

  template <class In>
  static constexpr work<In> begin(block_t<Name, Ipu, Op...>& stage) {
    return hana::unpack(stage.ops, [](Op&... op) { return work<In>{op...}; });
  }
};

}  // namespace ipuflow::run::impl
