// SPDX-License-Identifier: BSL-1.0
#include <ipuflow/plan/predict/configuration_fault.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string>

namespace configuration_fault_test {

using namespace ipuflow;
using plan::configuration;

namespace {

template <class Change>
std::string said(Change change) {
  configuration c;
  change(c);
  return std::string{sentence(plan::verify(c)).view()};
}

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN(), infinite = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("a configuration as it is made has no fault; nor have those at the ends of what is allowed") {
  CHECK_FALSE(plan::verify(configuration{}));
  configuration c{.ipus = plan::most_planned_chips, .replicas = plan::most_planned_chips, .micro_batch = plan::most_planned_samples};
  c.memory_proportion = 1;
  c.prefetch = plan::most_planned_ahead;
  CHECK_FALSE(plan::verify(c));
}

TEST_CASE("what counts nothing, or more than there can be, is refused by its name") {
  CHECK(said([](auto& c) { c.ipus = 0; }) == "ipuflow: a plan with ipus 0 runs nothing; give it at least 1");
  CHECK(said([](auto& c) { c.replicas = 0; }) == "ipuflow: a plan with replicas 0 runs nothing; give it at least 1");
  CHECK(said([](auto& c) { c.micro_batch = 0; }) == "ipuflow: a plan with micro_batch 0 runs nothing; give it at least 1");
  CHECK(said([](auto& c) { c.accumulation = 0; }) == "ipuflow: a plan with accumulation 0 runs nothing; give it at least 1");
  CHECK(said([](auto& c) { c.device_iterations = 0; }) == "ipuflow: a plan with device_iterations 0 runs nothing; give it at least 1");
  CHECK(said([](auto& c) { c.micro_batch = std::size_t{1} << 40; }) == "ipuflow: a plan has micro_batch 1099511627776; give it at most 1048576");
  CHECK(said([](auto& c) { c.device_iterations = static_cast<std::size_t>(-1); }) ==
        "ipuflow: a plan has device_iterations 18446744073709551615; give it at most 1048576");
  CHECK(said([](auto& c) { c.prefetch = (1 << 20) + 1; }) == "ipuflow: a plan has prefetch 1048577; give it at most 1048576");
}

TEST_CASE("a step of more samples than can be counted with their cycles is refused, whichever size is too large") {
  const std::size_t most[] = {plan::most_planned_samples, plan::most_planned_chips, std::size_t{1} << 30, plan::most_planned_iterations};
  for (std::size_t sizes = 0; sizes < 16; ++sizes) {
    const auto of = [&](std::size_t i) { return (sizes >> i & 1) != 0 ? most[i] : 1; };
    const configuration c{.replicas = of(1), .micro_batch = of(0), .accumulation = of(2), .device_iterations = of(3)};
    double samples = 1;
    for (std::size_t i = 0; i < 4; ++i) samples *= static_cast<double>(of(i));
    CHECK(static_cast<bool>(plan::verify(c)) == (samples > 68719476736.0));
    if (samples <= 68719476736.0) CHECK(static_cast<double>(c.samples_per_step()) == samples);
  }
  CHECK(said([](auto& c) { c.accumulation = 1 << 30, c.device_iterations = 65; }) ==
        "ipuflow: a step of a plan has more than 68719476736 samples; give it a smaller micro_batch, accumulation, replicas or device_iterations");
}

TEST_CASE("shares and times that are none are refused") {
  for (const double share : {not_a_number, infinite, -1.0, 0.0, 1.5})
    CHECK(said([&](auto& c) { c.memory_proportion = share; }) ==
          "ipuflow: memory_proportion of a plan is no share of a tile's memory; give it more than 0 and at most 1");
  CHECK(said([](auto& c) { c.ipus = 2, c.memory_proportion = {0.5, 0}; }) ==
        "ipuflow: memory_proportion of a plan is no share of a tile's memory; give it more than 0 and at most 1");
  CHECK(said([](auto& c) { c.ipus = 2, c.memory_proportion = {0.5, 0.25}; }).empty());
  CHECK(said([](auto& c) { c.ipus = 4, c.memory_proportion = {0.5, 0.25}; }) ==
        "ipuflow: memory_proportion has 2 numbers for a replica of 4 chips; give one for all, or one for each of at most 64");
  for (const double time : {not_a_number, infinite, -1e-9, 1e9}) {
    CHECK(said([&](auto& c) { c.host_time = seconds{time}; }) ==
          "ipuflow: host_time of a plan is negative, no number, or a billion seconds and more; give it seconds, 0 or more");
    CHECK(said([&](auto& c) { c.call_time = seconds{time}; }) ==
          "ipuflow: call_time of a plan is negative, no number, or a billion seconds and more; give it seconds, 0 or more");
  }
  for (const double headroom : {not_a_number, -0.01, 1.0, 2.0})
    CHECK(sentence(plan::verify_headroom(headroom)).view() ==
          "ipuflow: the headroom of a plan is no share of a tile's memory; give it 0 or more and less than 1");
  CHECK_FALSE(plan::verify_headroom(0));
  CHECK_FALSE(plan::verify_headroom(0.99));
}

}  // namespace configuration_fault_test
