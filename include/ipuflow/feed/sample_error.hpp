// SPDX-License-Identifier: BSL-1.0
// Thrown by a loader when a dataset or a transform throws: carries the sample's index and nests the original exception
// (`std::rethrow_if_nested`).
#pragma once

#include <ipuflow/core/fault.hpp>

#include <cstddef>
#include <exception>
#include <string_view>

namespace ipuflow::feed {

class sample_error : public error {
 public:
  sample_error(std::size_t index, std::string_view why)
      : error{filled("ipuflow: sample {index} cannot be loaded; its dataset or transform says: {why}", {{"index", index}, {"why", why}})},
        index_{index} {}

  /// Its index in the dataset below all adaptors; of a range, the number of samples that came before it in its share.
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

 private:
  std::size_t index_;
};

namespace impl {

/// The exception that is being handled, with the index of the sample around it.
inline std::exception_ptr sample_failed(std::size_t index) {
  try {
    try {
      throw;
    } catch (const std::exception& why) {
      std::throw_with_nested(sample_error{index, why.what()});
    } catch (...) {
      std::throw_with_nested(sample_error{index, "an exception that is no std::exception"});
    }
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace impl

}  // namespace ipuflow::feed
