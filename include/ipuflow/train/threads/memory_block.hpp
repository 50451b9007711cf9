// SPDX-License-Identifier: BSL-1.0
// Aligned bytes that start out as zeros, and a few blocks of them that are taken and given back by one thread.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/dynamic_array.hpp>

#include <cstddef>
#include <cstring>
#include <new>

namespace ipuflow::train::impl {

class memory_block {
 public:
  static constexpr std::size_t alignment = 128;

  memory_block() = default;
  explicit memory_block(std::size_t bytes) : size_{bytes} {
    if (bytes == 0) return;
    memory_ = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}));
    std::memset(memory_, 0, bytes);
  }
  memory_block(memory_block&& other) noexcept
      : memory_{algorithms::exchange(other.memory_, nullptr)}, size_{algorithms::exchange(other.size_, 0)} {}
  memory_block& operator=(memory_block&& other) noexcept {
    algorithms::swap(memory_, other.memory_);
    algorithms::swap(size_, other.size_);
    return *this;
  }
  ~memory_block() { ::operator delete(memory_, std::align_val_t{alignment}); }

  [[nodiscard]] std::byte* data() const { return memory_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// A pool of blocks, made once. The block that was returned last is taken first.
class memory_pool {
 public:
  memory_pool() = default;
  memory_pool(std::size_t blocks, std::size_t bytes) {
    blocks_.reserve(blocks);
    for (std::size_t i = 0; i < blocks; ++i) blocks_.push_back(memory_block{bytes});
    free_.reserve(blocks);
    clear();
  }

  /// The number of a free block; there is one unless the schedule keeps more than it was verified to keep.
  std::size_t take() {
    const std::size_t index = free_.back();
    free_.pop_back();
    return index;
  }
  void give(std::size_t index) { free_.push_back(index); }
  /// All blocks are free again.
  void clear() {
    while (!free_.empty()) free_.pop_back();
    for (std::size_t i = blocks_.size(); i > 0; --i) free_.push_back(i - 1);
  }

  std::byte* operator[](std::size_t index) const { return blocks_[index].data(); }
  [[nodiscard]] std::size_t size() const { return blocks_.size(); }
  [[nodiscard]] std::size_t bytes() const { return blocks_.empty() ? 0 : blocks_.size() * blocks_[0].size(); }

 private:
  dynamic_array<memory_block> blocks_;
  dynamic_array<std::size_t> free_;
};

}  // namespace ipuflow::train::impl
