// SPDX-License-Identifier: BSL-1.0
// Faults of datasets and of the arguments of adaptors, and the sentence for each.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>

namespace ipuflow::feed {

enum class dataset_wrong : unsigned char {
  nothing,
  empty,
  sizes_differ,
  no_width,
  not_whole_rows,
  no_batch,
  no_window,
  no_index,
  window_of_index,
  no_dataset,
  no_call,
  no_share,
  too_many,
  no_images,
  no_tensor,
  image_elements,
  no_extent,
  crop_too_large,
  no_chance,
  no_draw,
  range_cached,
  no_predicate,
  samples_differ
};
using dataset_fault = fault<dataset_wrong, std::size_t>;

/// `where` is the position among several datasets, otherwise unused.
constexpr message_text sentence(const dataset_fault& f) {
  switch (f.kind) {
    case dataset_wrong::nothing:
      break;
    case dataset_wrong::empty:
      return words("ipuflow: the dataset is empty; give it at least ", f.limit, " sample");
    case dataset_wrong::sizes_differ:
      return words("ipuflow: dataset ", f.where, " of a zip has ", f.got, " samples but the first has ", f.limit,
                   "; give them equally many");
    case dataset_wrong::no_width:
      return words("ipuflow: rows of ", f.got, " elements hold nothing; give them a width of at least ", f.limit);
    case dataset_wrong::not_whole_rows:
      return words("ipuflow: ", f.got, " elements are not a whole number of rows of ", f.limit,
                   "; give as many as the rows hold");
    case dataset_wrong::no_batch:
      return words("ipuflow: a dataset cannot be cut into batches of ", f.got, " samples; batch at least ", f.limit);
    case dataset_wrong::no_window:
      return words("ipuflow: a window of ", f.got, " samples cannot be shuffled; keep at least ", f.limit, " in it");
    case dataset_wrong::no_index:
      return words("ipuflow: a range has no index to shuffle; shuffle it in a window, shuffle(seed, window)");
    case dataset_wrong::window_of_index:
      return words("ipuflow: a window is for ranges, but this dataset has an index; shuffle all of it, shuffle(seed)");
    case dataset_wrong::no_dataset:
      return words(
          "ipuflow: an adaptor is applied to something that is not a dataset; give that size() and a const operator[], "
          "or begin() and end()");
    case dataset_wrong::no_call:
      return words(
          "ipuflow: a transform can be called neither with the sample nor with its fields; let its parameters be one of "
          "the two, and its call operator const");
    case dataset_wrong::no_share:
      return words("ipuflow: share ", f.got, " is asked for of a dataset cut into ", f.limit,
                   "; shares count from 0 to one less");
    case dataset_wrong::too_many:
      return words("ipuflow: a dataset repeated ", f.got, " times has more samples than can be counted; repeat it at most ",
                   f.limit, " times, or for ever with repeat()");
    case dataset_wrong::no_images:
      return words(
          "ipuflow: a transform of images is given samples that are none; say what they are, images(channels, height, "
          "width), as their first field");
    case dataset_wrong::no_tensor:
      return words(
          "ipuflow: numbers are to be converted, or seen as an image, but the first field of a sample holds none; make it "
          "a span, an array or a vector of numbers");
    case dataset_wrong::image_elements:
      return words("ipuflow: a sample has ", f.got, " elements but an image of these extents has ", f.limit,
                   "; give images() the extents of the dataset");
    case dataset_wrong::no_extent:
      return words("ipuflow: an image has an extent of ", f.got, "; give channels, height and width at least ", f.limit);
    case dataset_wrong::crop_too_large:
      return words("ipuflow: a crop takes ", f.got, " rows or columns of an image that has ", f.limit,
                   "; crop at most those, or resize before");
    case dataset_wrong::no_chance:
      return words("ipuflow: the chance of a flip is not between 0 and 1; give one that is, 0.5 flips every other image");
    case dataset_wrong::no_draw:
      return words(
          "ipuflow: a range has no index and no epoch to draw by; transform at random what has an index, or draw in a map");
    case dataset_wrong::range_cached:
      return words("ipuflow: a range has no index to keep samples by; cache a dataset that has one");
    case dataset_wrong::no_predicate:
      return words(
          "ipuflow: a filter can be called neither with the sample nor with its fields, or does not answer true or false; "
          "let it do both, const");
    case dataset_wrong::samples_differ:
      return words("ipuflow: datasets with samples of different types are concatenated; map them to one type before");
  }
  return {};
}

namespace impl {

template <dataset_wrong Kind, class Of>
struct refusal {
  using type = problem_in<dataset_fault{Kind}>;
};

}  // namespace impl

/// An adaptor returns this instead of a dataset that it cannot make `Of` something: the compiler shows the sentence. It is put together
/// only where that happens.
template <dataset_wrong Kind, class Of>
using refused = typename impl::refusal<Kind, Of>::type;

namespace impl {

template <class T>
inline constexpr bool is_problem = false;
template <fixed_string Sentence>
inline constexpr bool is_problem<problem<Sentence>> = true;

/// Throws unless share `index` of `count` exists.
constexpr void check_share(std::size_t index, std::size_t count) {
  if (index >= count) throw_if(dataset_fault{dataset_wrong::no_share, index, count});
}

}  // namespace impl

}  // namespace ipuflow::feed

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<feed::dataset_fault>;
}
#endif
