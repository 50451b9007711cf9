// SPDX-License-Identifier: BSL-1.0
// Published numbers of parameters, and those that the zoo's networks have; compilers count them.
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <ipuflow/zoo/transformers.hpp>
#include <validation/bert.hpp>
#include <validation/networks.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace validation {

namespace {

template <class... Part>
constexpr double of_bert(const Part&... part) {
  return static_cast<double>(nn::parameter_count(single_stage(
      input<std::uint16_t, positions>, per_sample<"segment", number_of_each>, per_sample<"text", number_of_each>,
      per_sample<"follows", std::uint8_t>, per_sample<"token", tensor<std::uint16_t, positions>>, part...)));
}
template <class Network>
constexpr double of_images(const Network& network) {
  return static_cast<double>(nn::parameter_count(single_stage(input<float, 3, 224, 224>, network)));
}
constexpr double of_a_layer = static_cast<double>(nn::parameter_count(
    single_stage(input<half, positions, 1024>, per_sample<"text", number_of_each>, bert_layer)));

constexpr auto base = zoo::bert_base_sizes, large = zoo::bert_large_sizes;

}  // namespace

std::vector<validation_row> parameter_rows() {
  const auto row = [](std::string_view what, double measured, double counted) {
    return validation_row{"C", what, "numbers", measured, counted, row_class::parameters};
  };
  return {row("parameters of a BERT-L layer", 12'596'224, of_a_layer),
          row("parameters of BERT-L", 335'141'888, of_bert(zoo::bert<large>, zoo::bert_pooler<large>)),
          row("  with heads", 336'226'108, of_bert(zoo::bert<large>, zoo::bert_pretraining<large>)),
          row("  with heads, 30,400 words", 336'101'058, of_bert(zoo::bert<bert_large>, zoo::bert_pretraining<bert_large>)),
          row("parameters of BERT-B", 109'482'240, of_bert(zoo::bert<base>, zoo::bert_pooler<base>)),
          row("  with heads", 110'106'428, of_bert(zoo::bert<base>, zoo::bert_pretraining<base>)),
          row("parameters of ResNet-50", 25'557'032, of_images(zoo::resnet50<>)),
          row("parameters of ResNet-101", 44'549'160, of_images(zoo::resnet101<>)),
          row("parameters of ResNet-101, 10 classes", 42'520'650, of_images(zoo::resnet101<10>))};
}

}  // namespace validation
