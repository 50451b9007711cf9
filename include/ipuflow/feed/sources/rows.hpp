// SPDX-License-Identifier: BSL-1.0
// Memory of the caller as a dataset: consecutive numbers, cut into samples of equal width.
#pragma once

#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <cstddef>
#include <span>
#include <tuple>
#include <type_traits>

namespace ipuflow::feed {

template <tensor_element Element, std::size_t Width>
class row_view : public dataset_view {
 public:
  constexpr row_view(std::span<const Element> elements, std::size_t width) : elements_{elements}, width_{width} {
    if (width == 0) throw_if(dataset_fault{dataset_wrong::no_width, width, 1});
    if (elements.size() % width != 0) {
      throw_if(dataset_fault{dataset_wrong::not_whole_rows, elements.size(), width});
    }
  }

  [[nodiscard]] constexpr std::size_t size() const { return elements_.size() / width_; }
  [[nodiscard]] constexpr std::size_t width() const { return width_; }
  constexpr std::span<const Element, Width> operator[](std::size_t index) const {
    return std::span<const Element, Width>{elements_.data() + index * width_, width_};
  }
  constexpr std::tuple<column_view<std::span<const Element, Width>>> columns() const {
    return {{elements_.data(), size(), width_}};
  }

 private:
  std::span<const Element> elements_;
  std::size_t width_;
};

namespace impl {

/// Memory whose elements end with it; a span of them does not care.
template <class Memory>
concept owns_elements = std::is_array_v<Memory> || requires(Memory& all, const Memory& same) {
  requires !std::is_same_v<decltype(all.data()), decltype(same.data())>;
};

}  // namespace impl

/// Samples of the product of these extents, as in `rows<1, 128, 128>(pixels)`: their width is part of their type.
template <std::size_t... Extent, class Memory>
  requires(sizeof...(Extent) > 0)
constexpr auto rows(const Memory& memory) {
  const std::span elements{memory};
  using element_type = std::remove_const_t<typename decltype(elements)::element_type>;
  constexpr std::size_t width = shape<Extent...>::elements;
  return row_view<element_type, width>{elements, width};
}

/// Samples of a width that is known when the program runs.
template <class Memory>
constexpr auto rows(const Memory& memory, std::size_t width) {
  const std::span elements{memory};
  using element_type = std::remove_const_t<typename decltype(elements)::element_type>;
  return row_view<element_type, std::dynamic_extent>{elements, width};
}

template <std::size_t... Extent, impl::owns_elements Memory, class... Width>
void rows(const Memory&&, const Width&...) = delete;  // ipuflow: rows are the memory that they are given; give it a name that outlives them

}  // namespace ipuflow::feed
