// SPDX-License-Identifier: BSL-1.0
// A cache of computed values by number or address: an open hash table of nodes, so that references to its values stay
// valid. It has no order, and compiles in a fraction of the time of std::unordered_map.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/wrapping.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace ipuflow {

template <class Key, class Value>
class memo {
 public:
  struct node {
    Key first;
    Value second;
  };
  struct found {
    node* first;
    bool second;  ///< whether it is new
  };

  memo() = default;
  memo(memo&& other) noexcept : slots_{std::move(other.slots_)}, size_{algorithms::exchange(other.size_, 0)} {
    other.slots_.clear();
  }
  memo& operator=(memo&& other) noexcept {
    slots_.swap(other.slots_);
    algorithms::swap(size_, other.size_);
    return *this;
  }
  memo(const memo&) = delete;
  memo& operator=(const memo&) = delete;
  ~memo() {
    for (node* n : slots_) delete n;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

  /// The value of a key, or null.
  [[nodiscard]] Value* find(Key key) const {
    if (size_ == 0) return nullptr;
    node* const n = slots_[slot_of(key)];
    return n == nullptr ? nullptr : &n->second;
  }

  /// The node of a key, made with a default value if there is none.
  found try_emplace(Key key, Value value = Value{}) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    node*& slot = slots_[slot_of(key)];
    const bool added = slot == nullptr;
    if (added) {
      slot = new node{key, std::move(value)};
      ++size_;
    }
    return {slot, added};
  }
  Value& operator[](Key key) { return try_emplace(key).first->second; }

 private:
  static std::uint64_t number_of(std::uint64_t key) { return key; }
  static std::uint64_t number_of(const void* key) { return reinterpret_cast<std::uintptr_t>(key); }

  /// The slot where a key is, or would be.
  std::size_t slot_of(Key key) const {
    // Fibonacci hashing: the upper bits are mixed.
    const std::uint64_t spread = wrapping_product(number_of(key), 0x9e3779b97f4a7c15u);
    std::size_t at = spread >> 32 & (slots_.size() - 1);
    while (slots_[at] != nullptr && slots_[at]->first != key) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  void grow() {
    light_vector<node*> before(slots_.empty() ? 16 : 2 * slots_.size(), nullptr);
    before.swap(slots_);
    for (node* n : before) {
      if (n != nullptr) slots_[slot_of(n->first)] = n;
    }
  }

  light_vector<node*> slots_;  // a power of 2
  std::size_t size_ = 0;
};

}  // namespace ipuflow
