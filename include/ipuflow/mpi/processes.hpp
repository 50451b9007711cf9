// SPDX-License-Identifier: BSL-1.0
// The processes of a session, over MPI. Each session has a communicator of its own, so that its messages meet those of
// nothing else.
#pragma once

#include <ipuflow/core/algorithms.hpp>
#include <ipuflow/core/owner.hpp>
#include <ipuflow/mpi/channel.hpp>
#include <ipuflow/mpi/world.hpp>
#include <ipuflow/train/threads/other_processes.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace ipuflow::mpi {

/// The results of a step that a process has: all, or those of its own replicas.
enum class results : bool { gathered, local };

namespace impl {

template <class = void>
class basic_session_processes final : public train::other_processes {
 public:
  basic_session_processes(world& all, results which, bool compares = true) : world_{all}, which_{which}, compares_{compares} {
    all.meet();  // who copies a communicator waits for the others, and hears of no failure
    channels_.copy(all.communicator());
    messages_.copy(all.communicator());
  }

  [[nodiscard]] std::size_t process() const override { return world_.process(); }
  [[nodiscard]] std::size_t processes() const override { return world_.processes(); }
  [[nodiscard]] std::size_t cores() const override { return world_.cores(); }
  [[nodiscard]] bool gathers_results() const override { return which_ == results::gathered; }
  [[nodiscard]] bool compares_samples() const override { return compares_; }

  void agree(std::span<const train::agreed_fact> facts) override {
    std::string mine;
    for (const train::agreed_fact& f : facts) mine.append(f.value).push_back('\n');
    std::vector<std::size_t> sizes(processes());
    sizes[process()] = mine.size();
    world_.share(std::span{sizes});
    std::vector<std::string> texts(processes());
    for (std::size_t p = 0; p < processes(); ++p) texts[p].resize(sizes[p]);
    texts[process()] = mine;
    std::vector<owned> parts;
    for (std::size_t p = 0; p < processes(); ++p) parts.push_back({p, reinterpret_cast<std::byte*>(texts[p].data()), sizes[p]});
    share(parts);
    for (std::size_t p = 1; p < processes(); ++p) {
      if (texts[p] != texts[0]) throw_difference(facts, texts[0], texts[p], p);
    }
  }

  owner<train::message_sender> sender(std::size_t to, std::size_t tag, std::size_t bytes, std::size_t count) override {
    linked_.push_back(to);
    return make_owner<mpi::sender>(channels_.get(), to, tag, bytes, count);
  }
  owner<train::message_receiver> receiver(std::size_t from, std::size_t tag, std::size_t bytes, std::size_t count) override {
    linked_.push_back(from);
    return make_owner<mpi::receiver>(channels_.get(), from, tag, bytes, count);
  }
  void waiting(bool anything_came) override {
    if (anything_came) return world_.came();
    if (++idle_ % 64 == 0) world_.waiting(false, awaited());
    if (idle_ % world_.patience() == 0) std::this_thread::yield();
  }

  std::size_t begin_send(std::size_t to, std::size_t tag, std::span<const std::byte> bytes) override {
    return begin(to, false, [&](MPI_Request& r) {
      call(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(to), static_cast<int>(tag), messages_.get(), &r), "MPI_Isend");
    });
  }
  std::size_t begin_receive(std::size_t from, std::size_t tag, std::span<std::byte> bytes) override {
    return begin(from, true, [&](MPI_Request& r) {
      call(MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, static_cast<int>(from), static_cast<int>(tag), messages_.get(), &r), "MPI_Irecv");
    });
  }
  bool done(std::size_t number) override {
    int is_done = 0;
    call(MPI_Test(&open_[number].request, &is_done, MPI_STATUS_IGNORE), "MPI_Test");
    if (is_done != 0) free_.push_back(number);
    return is_done != 0;
  }

  /// Neighbours in memory go together; those of one process that are apart are put into one message.
  void share(std::span<const train::owned_bytes> parts) override {
    std::vector<message> of(processes());
    for (const train::owned_bytes& p : parts) {
      message& m = of[p.process];
      if (!m.parts.empty() && m.parts.back().data + m.parts.back().count == p.data)
        m.parts.back().count += p.count;
      else if (p.count > 0)
        m.parts.push_back(p);
    }
    out_.clear();
    in_.clear();
    for (std::size_t p = 0; p < of.size(); ++p) {
      message& m = of[p];
      if (m.parts.empty()) continue;
      if (p == process() && m.parts.size() > 1) m.pack();
      if (p != process()) {
        in_.push_back({p, m.room(), m.bytes()});
        continue;
      }
      for (std::size_t to = 0; to < of.size(); ++to) {
        if (to != p) out_.push_back({to, m.room(), m.bytes()});
      }
    }
    world_.transfer(out_, in_);
    for (std::size_t p = 0; p < of.size(); ++p) {
      if (p != process() && of[p].parts.size() > 1) of[p].unpack();
    }
  }
  bool any(bool here) override { return world_.sum(here ? 1 : 0) > 0; }
  void failed() override {
    world_.failed();
    end_messages();
  }

 private:
  /// A message that one of the functions above has begun; if its request is null, none.
  struct open_message {
    MPI_Request request = MPI_REQUEST_NULL;
    std::size_t other = 0;
    bool comes = false;
  };

  template <class Begin>
  std::size_t begin(std::size_t other, bool comes, const Begin& with) {
    world_.must_be_whole();
    if (free_.empty()) {
      open_.emplace_back();
      free_.reserve(open_.capacity());  // so that `done` takes no memory
      free_.push_back(open_.size() - 1);
    }
    const std::size_t number = free_.back();
    with(open_[number].request);
    open_[number].other = other;
    open_[number].comes = comes;
    free_.pop_back();
    return number;
  }
  /// A process that something is awaited of: of messages that were begun, or of channels. Each in turn.
  std::size_t awaited() {
    const std::size_t turn = idle_ / 64;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      const open_message& m = open_[(turn + i) % open_.size()];
      if (m.request != MPI_REQUEST_NULL) return m.other;
    }
    return linked_.empty() ? process() : linked_[turn % linked_.size()];
  }
  /// Their memory is not to be touched any more.
  void end_messages() noexcept {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds{100};
    for (open_message& m : open_) end_request(m.request, m.comes, until);
    open_.clear();
    free_.clear();
  }
  using owned = train::owned_bytes;
  struct message {
    std::vector<owned> parts{};
    std::vector<std::byte> packed{};

    [[nodiscard]] std::size_t bytes() const {
      std::size_t all = 0;
      for (const owned& p : parts) all += p.count;
      return all;
    }
    std::byte* room() {
      if (parts.size() == 1) return parts[0].data;
      packed.resize(bytes());
      return packed.data();
    }
    void pack() {
      std::byte* to = room();
      for (const owned& p : parts) to = algorithms::copy_n(p.data, p.count, to);
    }
    void unpack() {
      const std::byte* from = packed.data();
      for (const owned& p : parts) {
        algorithms::copy_n(from, p.count, p.data);
        from += p.count;
      }
    }
  };

  [[noreturn, gnu::cold]] void throw_difference(std::span<const train::agreed_fact> facts, std::string_view first, std::string_view other, std::size_t process) {
    const auto next = [](std::string_view& text) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(algorithms::min(line.size() + 1, text.size()));
      return line;
    };
    fixed_string<300> what{"facts"};
    for (const train::agreed_fact& f : facts) {
      const std::string_view here = next(first), there = next(other);
      if (here == there) continue;
      what = fixed_string<300>{f.name};
      what += " is ";
      what += there;
      what += " instead of ";
      what += here;
      break;
    }
    throw rejected<mpi_fault>{mpi_fault{mpi_wrong::differs, process, 0, {fixed_string<60>{world_.host_of(process)}, what}}};
  }

  world& world_;
  results which_;
  bool compares_;
  communicator channels_;
  communicator messages_;
  std::vector<open_message> open_;
  std::vector<std::size_t> free_;  // of these
  std::vector<std::size_t> linked_;  // processes at the other ends of channels
  std::size_t idle_ = 0;
  std::vector<outgoing> out_;
  std::vector<incoming> in_;
};
using session_processes = basic_session_processes<>;

}  // namespace impl

}  // namespace ipuflow::mpi
