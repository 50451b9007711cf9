// SPDX-License-Identifier: BSL-1.0
// The faults of a described pipeline, each with its sentence. A fault found in types (an op that
// does not take what it is given) carries their names as text, so that it is a value like every other.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/type_name.hpp>

#include <cstddef>
#include <string_view>

namespace ipuflow {

enum class graph_wrong : unsigned char {
  nothing,
  no_stages,       // pipeline() or a stage without blocks
  number_in_call,  // what is a template argument, in parentheses
  no_part,         // an argument that does not belong where it stands
  too_few_stages,  // one stage where a pipeline is asked for
  unnamed_block,   // a block whose name is empty
  long_name,       // a block whose name has more characters than a sentence can show
  repeated_block,  // two blocks of one name
  block_in_two_stages,
  block_in_no_stage,
  unknown_block,
  cut_outside,  // a part of a block that begins behind its ops
  no_repetition,  // repeat<0>
  uneven_split,   // more stages than blocks, or none
  ids_descend,        // a block in an earlier stage than the block before it
  names_descend,      // a block named in its stage before one that the data reach earlier
  beginnings_descend, // a stage that is to begin where the stage before it does, or earlier
  branches_in_line,   // stages that begin at blocks, of a pipeline that has branches
  no_such_stage,      // a number that no stage has
  lists_differ,       // as many IPUs as stages are needed
  places_differ,      // blocks on several IPUs in one stage
  branches_unplaced,  // as many IPUs as branches are needed
  nested_concurrency,
  branches_descend,  // a block in an earlier branch than the block before it
  branches_differ,   // a concurrent branch that does not take the stage's arguments
  no_input,          // the input's type is neither given nor deducible
  cannot_take,       // an op that does not take what it is given
  wants_real,        // an op that would take it if its whole numbers were real
  immovable,         // an op that gives what can be neither moved nor copied: a reference to a move-only value
  unknown_value,     // use<"name"> of what nothing provides
  repeated_value,    // two values of one name
  unnamed_value,     // a value whose name is empty
  long_value_name,   // a value whose name has more characters than a sentence can show
  kept_count,        // keep<...> with more or fewer names than values
  kept_move_only     // keep<...> of a value that cannot be copied
};

/// The place of a fault: the stage, the position of the op in its block, and names as text. Members that a kind does not
/// need are empty.
struct graph_site {
  std::size_t stage = 0;
  std::size_t op = 0;
  fixed_string<60> name{};
  type_text op_type{};
  type_text given{};

  friend constexpr bool operator==(const graph_site&, const graph_site&) = default;
};

using graph_fault = fault<graph_wrong, graph_site>;

namespace impl {

/// The fault of a name that is empty, or has more characters than sentences can show.
constexpr graph_fault verify_length(std::string_view name, graph_wrong empty, graph_wrong too_long) {
  constexpr std::size_t longest = 60;  // what a graph_site has room for
  if (name.empty()) return {empty, 0, longest};
  if (name.size() <= longest) return {};
  return {too_long, name.size(), longest, {.name = fixed_string<longest>{name}}};
}

}  // namespace impl

constexpr const char* wording(graph_wrong wrong) {
  switch (wrong) {
    case graph_wrong::nothing:
      break;

    case graph_wrong::no_stages:
      return "ipuflow: a pipeline or stage without blocks does nothing; give it block<...>(op...)";
    case graph_wrong::too_few_stages:
      return "ipuflow: a pipeline needs at least {limit} stage{s} but has {got}; add a stage, or say single_stage(...) if one is meant";
    case graph_wrong::unnamed_block:
      return "ipuflow: a block has an empty name; give it one, as in block<\"encoder\">(op...)";
    case graph_wrong::long_name:
      return "ipuflow: block '{name}' has a name of {got} character{s}; choose one of at most {limit}";
    case graph_wrong::repeated_block:
      return "ipuflow: two blocks are called '{name}', number {limit} and number {got}; give every block a name of its own";
    case graph_wrong::unknown_block:
      return "ipuflow: there is no block '{name}'; the blocks are {given}";
    case graph_wrong::cut_outside:
      return "ipuflow: block '{name}' has {limit} op{s}, so no part of it begins at op {got}; cut it before one of its own, counted from 0";
    case graph_wrong::no_repetition:
      return "ipuflow: repeat<0>(...) describes nothing; say how often, from 1 on, or leave it out";
    case graph_wrong::uneven_split:
      return "ipuflow: {limit} block{s} {is|are} split into {got} stage{s}; ask for 1 to {limit}, so that each has a block";
    case graph_wrong::number_in_call:
      return "ipuflow: {name} is given a number in parentheses, which is a part of its type; write {given}";
    case graph_wrong::no_part:
      return "ipuflow: argument {got} of {name}(...) does not belong there, it is {op_type}; give {given}";

    case graph_wrong::block_in_two_stages:
      return "ipuflow: block '{name}' is in stage {limit} and in stage {got}; name it once";
    case graph_wrong::block_in_no_stage:
      return "ipuflow: block '{name}' is in none of the {limit} stage{s}; add it to one";
    case graph_wrong::ids_descend:
      return "ipuflow: block '{name}' is in stage {got} but the block before it in stage {limit}; stages follow the data, so list blocks in the "
             "order in which it flows";
    case graph_wrong::names_descend:
      return "ipuflow: stage {got} names block '{name}' before block '{given}', which the data reach earlier; name the blocks of a stage in the "
             "pipeline's order";
    case graph_wrong::beginnings_descend:
      return "ipuflow: stages are to begin at block '{given}' and then at block '{name}', which is not behind it; name each once, in the pipeline's "
             "order";
    case graph_wrong::branches_in_line:
      return "ipuflow: stage {stage} has {limit} concurrent branch{es}, which would be one behind the other in stages that begin at blocks; "
             "regroup(...) names the stages with their branches";
    case graph_wrong::lists_differ:
      return "ipuflow: {got} IPU{s} {is|are} given for {limit} stage{s}; give one entry for each stage";
    case graph_wrong::places_differ:
      return "ipuflow: stage {stage} is on one IPU, but block '{name}' in it is placed on IPU {got} and one before it on IPU {limit}; place the "
             "stage, stage(...).ipu<{limit}>(), or make two of it";
    case graph_wrong::branches_unplaced:
      return "ipuflow: stage {stage} has {limit} concurrent branch{es} but is placed on {got} IPU{s}; give ipus(...) with one for each branch";
    case graph_wrong::branches_descend:
      return "ipuflow: block '{name}' is in branch {got} of stage {stage} but the block before it in branch {limit}; list the branches in the order "
             "of their blocks";
    case graph_wrong::nested_concurrency:
      return "ipuflow: concurrent(...) stands inside concurrent(...); put all branches side by side in one";

    case graph_wrong::no_such_stage:
      return "ipuflow: stage {got} is asked for, but a pipeline has {limit}; its stages count from 0 to one less";
    case graph_wrong::branches_differ:
      return "ipuflow: concurrent branches take the same arguments, but branch {got} of stage {stage} does not: in block '{name}' op {op}, "
             "{op_type}, is given ({given}); make every branch take them";
    case graph_wrong::no_input:
      return "ipuflow: the type of the pipeline's input cannot be read off its first op, {op_type}; say it first: pipeline(input<T>, ...)";
    case graph_wrong::cannot_take:
      return "ipuflow: stage {stage} cannot take what it is given: in block '{name}' op {op}, {op_type}, is given ({given}); change the op or what "
             "stands before it";
    case graph_wrong::wants_real:
      return "ipuflow: stage {stage} cannot compute with whole numbers: in block '{name}' op {op}, {op_type}, is given ({given}); make them real "
             "before it, with nn::cast<float> or nn::normalise<mean, deviation>";
    case graph_wrong::immovable:
      return "ipuflow: op {op} of block '{name}', {op_type}, gives what can be neither moved nor copied from there; give a value that moves, or a "
             "pointer";
    case graph_wrong::unknown_value:
      return "ipuflow: nothing before op {op} of block '{given}' provides the value '{name}'; declare it with per_sample or per_run, or keep it "
             "earlier";
    case graph_wrong::repeated_value:
      return "ipuflow: two values are called '{name}'; give every value a name of its own";
    case graph_wrong::unnamed_value:
      return "ipuflow: a value has an empty name; give it one, as in keep<\"skip\"> or per_sample<\"label\", int>";
    case graph_wrong::long_value_name:
      return "ipuflow: value '{name}' has a name of {got} character{s}; choose one of at most {limit}";
    case graph_wrong::kept_count:
      return "ipuflow: keep in block '{name}', op {op}, has {got} name{s} for {limit} value{s} ({given}); give one name for each";
    case graph_wrong::kept_move_only:
      return "ipuflow: keep in block '{name}', op {op}, would copy what cannot be copied ({given}); keep what can, or let it flow";
  }
  return "";
}

constexpr message_text sentence(const graph_fault& f) {
  const auto& [stage, op, name, op_type, given] = f.where;
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"name", name}, {"given", given}, {"op_type", op_type}, {"stage", stage},
                 {"op", op}});
}

}  // namespace ipuflow

#if defined(IPUFLOW_COMPILED)  // by the target ipuflow::compiled, which has it
namespace ipuflow {
extern template class rejected<graph_fault>;
}
#endif
