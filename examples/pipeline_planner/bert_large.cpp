// SPDX-License-Identifier: BSL-1.0
// BERT-large: 24 layers of 1,024 features and 16 heads.
#include <pipeline_planner/bert.hpp>

namespace pipeline_planner {

std::vector<train::planned_network> bert_large() {
  return versions_of_bert<validation::bert_large>();
}

}  // namespace pipeline_planner
