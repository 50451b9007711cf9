// SPDX-License-Identifier: BSL-1.0
// A profile of BERT-large that answers questions (SQuAD), in half, compiled for one chip: sequences of 128, one at a time. Bytes are
// sums over tiles, of the network, of one of its layers, and of parts of a layer.
#include <ipuflow/chips.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <validation/bert.hpp>
#include <validation/networks.hpp>

#include <ipuflow/core/algorithms.hpp>

#include <cstddef>
#include <string_view>

namespace validation {

namespace {

using ipu::memory_category;

constexpr auto network = single_stage(input<std::uint16_t, positions>, per_sample<"segment", number_of_each>,
                                      per_sample<"text", number_of_each>, bert_in<bert_large, half>, zoo::bert_answer<bert_large>);
constexpr auto layer = single_stage(input<half, positions, 1024>, per_sample<"text", number_of_each>, bert_layer);
constexpr auto product = single_stage(input<half, positions, 1024>, block<"product">(without_biases(nn::linear<3 * 1024>)));

/// The memory that a network takes which is only used.
template <class Network>
ipu::memory_report memory_of(const Network& used) {
  const train::session session(used, schedule::inference(used, micro_batches<1>), train::sgd{}, {},
                               on::chips{.synthetic = true, .half_partials = true, .share_code = false, .allow_out_of_memory = true}, train::precision<float, half>{});
  return session.cost().chips.memory;
}

/// Bytes of an operation or layer in that profile; 0: not given.
struct profiled_bytes {
  std::string_view id, what;
  double state, code, exchange, control, variables;
  fitted code_is = fitted::none;
};

/// The first operation with these words in its name.
std::size_t operation_named(const ipu::memory_report& m, std::string_view words) {
  const auto is_it = [&](const ipu::operation_memory& o) { return o.name.view().find(words) != std::string_view::npos; };
  return static_cast<std::size_t>(algorithms::find_if(m.operations.begin(), m.operations.end(), is_it) - m.operations.begin());
}

/// Of an operation where it stands, as the profile has it: code that it has in common with others is in it. None if there is no such operation.
double bytes_of(const ipu::memory_report& m, std::string_view operation, memory_category c) {
  const std::size_t number = operation_named(m, operation);
  if (number == m.operations.size()) return 0;
  return static_cast<double>(c == memory_category::vertex_code ? m.operations[number].code_used : m.of_operation(number, c));
}

/// `bytes(category)` are predicted.
template <class Bytes>
void add_rows(std::vector<validation_row>& rows, const profiled_bytes& seen, Bytes bytes) {
  const auto row = [&](std::string_view what, double measured, double predicted, row_class of, fitted from = fitted::none) {
    if (measured > 0) rows.push_back({seen.id, what, "bytes", measured, predicted, of, from});
  };
  row(seen.what, seen.state, bytes(memory_category::vertex_state), row_class::state_and_code);
  row("  vertex code", seen.code, bytes(memory_category::vertex_code), row_class::state_and_code, seen.code_is);
  row("  exchange code", seen.exchange, bytes(memory_category::exchange_code), row_class::exchange_code);
  row("  control code", seen.control, bytes(memory_category::control_code), row_class::state_and_code);
  row("  variables", seen.variables, bytes(memory_category::always_live) + bytes(memory_category::not_always_live),
      row_class::variables);
}
void add_rows(std::vector<validation_row>& rows, const profiled_bytes& seen, const ipu::memory_report& m) {
  add_rows(rows, seen, [&](memory_category c) { return static_cast<double>(m.total(c)); });
}

}  // namespace

std::vector<validation_row> bert_profile_rows() {
  std::vector<validation_row> rows;
  const ipu::memory_report one = memory_of(layer);
  const auto softmax = [&](memory_category c) { return bytes_of(one, "rows", c) + bytes_of(one, "softmax", c); };
  const auto norm = [&](memory_category c) { return bytes_of(one, "layer_norm", c); };
  add_rows(rows, {"B1", "BERT-L encoder layer: vertex state", 1'050'044, 7'876'760, 1'280'820, 1'360'492, 76'814'456}, one);
  add_rows(rows, {"B2", "BERT-L, all of it: vertex state", 25'460'686, 9'887'022, 27'805'164, 0, 718'514'294}, memory_of(network));
  add_rows(rows, {"B3", "product for attention: vertex state", 86'272, 2'372'928, 520'300, 104'228, 0, fitted::array_code}, memory_of(product));
  add_rows(rows, {"B3", "softmax: vertex state", 160'768, 2'295'839, 102'048, 201'216, 0}, softmax);
  add_rows(rows, {"B3", "norm: vertex state", 221'120, 2'973'137, 227'504, 261'016, 0}, norm);
  return rows;
}

}  // namespace validation
