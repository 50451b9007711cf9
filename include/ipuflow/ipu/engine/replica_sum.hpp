// SPDX-License-Identifier: BSL-1.0
// The results of collectives: the parts of all replicas one after the other, or their sum. Halves are added as floats
// and rounded once, in the order of replicas, so that every replica gets the same bits. Sums of whole numbers wrap around.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/ipu/machine/element_type.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ipuflow::ipu {

namespace impl {

using replica_bytes = light_vector<light_vector<std::byte>>;

template <class = void>
[[nodiscard]] inline light_vector<std::byte> gathered(const replica_bytes& parts) {
  light_vector<std::byte> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template <class Element>
light_vector<std::byte> sum_of(const replica_bytes& parts) {
  using wide = std::conditional_t<std::is_integral_v<Element>, std::uint32_t, float>;
  light_vector<std::byte> all(parts[0].size());
  for (std::size_t i = 0; i + sizeof(Element) <= all.size(); i += sizeof(Element)) {
    wide sum{};
    for (const auto& part : parts) {
      Element value;
      std::memcpy(&value, part.data() + i, sizeof value);
      sum = static_cast<wide>(sum + static_cast<wide>(value));
    }
    const auto rounded = static_cast<Element>(sum);
    std::memcpy(all.data() + i, &rounded, sizeof rounded);
  }
  return all;
}

template <class = void>
[[nodiscard]] inline light_vector<std::byte> summed(const replica_bytes& parts, element_type type) {
  return with_element(type, [&](auto element) { return sum_of<decltype(element)>(parts); });
}

}  // namespace impl

}  // namespace ipuflow::ipu
