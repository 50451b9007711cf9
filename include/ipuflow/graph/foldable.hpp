// SPDX-License-Identifier: BSL-1.0
// A pipeline is a structure of Boost.Hana whose elements are its blocks, in the order of the data: Foldable, so that
// `hana::for_each`, `fold_left`, `size`, `unpack` or `to_tuple` work on it, and Searchable, so that `find_if`, `any_of`,
// `all_of` and `none_of` do. The algorithms are Hana's; this is what they need to know.
#pragma once

#include <ipuflow/graph/pipeline.hpp>

#include <boost/hana/any_of.hpp>
#include <boost/hana/equal.hpp>
#include <boost/hana/find_if.hpp>
#include <boost/hana/unpack.hpp>

#include <utility>

namespace ipuflow::impl {

struct pipeline_tag {};

}  // namespace ipuflow::impl

namespace boost::hana {

template <class Start, auto Where, class... Block>
struct tag_of<ipuflow::pipeline_t<Start, Where, Block...>> {
  using type = ipuflow::impl::pipeline_tag;
};

template <>
struct unpack_impl<ipuflow::impl::pipeline_tag> {
  template <class Pipeline, class F>
  static constexpr decltype(auto) apply(Pipeline&& p, F&& f) {
    return hana::unpack(std::forward<Pipeline>(p).blocks, std::forward<F>(f));
  }
};

template <>
struct find_if_impl<ipuflow::impl::pipeline_tag> {
  template <class Pipeline, class Predicate>
  static constexpr auto apply(Pipeline&& p, Predicate&& holds) {
    return hana::find_if(std::forward<Pipeline>(p).blocks, std::forward<Predicate>(holds));
  }
};

template <>
struct any_of_impl<ipuflow::impl::pipeline_tag> {
  template <class Pipeline, class Predicate>
  static constexpr auto apply(Pipeline&& p, Predicate&& holds) {
    return hana::any_of(std::forward<Pipeline>(p).blocks, std::forward<Predicate>(holds));
  }
};

}  // namespace boost::hana
