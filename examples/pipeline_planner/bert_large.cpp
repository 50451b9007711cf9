// SPDX-License-Identifier: BSL-1.0
// BERT-large: 24 layers of 1,024 features and 16 heads.
#include <pipeline_planner/bert.hpp>

namespace pipeline_planner {

std::vector<train::planned_network> bert_large() {
  return versions_of_bert<zoo::transformer{.layers = 24, .width = 1024, .heads = 16, .vocabulary = 30'400, .positions = 512}>();
}

}  // namespace pipeline_planner
