// SPDX-License-Identifier: BSL-1.0
// Processes for tests: threads of one program that exchange bytes as processes do, and share nothing else.
#pragma once

#include <ipuflow/train/threads/memory_block.hpp>
#include <ipuflow/train/threads/other_processes.hpp>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ipuflow::test {

/// What the threads that stand for processes exchange.
struct thread_world {
  explicit thread_world(std::size_t count) : size{count}, meeting{static_cast<std::ptrdiff_t>(count)}, bytes(count), said(count) {}

  using mailbox = std::deque<train::impl::memory_block>;

  std::size_t size;
  std::barrier<> meeting;
  std::vector<std::vector<train::owned_bytes>> bytes;
  std::vector<std::string> said;
  std::mutex mutex{};
  std::map<std::size_t, mailbox> mail{};  // of each tag
  std::map<std::array<std::size_t, 3>, std::deque<std::vector<std::byte>>> letters{};  // of each sender, receiver and tag
};

class thread_process final : public train::other_processes {
 public:
  thread_process(thread_world& all, std::size_t me, bool gathers = true, bool compares = true) : all_{all}, me_{me}, gathers_{gathers}, compares_{compares} {}

  std::size_t process() const override { return me_; }
  std::size_t processes() const override { return all_.size; }
  std::size_t cores() const override { return 1; }
  bool gathers_results() const override { return gathers_; }
  bool compares_samples() const override { return compares_; }

  void agree(std::span<const train::agreed_fact> facts) override {
    std::string text;
    for (const train::agreed_fact& f : facts) text += std::string{f.name} + "=" + std::string{f.value} + "\n";
    all_.said[me_] = text;
    all_.meeting.arrive_and_wait();
    const bool same = std::all_of(all_.said.begin(), all_.said.end(), [&](const std::string& s) { return s == text; });
    all_.meeting.arrive_and_wait();
    if (!same) throw std::runtime_error{"facts differ"};
  }

  ipuflow::owner<train::message_sender> sender(std::size_t, std::size_t tag, std::size_t bytes, std::size_t places) override {
    struct end final : train::message_sender {
      end(thread_world& a, std::size_t t, std::size_t b, std::size_t p) : all{a}, tag{t}, size{b}, most{p} {}
      std::byte* room() override {
        const std::lock_guard lock{all.mutex};
        if (all.mail[tag].size() >= most) return nullptr;
        next = train::impl::memory_block{std::max<std::size_t>(size, 1)};
        return next.data();
      }
      void send() override {
        const std::lock_guard lock{all.mutex};
        all.mail[tag].push_back(std::move(next));
      }
      thread_world& all;
      std::size_t tag, size, most;
      train::impl::memory_block next{};
    };
    return ipuflow::make_owner<end>(all_, tag, bytes, places);
  }
  ipuflow::owner<train::message_receiver> receiver(std::size_t, std::size_t tag, std::size_t, std::size_t) override {
    struct end final : train::message_receiver {
      end(thread_world& a, std::size_t t) : all{a}, tag{t} {}
      std::byte* message(std::size_t skipped) override {
        const std::lock_guard lock{all.mutex};
        return skipped < all.mail[tag].size() ? all.mail[tag][skipped].data() : nullptr;
      }
      void release() override {
        const std::lock_guard lock{all.mutex};
        all.mail[tag].pop_front();
      }
      thread_world& all;
      std::size_t tag;
    };
    return ipuflow::make_owner<end>(all_, tag);
  }
  void waiting(bool) override {}

  /// What is sent is gone at once; a receive takes the letter when it is asked for, if no older one waits for the same.
  std::size_t begin_send(std::size_t to, std::size_t tag, std::span<const std::byte> bytes) override {
    if (!first_send) first_send = std::chrono::steady_clock::now();
    const std::lock_guard lock{all_.mutex};
    all_.letters[{me_, to, tag}].emplace_back(bytes.begin(), bytes.end());
    return begun_++;
  }
  std::size_t begin_receive(std::size_t from, std::size_t tag, std::span<std::byte> bytes) override {
    expected_[begun_] = {{from, me_, tag}, bytes};
    return begun_++;
  }
  bool done(std::size_t message) override {
    const auto found = expected_.find(message);
    if (found == expected_.end()) return true;
    const auto [key, room] = found->second;
    for (auto older = expected_.begin(); older != found; ++older) {
      if (older->second.first == key) return false;
    }
    const std::lock_guard lock{all_.mutex};
    auto& letters = all_.letters[key];
    if (letters.empty()) return false;
    if (letters[0].size() != room.size()) throw std::runtime_error{"a message has another size than its receiver expects"};
    std::copy(letters[0].begin(), letters[0].end(), room.begin());
    letters.pop_front();
    expected_.erase(found);
    return true;
  }
  void share(std::span<const train::owned_bytes> parts) override {
    all_.bytes[me_] = {parts.begin(), parts.end()};
    all_.meeting.arrive_and_wait();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const train::owned_bytes& from = all_.bytes[parts[i].process][i];
      if (from.count != parts[i].count || from.process != parts[i].process) throw std::runtime_error{"processes disagree about a part"};
      if (parts[i].process != me_) std::memcpy(parts[i].data, from.data, from.count);
    }
    all_.meeting.arrive_and_wait();
  }
  bool any(bool here) override {
    all_.said[me_] = here ? "yes" : "no";
    all_.meeting.arrive_and_wait();
    const bool found = std::count(all_.said.begin(), all_.said.end(), "yes") > 0;
    all_.meeting.arrive_and_wait();
    return found;
  }
  void failed() override {}

  std::optional<std::chrono::steady_clock::time_point> first_send{};

 private:
  thread_world& all_;
  std::size_t me_;
  bool gathers_, compares_;
  std::size_t begun_ = 0;
  std::map<std::size_t, std::pair<std::array<std::size_t, 3>, std::span<std::byte>>> expected_{};
};

/// Calls `job(process)` in each of that many; rethrows what the first of them threw.
template <class Job>
void in_processes(std::size_t count, const Job& job, bool gathers = true, bool compares = true) {
  thread_world all{count};
  std::vector<std::exception_ptr> thrown(count);
  std::vector<std::jthread> threads;
  for (std::size_t p = 0; p < count; ++p) {
    threads.emplace_back([&, p] {
      thread_process mine{all, p, gathers, compares};
      try {
        job(mine);
      } catch (...) {
        thrown[p] = std::current_exception();
      }
    });
  }
  threads.clear();
  for (const std::exception_ptr& e : thrown) {
    if (e) std::rethrow_exception(e);
  }
}

}  // namespace ipuflow::test
