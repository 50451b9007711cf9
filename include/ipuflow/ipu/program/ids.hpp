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

enum class id_wrong : unsigned char { nothing, of_other_graph, added_later };

/// `got` is the number of a thing, `limit` how many there are of its kind, which `where` names.
using id_fault = fault<id_wrong, fixed_string<16>>;

constexpr const char* wording(id_wrong wrong) {
  switch (wrong) {
    case id_wrong::nothing:
      break;
    case id_wrong::of_other_graph:
      return "ipuflow: {where} {got} is none of this graph, which has {limit} of them; hand a graph and its engine only what that graph made";
    case id_wrong::added_later:
      return "ipuflow: {where} {got} came into use when the engine was there, which has no room for it (it has {limit}); make the engine of a graph that is whole";
  }
  return "";
}

template <class = void>
constexpr message_text sentence(const id_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}});
}

namespace impl {

constexpr id_fault verify_id(std::size_t index, std::size_t count, std::string_view kind) {
  return index < count ? id_fault{} : id_fault{id_wrong::of_other_graph, index, count, fixed_string<16>{kind}};
}
constexpr void check_id(std::size_t index, std::size_t count, std::string_view kind) {
  if (index >= count) throw_if(verify_id(index, count, kind));
}
/// The same of something that has memory, which was given to as many as there were.
constexpr void check_id(std::size_t index, std::size_t count, std::size_t with_memory, std::string_view kind) {
  check_id(index, count, kind);
  if (index >= with_memory) throw_if(id_fault{id_wrong::added_later, index, with_memory, fixed_string<16>{kind}});
}

}  // namespace impl

}  // namespace ipuflow::ipu
