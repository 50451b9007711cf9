// SPDX-License-Identifier: BSL-1.0
// BERT-base: 12 layers of 768 features and 12 heads.
#include <pipeline_planner/bert.hpp>

namespace pipeline_planner {

std::vector<train::planned_network> bert_base() {
  return versions_of_bert<bert_base_sizes>();
}

}  // namespace pipeline_planner
