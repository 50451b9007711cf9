// SPDX-License-Identifier: BSL-1.0
// Makes loaders of any dataset, with a number of samples per step, `load(dataset, step, options)`, or shorter `sync`,
// `async` and `async_rebatched`. A batched dataset is loaded by samples, so a step of it is several of its batches, and
// its own word on the last short one counts.
#pragma once

#include <ipuflow/core/owner.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/adaptors/batch.hpp>
#include <ipuflow/feed/batching.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/held_range.hpp>
#include <ipuflow/feed/loader.hpp>
#include <ipuflow/feed/loader_options.hpp>
#include <ipuflow/feed/loading/map_source.hpp>
#include <ipuflow/feed/loading/partition.hpp>
#include <ipuflow/feed/loading/range_source.hpp>
#include <ipuflow/feed/loading/sample_reader.hpp>
#include <ipuflow/feed/loading/sampler_source.hpp>
#include <ipuflow/feed/sources/shares.hpp>

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

namespace impl {

/// True of a literal, and of a path, which is a range of paths.
template <class Given>
inline constexpr bool names_a_file = false;
template <std::size_t Size>
inline constexpr bool names_a_file<const char (&)[Size]> = true;
template <std::ranges::input_range Given>
  requires std::is_same_v<std::ranges::range_value_t<Given>, std::remove_cvref_t<Given>>
inline constexpr bool names_a_file<Given> = true;

}  // namespace impl

namespace detail {

template <class T>
inline constexpr bool is_batched = false;
template <class Dataset>
inline constexpr bool is_batched<impl::batched<Dataset>> = true;

template <class T>
inline constexpr bool is_shares = false;
template <class Make>
inline constexpr bool is_shares<impl::share_set<Make>> = true;

template <class T>
inline constexpr bool is_loader = false;
template <class Batch>
inline constexpr bool is_loader<loader<Batch>> = true;

/// Samples that a range-style source reads at a time.
constexpr std::size_t fetch_size(std::size_t step, const loader_options& o) {
  return o.mode == loading::async_rebatched && o.worker_batch > 0 ? o.worker_batch : step;
}

template <map_style Dataset>
owner<impl::sample_reader> reader_of(Dataset d) {
  return ipuflow::make_owner<impl::dataset_reader<Dataset>>(std::move(d));
}

template <class Range>
auto one_share(Range&& r) {
  std::optional<std::size_t> samples;
  if constexpr (std::ranges::sized_range<Range>) samples = std::ranges::size(r);
  auto view = impl::held_range(std::forward<Range>(r));
  const auto begin = [view](std::size_t, std::size_t) { return view; };
  return impl::share_set<decltype(begin)>{1, begin, samples, std::ranges::forward_range<Range>};
}

}  // namespace detail

/// Samples in a step: a number, or what sizes make.
struct step_size {
  std::size_t samples;

  constexpr step_size(std::size_t count) : samples{count} {}
  constexpr step_size(ipuflow::samples count) : samples{count.value} {}
  constexpr step_size(const batch_sizes& sizes) : samples{samples_per_step(sizes)} {}
};

/// A dataset or range that can be loaded.
template <class Dataset>
concept loadable = map_style<Dataset> || detail::is_shares<Dataset> || std::ranges::input_range<Dataset>;

namespace impl {

/// The fault of samples as a dataset hands them out, that the columns of a step cannot take.
template <class Sample, class... Field>
constexpr dataset_fault verify_fields(const sample_batch<Field...>*) {
  dataset_fault found;
  const auto look = [&]<class Lies, class Given>(Lies, std::type_identity<Given>) {
    using number = typename Lies::element_type;
    if (found || Lies::is_tensor) return;
    if (!std::is_default_constructible_v<number>) found = {dataset_wrong::no_default_sample};
    else if (!std::is_assignable_v<number&, Given>) found = {dataset_wrong::sample_kept};
  };
  if constexpr (sizeof...(Field) > 1 || is_tuple<std::remove_cvref_t<Sample>>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (look(field_layout<Field>{}, std::type_identity<decltype(std::get<I>(std::declval<Sample>()))>{}), ...);
    }(std::index_sequence_for<Field...>{});
  } else {
    (look(field_layout<Field>{}, std::type_identity<Sample>{}), ...);
  }
  return found;
}
template <class Dataset>
constexpr dataset_fault verify_samples() {
  if constexpr (!map_style<Dataset> && !std::ranges::input_range<Dataset>) {
    return {};
  } else if constexpr (std::is_void_v<raw_sample_t<Dataset>>) {
    return {dataset_wrong::no_sample};
  } else {
    using sample = raw_sample_t<Dataset>;
    return impl::verify_fields<sample>(static_cast<sample_batch_t<std::remove_cvref_t<sample>>*>(nullptr));
  }
}

}  // namespace impl

/// A loader of a dataset, `size` samples per step.
template <class Dataset>
[[nodiscard]] auto load(Dataset&& d, step_size size, loader_options o = {}) {
  using plain = std::remove_cvref_t<Dataset>;
  const std::size_t step = size.samples;
  throw_if(verify(o, step));
  if constexpr (impl::names_a_file<Dataset>) {
    constexpr loader_fault letters{impl::names_a_file<Dataset> ? loader_wrong::file_name : loader_wrong::nothing};
    [[maybe_unused]] auto none = true ? problem_of<letters>() : nothing_wrong{};
  } else if constexpr (detail::is_batched<plain>) {
    if (step % d.batch_size() != 0)
      throw_if(loader_fault{loader_wrong::step_not_batches, step, d.batch_size()});
    o.last = d.last();
    return feed::load(d.base(), step, o);
  } else if constexpr (constexpr dataset_fault unfit = impl::verify_samples<plain>(); unfit) {
    [[maybe_unused]] auto none = true ? problem_of<unfit>() : nothing_wrong{};
  } else if constexpr (map_style<plain>) {
    auto held = feed::all(std::forward<Dataset>(d));
    const impl::partition plan = impl::checked_partition(held.size(), step, o);
    using loader_type = loader<sample_batch_t<sample_t<plain>>>;
    if constexpr (contiguous_samples<decltype(held)>) {
      if (!o.shuffle) return loader_type{feed::whole(held), plan, detail::reader_of(held)};
    }
    return loader_type{ipuflow::make_owner<impl::map_source>(detail::reader_of(std::move(held)), plan, o), step, o};
  } else if constexpr (detail::is_shares<plain>) {
    if (o.mode == loading::async && o.last == tail::kept)
      o.mode = loading::async_rebatched;  // one short step, not many
    using sample = std::ranges::range_reference_t<typename plain::range_type>;
    const std::size_t fetch = detail::fetch_size(step, o);
    return loader<sample_batch_t<sample>>{
        ipuflow::make_owner<impl::range_source>(plain(std::forward<Dataset>(d)), fetch, step, o), step, o};
  } else if constexpr (detail::is_loader<plain>) {
    constexpr loader_fault twice{loader_wrong::loaded_twice, detail::is_loader<plain>};
    [[maybe_unused]] auto none = true ? problem_of<twice>() : nothing_wrong{};
  } else if constexpr (loadable<plain>) {
    return feed::load(detail::one_share(std::forward<Dataset>(d)), step, o);
  } else {
    constexpr dataset_fault none_given{loadable<plain> ? dataset_wrong::nothing : dataset_wrong::no_dataset};
    [[maybe_unused]] auto none = true ? problem_of<none_given>() : nothing_wrong{};
  }
}
/// The same with sizes in braces, `load(dataset, {.micro_batch = 4})`, or samples in braces.
template <class Dataset, std::same_as<batch_sizes> Sizes = batch_sizes>
[[nodiscard]] auto load(Dataset&& d, Sizes sizes, const loader_options& o = {}) {
  return feed::load(std::forward<Dataset>(d), step_size{sizes}, o);
}
template <class Sample>
[[nodiscard]] auto load(std::initializer_list<Sample> samples, step_size size, const loader_options& o = {}) {
  return feed::load(std::vector<Sample>(samples), size, o);
}
template <class Dataset, class Other>
  requires(!std::is_convertible_v<Other, step_size> && !std::is_convertible_v<Other, loader_options>)
auto load(Dataset&&, Other&&, const loader_options& = {}) {
  constexpr loader_fault other{!std::is_void_v<Other> ? loader_wrong::no_number : loader_wrong::nothing};
  [[maybe_unused]] auto none = true ? problem_of<other>() : nothing_wrong{};
}
template <class Dataset>
auto load(Dataset&&, const loader_options& = {}) {  // not deleted: clang would list the signatures beside it
  constexpr loader_fault left_out{!std::is_void_v<Dataset> ? loader_wrong::step_left_out : loader_wrong::nothing};
  [[maybe_unused]] auto none = true ? problem_of<left_out>() : nothing_wrong{};
}

/// A loader whose sampler says which samples come in which order; a step is `batches_per_step` of its batches.
template <class Dataset, class Sampler>
  requires(map_style<std::remove_cvref_t<Dataset>> && batch_sampler<std::remove_cvref_t<Sampler>>)
[[nodiscard]] auto load(Dataset&& d, Sampler&& sampler, std::size_t batches_per_step, loader_options o = {}) {
  throw_if(verify(o, batches_per_step == 0 ? 0 : static_cast<std::size_t>(-1)));  // of how many samples, the sampler alone knows
  auto view = impl::held_range(std::forward<Sampler>(sampler));
  using source = impl::sampler_source<decltype(view)>;
  return loader<sample_batch_t<sample_t<std::remove_cvref_t<Dataset>>>>{
      ipuflow::make_owner<source>(detail::reader_of(feed::all(std::forward<Dataset>(d))), std::move(view), batches_per_step, o),
      batches_per_step, o};
}

template <class Dataset>
[[nodiscard]] auto sync(Dataset&& d, step_size step, loader_options o = {}) {
  o.mode = loading::sync;
  return feed::load(std::forward<Dataset>(d), step, o);
}
template <class Dataset, std::same_as<batch_sizes> Sizes = batch_sizes>
[[nodiscard]] auto sync(Dataset&& d, Sizes sizes, const loader_options& o = {}) {
  return feed::sync(std::forward<Dataset>(d), step_size{sizes}, o);
}
template <class Dataset>
auto sync(Dataset&& d, const loader_options& o = {}) {
  return feed::load(d, o);
}

template <class Dataset>
[[nodiscard]] auto async(Dataset&& d, step_size step, loader_options o = {}) {
  o.mode = loading::async;
  return feed::load(std::forward<Dataset>(d), step, o);
}
template <class Dataset, std::same_as<batch_sizes> Sizes = batch_sizes>
[[nodiscard]] auto async(Dataset&& d, Sizes sizes, const loader_options& o = {}) {
  return feed::async(std::forward<Dataset>(d), step_size{sizes}, o);
}
template <class Dataset>
auto async(Dataset&& d, const loader_options& o = {}) {
  return feed::load(d, o);
}

template <class Dataset>
[[nodiscard]] auto async_rebatched(Dataset&& d, step_size step, loader_options o = {}) {
  o.mode = loading::async_rebatched;
  return feed::load(std::forward<Dataset>(d), step, o);
}
template <class Dataset, std::same_as<batch_sizes> Sizes = batch_sizes>
[[nodiscard]] auto async_rebatched(Dataset&& d, Sizes sizes, const loader_options& o = {}) {
  return feed::async_rebatched(std::forward<Dataset>(d), step_size{sizes}, o);
}
template <class Dataset>
auto async_rebatched(Dataset&& d, const loader_options& o = {}) {
  return feed::load(d, o);
}

}  // namespace ipuflow::feed
