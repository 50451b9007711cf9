// SPDX-License-Identifier: BSL-1.0
// Networks at full size on 16 simulated chips: counted in seconds, nothing computed.   usage: large_networks [resnet50 | bert_large] [page.html]
#include <ipuflow/chips.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/report.hpp>
#include <ipuflow/report/files.hpp>
#include <ipuflow/report/page/chips_part.hpp>
#include <ipuflow/report/page/document.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/zoo/resnet.hpp>
#include <ipuflow/zoo/transformers.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

using namespace ipuflow;

namespace {

// begin: resnet50
constexpr auto resnet50 = regroup(
    single_stage(input<half, 3, 224, 224>, per_sample<"class", std::int32_t>, zoo::resnet50<>,
                 block<"loss">(use<"class">(nn::cross_entropy))),
    stage<"conv1", "layer1.0", "layer1.1", "layer1.2", "layer2.0">().ipu<0>(),
    stage<"layer2.1", "layer2.2", "layer2.3", "layer3.0">().ipu<1>(),
    stage<"layer3.1", "layer3.2", "layer3.3", "layer3.4", "layer3.5">().ipu<2>(),
    stage<"layer4.0", "layer4.1", "layer4.2", "fc", "loss">().ipu<3>());
// end: resnet50

// begin: bert_large
constexpr std::size_t positions = 128;
using number = tensor<std::uint8_t, positions>;
constexpr auto bert_large = regroup(
    single_stage(input<std::uint16_t, positions>, per_sample<"segment", number>, per_sample<"text", number>,
                 per_sample<"masked", tensor<std::int32_t, positions>>, zoo::bert<zoo::bert_large_sizes>,
                 zoo::bert_tokens<zoo::bert_large_sizes>, block<"loss">(use<"masked">(nn::cross_entropy_of<{.ignored = -1}>))),
    stage<"embeddings", "layer[0:6]">().ipu<0>(), stage<"layer[6:12]">().ipu<1>(), stage<"layer[12:18]">().ipu<2>(),
    stage<"layer[18:24]", "tokens", "loss">().ipu<3>());
// end: bert_large

// begin: count
/// Four replicas of a pipeline of four chips: weights in half, gradients in float, activations made again. It is counted even if it
/// does not fit.
template <class Pipeline>
run::chips_profile count(const Pipeline& network, std::size_t micro_batch) {
  const auto timetable = schedule::grouped(network, micro_batches<16>, {.recompute = schedule::recomputation::automatic});
  const train::options options{.micro_batch = micro_batch, .replicas = 4};
  const on::chips chips{.system = ipu::pod(ipu::mk2, 16), .allow_out_of_memory = true};
  const train::session session(network, timetable, train::sgd{.rate = 0.1f}, options, chips, train::precision<float, half>{});
  return session.cost();
}
// end: count

template <class Pipeline>
void tell(const char* name, const Pipeline& network, std::size_t micro_batch, const char* page, const std::string& command) {
  const std::size_t samples = 16 * 4 * micro_batch;
  const run::chips_profile profile = count(network, micro_batch);
  std::printf("%s: %.0f samples/s on 16 chips\n%s", name, static_cast<double>(samples) / profile.chips.time().value, report::verdict(profile.chips).c_str());
  if (page == nullptr) return;
  report::save_file(page, [&](auto& out) {
    report::page(out, {.title = name, .command = command}, report::part(name, profile, report::page_samples{samples}));
  });
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view asked = count > 1 ? arguments[1] : "";
  const char* const page = count > 2 ? arguments[2] : nullptr;
  if (count > 3 || (!asked.empty() && asked != "resnet50" && asked != "bert_large")) {
    const bool help = asked == "--help" || asked == "-h";
    std::fprintf(help ? stdout : stderr, "usage: %s [resnet50 | bert_large] [page.html]\n", arguments[0]);
    return help ? 0 : 2;
  }
  const std::string command = "large_networks " + std::string{asked} + (page == nullptr ? "" : " " + std::string{page});
  try {
    if (asked != "bert_large") tell("ResNet-50", resnet50, 4, page, command);
    if (asked != "resnet50") tell("BERT-large", bert_large, 2, page, command);
  } catch (const error& wrong) {  // a page that cannot be written
    std::fprintf(stderr, "%s\n", wrong.what());
    return 2;
  }
}
