// SPDX-License-Identifier: BSL-1.0
// The names of things in a graph: steps and layers hold these, and the graph knows the rest.
// Each kind has a type of its own, so that none stands where another is wanted. A number that the graph
// has not given out is told.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow::ipu {

struct variable_id {
  std::size_t index = 0;
};
struct compute_set_id {
  std::size_t index = 0;
};
struct function_id {
  std::size_t index = 0;
};
struct stream_id {
  std::size_t index = 0;
};
struct remote_id {
  std::size_t index = 0;
};
struct ring_id {
  std::size_t index = 0;
};

enum class id_wrong : unsigned char { nothing, of_other_graph };

/// `got` is the number of a thing, `limit` how many there are of its kind, which `where` names.
using id_fault = fault<id_wrong, fixed_string<16>>;

template <class = void>
constexpr message_text sentence(const id_fault& f) {
  return filled("ipuflow: {where} {got} is none of this graph, which has {limit} of them; hand a graph and its engine only what that graph made",
                {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

namespace impl {

constexpr id_fault verify_id(std::size_t index, std::size_t count, std::string_view kind) {
  return index < count ? id_fault{} : id_fault{id_wrong::of_other_graph, index, count, fixed_string<16>{kind}};
}
constexpr void check_id(std::size_t index, std::size_t count, std::string_view kind) {
  if (index >= count) throw_if(verify_id(index, count, kind));
}

}  // namespace impl

}  // namespace ipuflow::ipu
