// SPDX-License-Identifier: BSL-1.0
// `| images<3, 32, 32>()` or `| images(3, 32, 32)`: says that samples, or the first fields of samples, are images of
// these extents (channels, height, width), so that the transforms of images can follow; it copies nothing. Here is also
// what these transforms are made of: a function of the first field, which may draw.
#pragma once

#include <ipuflow/feed/adaptors/adaptor.hpp>
#include <ipuflow/feed/adaptors/map.hpp>
#include <ipuflow/feed/adaptors/permutation.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>
#include <ipuflow/feed/images/image.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ipuflow::feed {

namespace impl {

template <class Sample>
struct first_field {
  using type = Sample;
};
template <class Sample>
  requires is_tuple<std::remove_cvref_t<Sample>>
struct first_field<Sample> {
  using type = std::tuple_element_t<0, std::remove_cvref_t<Sample>>;
};

/// The first field of a dataset's samples, or the samples.
template <class Dataset>
using first_field_t = std::remove_cvref_t<typename first_field<raw_sample_t<Dataset>>::type>;

template <class Field>
using layout_of = field_layout<field_t<Field>>;

/// A function of the first field as one of the sample: the other fields stay as they are.
template <class Function>
struct of_first_field {
  Function f;

  template <class Sample, class... Draw>
  constexpr auto operator()(Sample&& sample, Draw... draw) const {
    using plain = std::remove_cvref_t<Sample>;
    if constexpr (is_tuple<plain>) {
      return [&]<std::size_t... Other>(std::index_sequence<Other...>) {
        auto made = f(std::get<0>(std::forward<Sample>(sample)), draw...);
        return std::tuple<decltype(made), std::tuple_element_t<Other + 1, plain>...>(
            std::move(made), std::get<Other + 1>(std::forward<Sample>(sample))...);
      }(std::make_index_sequence<std::tuple_size_v<plain> - 1>{});
    } else {
      return f(std::forward<Sample>(sample), draw...);
    }
  }
};

/// A dataset whose samples are transformed with a random number of their own in every epoch.
template <map_style Dataset, class Function>
class mapped_at_random : public dataset_view {
 public:
  constexpr mapped_at_random(Dataset base, Function f, std::uint64_t seed)
      : base_{std::move(base)}, f_{std::move(f)}, seed_{seed} {}

  [[nodiscard]] constexpr std::size_t size() const { return base_.size(); }
  constexpr auto operator[](std::size_t index) const { return sample(index, 0); }
  constexpr auto sample(std::size_t index, std::size_t epoch) const {
    return f_(feed::sample_at(base_, index, epoch), drawn(seed_, epoch, index));
  }
  [[nodiscard]] constexpr std::size_t origin(std::size_t index, std::size_t epoch) const {
    return feed::origin_of(base_, index, epoch);
  }

 private:
  Dataset base_;
  Function f_;
  std::uint64_t seed_;
};

/// True for a transform that makes something of each image; one that says so by `refusal_of` refuses some of them.
template <class Function, class Image>
constexpr auto problem_with() {
  if constexpr (!is_image<Image>) {
    return refused<dataset_wrong::no_images, Image>{};
  } else if constexpr (requires { Function::template refusal_of<Image>(); }) {
    return Function::template refusal_of<Image>();
  } else {
    return nothing_wrong{};
  }
}

/// The adaptor of a transform of images.
template <class Function>
constexpr auto on_images(Function f) {
  return adaptor{[f]<class Dataset>(Dataset d) {
    constexpr auto problem = problem_with<Function, first_field_t<Dataset>>();
    if constexpr (!std::is_same_v<decltype(problem), const nothing_wrong>) {
      return problem;
    } else {
      return map(of_first_field<Function>{f}).apply(std::move(d));
    }
  }};
}

/// The adaptor of one that draws.
template <class Function>
constexpr auto on_images(Function f, std::uint64_t seed) {
  return adaptor{[=]<class Dataset>(Dataset d) {
    constexpr auto problem = problem_with<Function, first_field_t<Dataset>>();
    if constexpr (!std::is_same_v<decltype(problem), const nothing_wrong>) {
      return problem;
    } else if constexpr (map_style<Dataset>) {
      return mapped_at_random{std::move(d), of_first_field<Function>{f}, seed};
    } else {
      return refused<dataset_wrong::no_draw, Dataset>{};
    }
  }};
}

/// A tensor as an image: a view of what lies in memory, or the tensor itself if it was made for this call.
template <class Extents>
struct as_image {
  Extents extents;

  template <class Field>
  constexpr auto operator()(Field&& field) const {
    using plain = std::remove_cvref_t<Field>;
    using view = field_t<plain>;
    if constexpr (std::is_lvalue_reference_v<Field> || std::is_same_v<plain, view>) {
      return image<view, Extents>{view(impl::elements_in<typename layout_of<plain>::element_type>(field)), extents};
    } else {
      return image<plain, Extents>{std::forward<Field>(field), extents};
    }
  }
};

template <class Extents>
constexpr auto images_of(Extents extents) {
  return adaptor{[extents]<class Dataset>(Dataset d) {
    using layout = layout_of<first_field_t<Dataset>>;
    if constexpr (!layout::is_tensor) {
      return refused<dataset_wrong::no_tensor, Dataset>{};
    } else if constexpr (Extents::fixed && layout::width != std::dynamic_extent && layout::width != Extents::count) {
      return problem_in<dataset_fault{dataset_wrong::image_elements, layout::width, Extents::count}>{};
    } else {
      return map(of_first_field<as_image<Extents>>{{extents}}).apply(std::move(d));
    }
  }};
}

}  // namespace impl

/// The samples as images of extents that are part of their type.
template <std::size_t Channels, std::size_t Height, std::size_t Width>
[[nodiscard]] constexpr auto images() {
  return impl::images_of(image_extents<Channels, Height, Width>{});
}

/// The samples as images of extents that are known when the program runs.
[[nodiscard]] constexpr auto images(std::size_t channels, std::size_t height, std::size_t width) {
  return impl::images_of(image_extents<>{channels, height, width});
}

}  // namespace ipuflow::feed
