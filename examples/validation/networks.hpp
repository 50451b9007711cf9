// SPDX-License-Identifier: BSL-1.0
// The rows of the published networks. Each is said in a file of its own as its users say theirs: a pipeline of layers, a timetable,
// and a session on chips whose step is counted; the published configuration and what was measured stand beside it.
#pragma once

#include <validation/row.hpp>

#include <vector>

namespace validation {

std::vector<validation_row> tutorial_rows();        // D: tutorial.cpp
std::vector<validation_row> perceptron_rows();      // P: perceptron.cpp
std::vector<validation_row> digits_rows();          // N: digits.cpp
std::vector<validation_row> bert_rows();            // T1 to T4, R: bert.cpp
std::vector<validation_row> resnet_rows();          // T12, T13, T15: resnet.cpp
std::vector<validation_row> efficientnet_rows();    // T21: efficientnet.cpp
std::vector<validation_row> resnext_rows();         // T22: resnext.cpp
std::vector<validation_row> vit_rows();             // T23: vit.cpp
std::vector<validation_row> bert_profile_rows();    // B: bert_profile.cpp
std::vector<validation_row> parameter_rows();       // C: parameters.cpp

/// The samples of a session's step by the time that its chips take.
template <class Session>
double samples_a_second(const Session& session) {
  return static_cast<double>(session.samples_per_step()) / session.cost().chips.time().value;
}

/// What a step takes that is called from Python, in seconds, besides the chips; fitted to the perceptron whose state stays on chip.
double call_from_python();

}  // namespace validation
