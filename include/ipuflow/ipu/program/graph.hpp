// SPDX-License-Identifier: BSL-1.0
// The things that a program computes with: variables mapped to tiles, compute sets of vertices, functions, streams, remote
// buffers. A graph describes the chips of one replica; its tiles are counted through them. Vertices that differ only in
// where they are stand as one group, so that a compute set of a whole chip is a few numbers.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/ipu/program/codelet.hpp>
#include <ipuflow/ipu/program/mapping.hpp>
#include <ipuflow/ipu/program/step.hpp>
#include <ipuflow/ipu/program/variable.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow::ipu {

/// One operand of the vertices of a group: vertex i gets elements [first + i * step, + length), which one tile must
/// hold in one piece; with `whole`, all that its tile holds of the variable.
struct operand {
  variable_id variable;
  std::size_t first = 0;
  std::size_t length = 0;
  std::size_t step = 0;
  bool whole = false;
};

[[nodiscard]] constexpr operand part(variable_id of, std::size_t first, std::size_t length, std::size_t step = 0) {
  return {of, first, length, step, false};
}
[[nodiscard]] constexpr operand whole(variable_id of) { return {of, 0, 0, 0, true}; }

/// `per_tile` vertices on each of `tiles` tiles from `first_tile`, numbered tile by tile; a value of `fields` for each if
/// their codelet reads any.
struct vertex_group {
  std::size_t codelet = 0;
  std::size_t first_tile = 0;
  std::size_t tiles = 1;
  std::size_t per_tile = 1;
  light_vector<operand> operands{};
  impl::vertex_fields fields{};
};

namespace impl {

struct compute_set {
  name_text name;
  light_vector<vertex_group> groups{};
};

inline constexpr std::size_t own_host = static_cast<std::size_t>(-1);

/// Things of any types, one of each. A copy of them has none: what is in them is found out again.
class things_by_type {
 public:
  things_by_type() = default;
  things_by_type(things_by_type&&) noexcept = default;
  things_by_type(const things_by_type&) {}
  things_by_type& operator=(things_by_type other) noexcept { return things_.swap(other.things_), *this; }
  ~things_by_type() = default;

  template <class Type>
  Type& get() {
    static constexpr char type = 0;  // its address tells types apart
    for (const thing& t : things_) {
      if (t.type == &type) return *static_cast<Type*>(t.what.get());
    }
    things_.push_back({&type, {new Type, [](void* what) { delete static_cast<Type*>(what); }}});
    return *static_cast<Type*>(things_.back().what.get());
  }

 private:
  struct thing {
    const void* type;
    shared_thing what;
  };
  light_vector<thing> things_{};
};

}  // namespace impl

struct data_stream {
  name_text name;
  std::size_t prefetch = 1;  // items that the host makes ahead; with none it begins when it is asked
  seconds host_time{};       // in which the host makes an item, or takes one
  light_vector<seconds> host_times{};  // of one item after the other, again and again, where they differ
  std::size_t host = impl::own_host;  // streams of one number have one host, as the first of them says it
};

/// The slots that the lists of a ring have together.
template <class = void>
[[nodiscard]] std::size_t listed_slots(const light_vector<std::uint32_t>& pushes, const light_vector<light_vector<std::uint32_t>>& pulls) {
  std::size_t slots = pushes.size();
  for (const auto& list : pulls) slots += list.size();
  return slots;
}

namespace impl {

/// Copies of a variable, each on the tiles of the variable, for what is made anew before it is used. Pushes, and the
/// pulls of each reader, take slot after slot, or those of a list, again and again; or the first slot again where a run
/// of a timetable begins that leaves some slots out.
struct variable_ring {
  variable_id slots{};  // all copies as one variable; where they are `away`, what they are copies of
  std::size_t depth = 1;
  bool away = false;                    // in streaming memory
  remote_id buffer{};                   // there
  light_vector<std::uint32_t> pushes{};  // slots of the first push, the second, ...; none: 0, 1, ..., depth - 1
  light_vector<light_vector<std::uint32_t>> pulls{};  // of each reader
  std::size_t pushes_of_run = 0;                      // after which the first slot is next; 0: it is when its turn comes
  light_vector<std::size_t> pulls_of_run{};           // of each reader, likewise

  /// The slot of a push or pull, from how many of its kind came before.
  [[nodiscard]] std::size_t slot_pushed(std::size_t number) const { return slot(pushes, pushes_of_run, number); }
  [[nodiscard]] std::size_t slot_pulled(std::size_t reader, std::size_t number) const {
    return slot(pulls[reader], pulls_of_run.empty() ? 0 : pulls_of_run[reader], number);
  }
  static constexpr std::size_t listed_slot = 2;  // bytes
  [[nodiscard]] std::size_t listed() const { return listed_slots<>(pushes, pulls); }

 private:
  [[nodiscard]] std::size_t slot(const light_vector<std::uint32_t>& list, std::size_t of_run, std::size_t number) const {
    if (!list.empty()) return list[number % list.size()];
    return (of_run == 0 ? number : number % of_run) % depth;
  }
};

}  // namespace impl

template <class = void>
class basic_graph {
 public:
  explicit basic_graph(const architecture& chip, std::size_t chips = 1) : chip_{chip}, chips_{chips} {
    throw_if(impl::verify_divisors(chip));
  }

  [[nodiscard]] const architecture& chip() const { return chip_; }
  [[nodiscard]] std::size_t chips() const { return chips_; }
  [[nodiscard]] std::size_t tiles() const { return chip_.tiles * chips_; }

  /// A variable that keeps its memory for the whole program, and that the host may read and write.
  variable_id add_variable(name_text name, element_type type, std::size_t elements, mapping map) {
    return add(name, type, elements, std::move(map), true);
  }
  template <class Element>
  variable_id add_variable(std::string_view name, std::size_t elements, mapping map) {
    return add(name_from(name), element_type_of<Element>(), elements, std::move(map), true);
  }

  /// A variable that takes memory only from where it is written to where it is last read.
  variable_id add_temporary(name_text name, element_type type, std::size_t elements, mapping map) {
    return add(name, type, elements, std::move(map), false);
  }
  template <class Element>
  variable_id add_temporary(std::string_view name, std::size_t elements, mapping map) {
    return add(name_from(name), element_type_of<Element>(), elements, std::move(map), false);
  }

  compute_set_id add_compute_set(std::string_view name) {
    compute_sets_.push_back({name_from(name)});
    return {compute_sets_.size() - 1};
  }

  /// Codelets of one name count once in the size of code.
  std::size_t add_codelet(codelet added) {
    codelets_.push_back(std::move(added));
    return codelets_.size() - 1;
  }

  void add_vertices(compute_set_id set, vertex_group group) {
    impl::check_id(set.index, compute_sets_.size(), "compute set");
    impl::check_id(group.codelet, codelets_.size(), "codelet");
    for (const operand& o : group.operands) impl::check_id(o.variable.index, variables_.size(), "variable");
    const codelet& code = codelets_[group.codelet];
    if (group.tiles > 0 && (group.first_tile >= tiles() || group.tiles > tiles() - group.first_tile))
      throw_if(vertex_fault{vertex_wrong::no_such_tile, group.first_tile + group.tiles - 1, tiles(), code.name()});
    const std::size_t needed = code.field_size() * group.tiles * group.per_tile;
    if (needed > 0 && group.fields.bytes() != needed)
      throw_if(vertex_fault{vertex_wrong::fields, group.fields.bytes(), needed, code.name()});
    if (needed > 0 && group.fields.each() != code.field_size())
      throw_if(vertex_fault{vertex_wrong::field, group.fields.each(), code.field_size(), code.name()});
    compute_sets_[set.index].groups.push_back(std::move(group));
  }
  void add_vertex(compute_set_id set, std::size_t codelet, std::size_t tile, light_vector<operand> operands) {
    add_vertices(set, {.codelet = codelet, .first_tile = tile, .operands = std::move(operands)});
  }

  function_id add_function(step body) {
    functions_.push_back(std::move(body));
    return {functions_.size() - 1};
  }
  /// The same step as an operation: the report of memory says what it takes. Within another it is a part of that.
  step operation(std::string_view name, step what) {
    operations_.push_back(name_from(name));
    return impl::label_of{operations_.size() - 1, impl::in_order(std::move(what)), true};
  }
  stream_id add_stream(data_stream added) {
    streams_.push_back(added);
    return {streams_.size() - 1};
  }
  remote_id add_remote(std::string_view name, std::size_t elements, element_type type) {
    remotes_.push_back({name_from(name), type, elements});
    return {remotes_.size() - 1};
  }

  /// `depth` copies of `like` that keep their memory for the whole program.
  ring_id add_ring(std::string_view name, variable_id like, std::size_t depth, std::size_t readers = 1) {
    const variable of = (*this)[like];
    variables_.emplace_back(name_from(name), of.type(), of.elements(), of.map(), true, depth);
    rings_.push_back({.slots = {variables_.size() - 1}, .depth = depth});
    rings_.back().pulls.resize(readers);
    return {rings_.size() - 1};
  }
  /// The same in streaming memory: a push stores a slot, a pull loads it.
  ring_id add_ring_off_chip(std::string_view name, variable_id like, std::size_t depth, std::size_t readers = 1) {
    const remote_id buffer = add_remote(name, depth * (*this)[like].elements(), (*this)[like].type());
    rings_.push_back({.slots = like, .depth = depth, .away = true, .buffer = buffer});
    rings_.back().pulls.resize(readers);
    return {rings_.size() - 1};
  }
  /// Other slots than one after the other.
  void set_order(ring_id id, light_vector<std::uint32_t> pushes, light_vector<light_vector<std::uint32_t>> pulls) {
    impl::check_id(id.index, rings_.size(), "ring");
    rings_[id.index].pushes = std::move(pushes);
    rings_[id.index].pulls = std::move(pulls);
  }
  /// The first slot again after the pushes of a run, and the pulls of each reader.
  void begin_again(ring_id id, std::size_t pushes, light_vector<std::size_t> pulls) {
    impl::check_id(id.index, rings_.size(), "ring");
    rings_[id.index].pushes_of_run = pushes;
    rings_[id.index].pulls_of_run = std::move(pulls);
  }

  /// A variable becomes a temporary: what the host gave it comes from elsewhere each time.
  void keep_while_used(variable_id id) {
    impl::check_id(id.index, variables_.size(), "variable");
    variables_[id.index].keep_while_used();
  }

  struct remote_buffer {
    name_text name;
    element_type type;
    std::size_t elements;
  };

  [[nodiscard]] const light_vector<variable>& variables() const { return variables_; }
  const variable& operator[](variable_id id) const {
    impl::check_id(id.index, variables_.size(), "variable");
    return variables_[id.index];
  }
  [[nodiscard]] const light_vector<impl::compute_set>& compute_sets() const { return compute_sets_; }
  [[nodiscard]] const light_vector<codelet>& codelets() const { return codelets_; }
  [[nodiscard]] const light_vector<step>& functions() const { return functions_; }
  [[nodiscard]] const light_vector<name_text>& operations() const { return operations_; }
  [[nodiscard]] const light_vector<data_stream>& streams() const { return streams_; }
  [[nodiscard]] const light_vector<remote_buffer>& remotes() const { return remotes_; }
  [[nodiscard]] const light_vector<impl::variable_ring>& rings() const { return rings_; }

  /// Things that operations have found out and the next one may ask for, one of each type; it is empty at first.
  template <class Type>
  [[nodiscard]] Type& known() { return known_.get<Type>(); }

 private:
  variable_id add(name_text name, element_type type, std::size_t elements, mapping map, bool always_live) {
    throw_if(verify(map, elements, tiles()));
    variables_.emplace_back(name, type, elements, std::move(map), always_live);
    return {variables_.size() - 1};
  }

  architecture chip_;
  std::size_t chips_;
  light_vector<variable> variables_;
  light_vector<impl::compute_set> compute_sets_;
  light_vector<codelet> codelets_;
  light_vector<step> functions_;
  light_vector<name_text> operations_;
  light_vector<data_stream> streams_;
  light_vector<remote_buffer> remotes_;
  light_vector<impl::variable_ring> rings_;
  impl::things_by_type known_;
};
using graph = basic_graph<>;

}  // namespace ipuflow::ipu
