// SPDX-License-Identifier: BSL-1.0
// BERT in halves over more tokens than its first training has: the networks of the published runs of its second training and of SQuAD.
#pragma once

#include <ipuflow/train/planning/planned_network.hpp>

#include <vector>

namespace plan_bert {

std::vector<ipuflow::train::planned_network> base_over_512_tokens();
std::vector<ipuflow::train::planned_network> base_over_384_tokens();
std::vector<ipuflow::train::planned_network> large_for_questions();  ///< 384 tokens, shares of attention dropped

}  // namespace plan_bert
