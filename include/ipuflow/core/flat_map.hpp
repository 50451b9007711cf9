// SPDX-License-Identifier: BSL-1.0
// A map and a set in sorted vectors, for headers: they cost a fraction of what std::map and std::set cost to compile, are
// faster to read, and fast to fill where keys come in order. An insertion moves what stands behind it, and references
// and iterators do not outlast it. What changes or searches one is not constexpr: clang would instantiate it, and the vector
// below it, in every file where a template without a caller names it.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/light_vector.hpp>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace ipuflow {

namespace detail {

/// The first of the sorted entries whose key is not less than this one; mostly the end, where keys come in order.
template <class Entries, class Key, class KeyOf>
std::size_t place_of(const Entries& sorted, const Key& key, KeyOf key_of) {
  if (sorted.empty() || key_of(sorted.back()) < key) return sorted.size();
  std::size_t first = 0;
  for (std::size_t last = sorted.size(); first < last;) {
    const std::size_t middle = first + (last - first) / 2;
    if (key_of(sorted[middle]) < key)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

template <class Entries, class Entry>
void put(Entries& entries, std::size_t at, Entry&& entry) {
  entries.push_back(static_cast<Entry&&>(entry));
  for (std::size_t i = entries.size() - 1; i > at; --i) algorithms::swap(entries[i], entries[i - 1]);
}

}  // namespace detail

template <class Key, class Value>
class flat_map {
 public:
  struct entry {
    Key first;
    Value second;

    friend bool operator==(const entry&, const entry&) = default;
  };
  struct found {
    entry* first;
    bool second;  ///< whether it is new
  };

  friend bool operator==(const flat_map&, const flat_map&) = default;

  [[nodiscard]] constexpr std::size_t size() const { return entries_.size(); }
  [[nodiscard]] constexpr bool empty() const { return entries_.empty(); }
  constexpr entry* begin() { return entries_.data(); }
  constexpr entry* end() { return entries_.data() + entries_.size(); }
  [[nodiscard]] const entry* begin() const { return entries_.data(); }
  [[nodiscard]] const entry* end() const { return entries_.data() + entries_.size(); }
  [[nodiscard]] constexpr const entry& back() const { return entries_.back(); }
  void clear() { entries_.clear(); }

  /// The entry of a key, made with a default value if there is none.
  found try_emplace(Key key, Value value = Value{}) {
    const std::size_t at = place_of(key);
    const bool added = at == entries_.size() || key < entries_[at].first;
    if (added) detail::put(entries_, at, entry{std::move(key), std::move(value)});
    return {entries_.data() + at, added};
  }
  Value& operator[](Key key) { return try_emplace(std::move(key)).first->second; }

  /// The entry of a key, or `end()`.
  [[nodiscard]] const entry* find(const Key& key) const {
    const std::size_t at = place_of(key);
    return at == entries_.size() || key < entries_[at].first ? end() : begin() + at;
  }
  [[nodiscard]] bool contains(const Key& key) const { return find(key) != end(); }
  /// The value of a key that is there.
  [[nodiscard]] const Value& at(const Key& key) const { return find(key)->second; }

 private:
  std::size_t place_of(const Key& key) const {
    return detail::place_of(entries_, key, [](const entry& e) -> const Key& { return e.first; });
  }

  light_vector<entry> entries_;
};

template <class Key>
class flat_set {
 public:
  constexpr flat_set() = default;
  flat_set(std::initializer_list<Key> keys) {
    for (const Key& key : keys) insert(key);
  }

  friend bool operator==(const flat_set&, const flat_set&) = default;

  [[nodiscard]] constexpr std::size_t size() const { return keys_.size(); }
  [[nodiscard]] constexpr bool empty() const { return keys_.empty(); }
  [[nodiscard]] constexpr const Key* begin() const { return keys_.data(); }
  [[nodiscard]] constexpr const Key* end() const { return keys_.data() + keys_.size(); }

  /// True if it was not there.
  bool insert(const Key& key) {
    const std::size_t at = place_of(key);
    if (at < keys_.size() && !(key < keys_[at])) return false;
    detail::put(keys_, at, Key{key});
    return true;
  }
  void merge(const flat_set& other) {
    for (const Key& key : other) insert(key);
  }
  [[nodiscard]] bool contains(const Key& key) const {
    const std::size_t at = place_of(key);
    return at < keys_.size() && !(key < keys_[at]);
  }

 private:
  std::size_t place_of(const Key& key) const {
    return detail::place_of(keys_, key, [](const Key& k) -> const Key& { return k; });
  }

  light_vector<Key> keys_;
};

}  // namespace ipuflow
