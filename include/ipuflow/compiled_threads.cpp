// SPDX-License-Identifier: BSL-1.0
// The half of the target `ipuflow::compiled` that runs on threads: what depends on no pipeline, schedule or optimiser, for
// the usual precisions. Who links the target gets these from here; the same headers say so where they are declared.
#include <ipuflow/core/half.hpp>
#include <ipuflow/core/light_span.hpp>
#include <ipuflow/feed/loading/map_source.hpp>
#include <ipuflow/feed/loading/step_loader.hpp>
#include <ipuflow/feed/sources/file_fault.hpp>
#include <ipuflow/run/threads/follower.hpp>
#include <ipuflow/run/threads/run_fault.hpp>
#include <ipuflow/run/threads/stream_planning.hpp>
#include <ipuflow/train/evaluation.hpp>
#include <ipuflow/train/model_file.hpp>
#include <ipuflow/train/named_tensors.hpp>
#include <ipuflow/train/optimisers/adam.hpp>
#include <ipuflow/train/optimisers/lamb.hpp>
#include <ipuflow/train/optimisers/lars.hpp>
#include <ipuflow/train/optimisers/rmsprop.hpp>
#include <ipuflow/train/optimisers/optimiser_code.hpp>
#include <ipuflow/train/optimisers/sgd.hpp>
#include <ipuflow/train/session.hpp>
#include <ipuflow/train/threads/network_code.hpp>
#include <ipuflow/train/threads/session_engine.hpp>

namespace ipuflow {
template class rejected<vector_fault>;
template class rejected<arithmetic_fault>;
template class rejected<argument_fault>;
template class rejected<graph_fault>;
template class rejected<schedule::schedule_fault>;
template class rejected<queue::queue_fault>;
template class rejected<run::run_fault>;
template class rejected<feed::batching_fault>;
template class rejected<feed::dataset_fault>;
template class rejected<feed::loader_fault>;
template class rejected<feed::file_fault>;
template class rejected<nn::nn_fault>;
template class rejected<train::evaluation_fault>;
template class rejected<train::figure_fault>;
template class rejected<train::inference_fault>;
template class rejected<train::loss_fault>;
template class rejected<train::model_fault>;
template class rejected<train::model_file_fault>;
template class rejected<train::session_fault>;
template class rejected<train::state_fault>;
}  // namespace ipuflow

namespace ipuflow::feed::impl {
template class step_loader<step_source>;
template class basic_map_source<>;
}  // namespace ipuflow::feed::impl

namespace ipuflow::schedule::impl {
template any_walk begin_walk<modular<grid>>(const void*, std::size_t);
template any_walk begin_walk<modular<common_map>>(const void*, std::size_t);
template schedule_fault verify_at_run_time<grid>(const modular<grid>&);
template schedule_fault verify_at_run_time<common_map>(const modular<common_map>&);
}  // namespace ipuflow::schedule::impl

namespace ipuflow::run {
template std::size_t thread_count<>(std::size_t, std::size_t);
template dealt deal_lanes<>(const schedule::any_timetable&, std::size_t, std::size_t, light_span<const std::size_t>);
template outcome execute<>(const schedule::any_timetable&, any_work, crew&, const execution&);
template outcome execute<>(const schedule::any_timetable&, any_work, std::size_t, const execution&);
}  // namespace ipuflow::run

namespace ipuflow::run::impl {
template known_order known_of<schedule::grid>(const schedule::modular<schedule::grid>&);
template stream_plan plan_order<>(const placed_blocks&, const schedule::any_timetable&, const known_order&, std::size_t, bool);
template bool execute_plan<>(const stream_plan&, const schedule::any_timetable&, std::size_t, any_work, execution);
}  // namespace ipuflow::run::impl

namespace ipuflow::train {
template void save<float>(const model<float>&, const std::string&);
template void save<double>(const model<double>&, const std::string&);
template void load<float>(model<float>&, const std::string&);
template void load<double>(model<double>&, const std::string&);
template compared compare(const result_column&, std::span<const std::uint8_t>, std::size_t);
template compared compare(const result_column&, std::span<const std::int32_t>, std::size_t);
template compared compare(const result_column&, std::span<const std::int64_t>, std::size_t);
}  // namespace ipuflow::train

namespace ipuflow::train::impl {
template light_vector<piece> tensors_of<>(const network_layout&, const tensor_grouping&);
template model<float> initial_model_of(const network_layout&, initialiser_lists<float>, std::uint64_t);
template model<double> initial_model_of(const network_layout&, initialiser_lists<double>, std::uint64_t);
template model_fault verify_model(const model<float>&, const network_layout&);
template model_fault verify_model(const model<double>&, const network_layout&);
template light_vector<named_tensor> named_tensors_of<>(const network_layout&);
template light_vector<named_tensor> named_state_of<>(const network_layout&);
template optimiser_code<float> optimiser_code_of<float>(const sgd&);
template void check_figures(const sgd&);
template optimiser_code<float> optimiser_code_of<float>(const adam&);
template void check_figures(const adam&);
template optimiser_code<float> optimiser_code_of<float>(const adamw&);
template void check_figures(const adamw&);
template optimiser_code<float> optimiser_code_of<float>(const lamb&);
template void check_figures(const lamb&);
template optimiser_code<float> optimiser_code_of<float>(const lars&);
template void check_figures(const lars&);
template optimiser_code<float> optimiser_code_of<float>(const rmsprop&);
template void check_figures(const rmsprop&);
template optimiser_code<float> optimiser_code_of<float>(const rmsprop_tf&);
template void check_figures(const rmsprop_tf&);
template optimiser_code<float> optimiser_code_of<float>(const no_optimiser&);
template shared<model<float>> model_from<float>(shared<model<float>>, const network_layout&, initialiser_lists<float>,
                                               std::uint64_t);
template shared<model<float>> model_from<half>(shared<model<float>>, const network_layout&, initialiser_lists<float>,
                                              std::uint64_t);
template shared<model<double>> model_from<double>(shared<model<double>>, const network_layout&, initialiser_lists<double>,
                                                 std::uint64_t);
template void load_input<std::uint8_t, std::uint8_t, float>(const void*, std::size_t, std::size_t, std::byte*, std::size_t, scaling);
template void load_input<std::int32_t, std::int32_t, float>(const void*, std::size_t, std::size_t, std::byte*, std::size_t, scaling);
template void load_input<std::int64_t, std::int64_t, float>(const void*, std::size_t, std::size_t, std::byte*, std::size_t, scaling);
template void store_output<tensor<float>, float>(const std::byte*, std::size_t, bool, light_span<float>, light_vector<float>&);
template class session_on_threads<precision<>>;
template class session_on_threads<precision<float, half>>;
template class session_on_threads<precision<half, float>>;
template class session_on_threads<precision<double>>;
}  // namespace ipuflow::train::impl
