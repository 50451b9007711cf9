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
  no_parts,
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
  wide_frame,
  no_chance,
  no_draw,
  range_cached,
  no_predicate,
  samples_differ,
  no_sample,
  no_default_sample,
  sample_kept
};
using dataset_fault = fault<dataset_wrong, std::size_t>;

constexpr const char* wording(dataset_wrong wrong) {
  switch (wrong) {
    case dataset_wrong::nothing:
      break;
    case dataset_wrong::empty:
      return "ipuflow: the dataset is empty; give it at least {limit} sample";
    case dataset_wrong::sizes_differ:
      return "ipuflow: dataset {where} of a zip has {got} sample{s} but the first has {limit}; give them equally many";
    case dataset_wrong::no_width:
      return "ipuflow: rows of {got} element{s} {holds|hold} nothing; give them a width of at least {limit}";
    case dataset_wrong::not_whole_rows:
      return "ipuflow: {got} element{s} {is|are} not a whole number of rows of {limit}; give as many as the rows hold";
    case dataset_wrong::no_batch:
      return "ipuflow: a dataset cannot be cut into batches of {got} sample{s}; batch at least {limit}";
    case dataset_wrong::no_parts:
      return "ipuflow: the time of an element is to be shared out among {got} part{s}; give at least {limit}";
    case dataset_wrong::no_window:
      return "ipuflow: a window of {got} sample{s} cannot be shuffled; keep at least {limit} in it";
    case dataset_wrong::no_index:
      return "ipuflow: a range has no index to shuffle; shuffle it in a window, shuffle(seed, window)";
    case dataset_wrong::window_of_index:
      return "ipuflow: a window is for ranges, but this dataset has an index; shuffle all of it, shuffle(seed)";
    case dataset_wrong::no_dataset:
      return "ipuflow: an adaptor or a loader is given something that is not a dataset; give that size() and a const operator[], or begin() and end()";
    case dataset_wrong::no_call:
      return "ipuflow: a transform can be called neither with the sample nor with its fields; let its parameters be one of the two, and its call "
             "operator const";
    case dataset_wrong::no_share:
      return "ipuflow: share {got} is asked for of a dataset cut into {limit}; shares count from 0 to one less";
    case dataset_wrong::too_many:
      return "ipuflow: a dataset repeated {got} time{s} has more samples than can be counted; repeat it at most {limit} time{s}, or for ever with "
             "repeat()";
    case dataset_wrong::no_images:
      return "ipuflow: a transform of images is given samples that are none; say what they are, images(channels, height, width), as their first "
             "field";
    case dataset_wrong::no_tensor:
      return "ipuflow: numbers are to be converted, or seen as an image, but the first field of a sample holds none; make it a span, an array or a "
             "vector of numbers";
    case dataset_wrong::image_elements:
      return "ipuflow: a sample has {got} element{s} but an image of these extents has {limit}; give images() the extents of the dataset";
    case dataset_wrong::no_extent:
      return "ipuflow: an image has an extent of {got}; give channels, height and width at least {limit}";
    case dataset_wrong::crop_too_large:
      return "ipuflow: a crop takes {got} row{s} or column{s} of an image that has {limit}; crop at most those, or resize before";
    case dataset_wrong::wide_frame:
      return "ipuflow: an image is to have a frame of {got} zeros on each side; give a padding of at most {limit}";
    case dataset_wrong::no_chance:
      return "ipuflow: the chance of a flip is not between 0 and 1; give one that is, 0.5 flips every other image";
    case dataset_wrong::no_draw:
      return "ipuflow: a range has no index and no epoch to draw by; transform at random what has an index, or draw in a map";
    case dataset_wrong::range_cached:
      return "ipuflow: a range has no index to keep samples by; cache a dataset that has one";
    case dataset_wrong::no_predicate:
      return "ipuflow: a filter can be called neither with the sample nor with its fields, or does not answer true or false; let it do both, const";
    case dataset_wrong::samples_differ:
      return "ipuflow: datasets with samples of different types are concatenated; map them to one type before";
    case dataset_wrong::no_sample:
      return "ipuflow: a dataset or a transform gives nothing for a sample; let it return one";
    case dataset_wrong::no_default_sample:
      return "ipuflow: a step has room for samples before they are there, but one, or a field of it, is not made without arguments; give its type a "
             "default constructor";
    case dataset_wrong::sample_kept:
      return "ipuflow: samples that cannot be copied are to be loaded out of a dataset that keeps them; let it make each when it is asked, or keep "
             "std::shared_ptrs";
  }
  return "";
}

/// `where` is the position among several datasets, otherwise unused.
constexpr message_text sentence(const dataset_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
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
