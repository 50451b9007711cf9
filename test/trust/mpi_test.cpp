// SPDX-License-Identifier: BSL-1.0
// Worlds, channels, sessions that processes share and pipelines over processes, with everything that may fail failing in turn: alone, and
// by two processes of which one fails while the other waits for it. Then both know, and the next world works.
// Memory counts that comes from `operator new`; what an MPI takes for itself is none of ours.
#include "injection.hpp"

#include "../train/fragile.hpp"
#include "../train/small_network.hpp"

#include <ipuflow/graph.hpp>
#include <ipuflow/mpi.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace trust_mpi_test {

using namespace ipuflow;
using trust::fault;

/// MPI lasts as long as the program, so that there may be one world after the other.
struct begun_mpi {
  int process = 0, processes = 1;

  begun_mpi() {
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &process);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
  }
  begun_mpi(const begun_mpi&) = delete;
  begun_mpi& operator=(const begun_mpi&) = delete;
  ~begun_mpi() { MPI_Finalize(); }
};
const begun_mpi& all_of_us() {
  static const begun_mpi us;
  return us;
}
bool alone() { return all_of_us().processes == 1; }

// --- what is done -----------------------------------------------------------------------------------------------------

constexpr auto fragile = test::fragile<&trust::user_call>;
using fragile_descent = test::fragile_descent<&trust::user_call>;

constexpr auto network = pipeline(input<float, 1, 6, 6>, per_sample<"label", std::uint8_t>,
                                  block<"a">(nn::conv2d<2, 3>, nn::batch_norm, fragile, nn::flatten), block<"b">(nn::linear<4>, use<"label">(nn::cross_entropy)));
constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<2>);

/// What a model has learned, as far as whole processes can compare it.
void compare_models(const train::model<>& mine, mpi::world& all) {
  float sum = 0;
  for (const float v : mine.values) sum += v;
  std::vector<float> of(all.processes());
  of[all.process()] = sum;
  all.share(std::span{of});
  CHECK(of[0] == of[of.size() - 1]);
}

/// A session of all processes takes two steps. One that fails has left the model as it was; the next one is refused at once, as its world is over,
/// unless the failure was before it had asked anything of the others.
void two_steps(mpi::world& all, std::size_t replicas, std::size_t threads, bool sharded) {
  train::options o = test::small_options(2);
  o.device_iterations = 1;
  o.replicas = replicas;
  o.shard_optimiser = sharded;
  train::session session{network, timetable, fragile_descent{}, o, on::processes{.world = all, .inner = {.count = threads}}};
  const test::made_up data{session.samples_per_step()};
  for (int i = 0; i < 2; ++i) {
    const train::model<> before = *session.parameters();
    try {
      session(data);
    } catch (const std::exception&) {
      CHECK(*session.parameters() == before);
      try {
        session(data);
      } catch (const mpi::peer_failed&) {
        CHECK(*session.parameters() == before);
      }
      throw;
    }
  }
  compare_models(*session.parameters(), all);
}

constexpr auto callables = pipeline(input<int>, stage(block<"a">([](int x) { return trust::user_call(), x + 1; })).ipu<0>(),
                                    stage(block<"b">([](int x) { return trust::user_call(), x * 0.5; })).ipu<1>());

/// A pipeline of callables; whoever throws, throws what the harness throws. The source ends when it is its turn.
void calls_over_processes(mpi::world& all) {
  int next = 0;
  std::vector<double> found;
  const auto source = [&]() -> std::optional<int> {
    trust::user_call();
    if (next == 9 || trust::ends_here()) return std::nullopt;
    return next++;
  };
  mpi::over_processes(all, callables, schedule::inference(callables, micro_batches<9>), source, [&](double x) {
    trust::user_call();
    found.push_back(x);
  });
  std::vector<int> entered(all.processes());
  entered[all.process()] = next;
  all.share(std::span{entered});
  if (all.process() + 1 < all.processes()) {
    CHECK(found.empty());
    return;
  }
  REQUIRE(found.size() == static_cast<std::size_t>(entered[0]));
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i] == (static_cast<double>(i) + 1) * 0.5);
}

/// Everything that a world moves: numbers, shares, a transfer in pieces, and what processes of a session are asked for.
void moves_bytes(mpi::world& all) {
  const std::size_t count = all.processes(), me = all.process();
  const std::size_t total = all.sum(me + 1);
  CHECK(total == count * (count + 1) / 2);
  std::vector<unsigned char> to(100, static_cast<unsigned char>(me + 1)), from(100);
  const std::size_t other = (me + 1) % count;
  const mpi::impl::outgoing out[] = {{other, to.data(), to.size()}};
  const mpi::impl::incoming in[] = {{other, from.data(), from.size()}};
  all.transfer(out, in, 30);
  CHECK(std::count(from.begin(), from.end(), static_cast<unsigned char>(other + 1)) == 100);

  mpi::impl::session_processes others{all, mpi::results::gathered};
  const train::agreed_fact facts[] = {{"eyes", "2"}, {"seed", "a seed that is longer than a small string"}};
  others.agree(facts);
  std::array<int, 6> numbers{};
  std::vector<train::owned_bytes> parts;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (i % 3 % count == me) numbers[i] = static_cast<int>(7 * i);
    parts.push_back({i % 3 % count, reinterpret_cast<std::byte*>(&numbers[i]), sizeof(int)});
  }
  others.share(parts);
  for (std::size_t i = 0; i < numbers.size(); ++i) CHECK(numbers[i] == static_cast<int>(7 * i));
  const bool any = others.any(me == 0);
  CHECK(any);

  std::vector<std::array<std::size_t, 3>> sent(8), got(8);
  std::vector<std::size_t> open;
  try {
    for (std::size_t i = 0; i < got.size(); ++i) {
      sent[i].fill(10 * me + i);
      open.push_back(others.begin_receive(other, i, std::as_writable_bytes(std::span{got[i]})));
      open.push_back(others.begin_send(other, i, std::as_bytes(std::span{sent[i]})));
    }
    while (!open.empty()) others.waiting(std::erase_if(open, [&](std::size_t message) { return others.done(message); }) > 0);
  } catch (...) {
    others.failed();  // as a session does: messages that were begun are ended, before their memory is gone
    throw;
  }
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == std::array{10 * other + i, 10 * other + i, 10 * other + i});
}

/// A channel to the next process, and one from it; either end may have to go at every message.
void channel_round(mpi::world& all) {
  const std::size_t other = (all.process() + 1) % all.processes();
  mpi::impl::session_processes others{all, mpi::results::local};
  const auto out = others.sender(other, 3, sizeof(int), 2);
  const auto in = others.receiver(other, 3, sizeof(int), 2);
  for (int gone = 0, came = 0; gone < 10 || came < 10;) {
    bool moved = false;
    if (std::byte* const room = gone < 10 ? out->room() : nullptr) {
      trust::user_call();
      std::memcpy(room, &gone, sizeof gone);
      out->send();
      ++gone;
      moved = true;
    }
    if (const std::byte* const message = came < 10 ? in->message(0) : nullptr) {
      trust::user_call();
      int seen = 0;
      std::memcpy(&seen, message, sizeof seen);
      CHECK(seen == came);
      in->release();
      ++came;
      moved = true;
    }
    others.waiting(moved);
  }
  all.meet();
}

// --- alone ------------------------------------------------------------------------------------------------------------

TEST_CASE("a world of one process, and what it does") {
  if (!alone()) return;
  trust::walk_all("world, alone", [] {
    mpi::world all;
    CHECK(all.processes() == 1);
    moves_bytes(all);
  });
  trust::walk_all("channel, alone", [] {
    mpi::world all;
    channel_round(all);
  });
  mpi::world all;
  trust::walk_all_of_one("bytes of one world", [&] { moves_bytes(all); }, [&](bool) { CHECK(all.sum(2) == 2); });
  trust::walk("topology", fault::allocation, [&] {
    const std::string text = mpi::topology_text(all, 2, 4);
    CHECK(text.ends_with(" | 0 | 0 to 1 | 0 to 3 |\n"));
  });
  trust::walk("facts differ", fault::allocation, [&] {
    const train::agreed_fact facts[] = {{"eyes", "2"}};
    mpi::impl::session_processes others{all, mpi::results::local};
    others.agree(facts);
  });
}

TEST_CASE("a pipeline of callables in one process throws, and ends, at every call") {
  if (!alone()) return;
  mpi::world all;
  trust::walk_all("callables, alone", [&] { calls_over_processes(all); });
  CHECK(trust::walk("callables, alone", fault::end, [&] { calls_over_processes(all); }).points == 9);
}

TEST_CASE("a session that shares itself with no other process") {
  if (!alone()) return;
  for (const std::size_t threads : {1u, 2u}) {
    mpi::world all;
    trust::walk_all(("session, alone, " + std::to_string(threads) + " threads").c_str(), [&] {
      mpi::impl::session_processes others{all, mpi::results::gathered};
      train::options o = test::small_options(2);
      o.replicas = 2;
      const auto shared = train::share_session<train::precision<>>(others, o.replicas * timetable.where.ipus);
      train::session session{network, timetable, fragile_descent{}, o, on::threads{.count = threads, .others = shared.get()}};
      const test::made_up data{session.samples_per_step()};
      const train::model<> before = *session.parameters();
      try {
        session(data);
      } catch (const std::exception&) {
        CHECK(*session.parameters() == before);
        session(data);  // the fault is behind it, and it has nobody to tell
        throw;
      }
    });
  }
  mpi::world all;
  trust::walk_all("session on processes, alone", [&] { two_steps(all, 2, 2, true); });
}

TEST_CASE("a program of one process returns 1 where it throws") {
  if (!alone()) return;
  trust::walk("run", fault::call, [] {
    const int returned = mpi::run([](mpi::world&) {
      trust::user_call();
      trust::user_call();
      return 0;
    });
    if (returned != 0) throw std::runtime_error{"it returned 1"};
  });
}

// --- two processes ----------------------------------------------------------------------------------------------------

/// What a process makes of an operation: it is done, has failed, or has heard that the other one has failed or has ended.
enum class outcome : int { done, failed, peer, ended, other };

/// A walk of two processes: in one of them things fail in turn, the other one follows. It goes by messages in MPI_COMM_WORLD, which
/// the library never uses.
class pair_of_processes {
 public:
  using job = void (*)(mpi::world&);

  /// `hears`: what a process may hear if the other one has not done all.
  pair_of_processes(const char* operation, job what, int failing, outcome hears = outcome::peer)
      : operation_{operation}, job_{what}, failing_{failing}, hears_{hears} {
    renew();
  }

  void walk(fault kind, std::size_t every = 1) {
    if (all_of_us().process == failing_) {
      trust::walk(
          operation_, kind,
          [&] {
            tell(1);
            run();
          },
          [&](bool) { compare(); }, true, every);
      tell(0);
    } else {
      while (hear() == 1) {
        trust::under_way(operation_, kind, 0);
        const std::size_t before = trust::allocated();
        try {
          run();
        } catch (const std::exception&) {  // `compare` looks at what it was
        }
        CHECK(trust::allocated() == before);
        compare();
        trust::under_way(nullptr, kind, 0);
      }
    }
  }

 private:
  void tell(int what) { MPI_Send(&what, 1, MPI_INT, 1 - failing_, 1, MPI_COMM_WORLD); }
  int hear() {
    int what = 0;
    MPI_Recv(&what, 1, MPI_INT, failing_, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return what;
  }
  /// As `mpi::run` has it, but that the process goes on.
  void run() {
    now_ = outcome::other;
    try {
      job_(*world_);
      now_ = outcome::done;
    } catch (const mpi::peer_failed& seen) {
      now_ = seen.found().got == static_cast<std::size_t>(failing_) && !seen.found().where.what.view().empty() ? outcome::peer : outcome::other;
      world_->failed();
      throw;
    } catch (const rejected<mpi::mpi_fault>& seen) {
      if (seen.found().got == static_cast<std::size_t>(failing_) && seen.found().kind == mpi::mpi_wrong::ended) now_ = outcome::ended;
      world_->failed();
      throw;
    } catch (...) {
      now_ = outcome::failed;
      world_->failed();
      throw;
    }
  }
  /// Both have what they may have; and if that was no success, all works in the next world.
  void compare() {
    const int mine = static_cast<int>(now_);
    int other = 0;
    MPI_Sendrecv(&mine, 1, MPI_INT, 1 - all_of_us().process, 2, &other, 1, MPI_INT, 1 - all_of_us().process, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const bool leads = all_of_us().process == failing_;
    const auto at_fault = static_cast<outcome>(leads ? mine : other), follows = static_cast<outcome>(leads ? other : mine);
    CAPTURE(static_cast<int>(at_fault));
    CAPTURE(static_cast<int>(follows));
    CHECK((at_fault == outcome::done || at_fault == outcome::failed));
    CHECK((follows == outcome::done || follows == hears_));  // done: nothing was missing for it
    if (hears_ != outcome::ended && at_fault == outcome::done) CHECK(follows == outcome::done);
    if (at_fault == outcome::done && follows == outcome::done) return;
    renew();
    run();
    CHECK(now_ == outcome::done);
  }
  /// Another world. A message that was sent to a communicator which is gone waits in an MPI for the next of the same number, so
  /// such ones come between.
  void renew() {
    MPI_Barrier(MPI_COMM_WORLD);
    world_.reset();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm between[8];
    for (MPI_Comm& c : between) MPI_Comm_dup(MPI_COMM_WORLD, &c);
    MPI_Barrier(MPI_COMM_WORLD);
    for (MPI_Comm& c : between) MPI_Comm_free(&c);
    world_.emplace();
  }

  const char* operation_;
  job job_;
  int failing_;
  outcome hears_;
  std::optional<mpi::world> world_;
  outcome now_ = outcome::done;
};

void walk_in_two(const char* operation, pair_of_processes::job what, std::size_t every = 1, bool calls = true, bool threads = false) {
  if (all_of_us().processes != 2) return;
  for (const int failing : {0, 1}) {
    pair_of_processes both{operation, what, failing};
    both.walk(fault::allocation, every);
    if (calls) both.walk(fault::call);
    if (threads) both.walk(fault::thread);
  }
}

TEST_CASE("one of two processes leaves, while the other still waits for it") {
  if (all_of_us().processes != 2) return;
  const auto leaves = [](mpi::world&) {
    mpi::world another;
    for (int i = 0; i < 2 && !trust::ends_here(); ++i) {
      another.meet();
      if (trust::ends_here()) return;
      mpi::impl::session_processes others{another, mpi::results::local};
    }
  };
  for (const int failing : {0, 1}) pair_of_processes{"world that is left", leaves, failing, outcome::ended}.walk(fault::end);
}

TEST_CASE("one of two processes fails, while bytes are moved") { walk_in_two("bytes, two processes", moves_bytes, 1, false); }

TEST_CASE("one of two processes fails, while messages are under way in a channel") { walk_in_two("channel, two processes", channel_round); }

TEST_CASE("one of two processes fails in a pipeline of callables") {
  walk_in_two("callables, two processes", calls_over_processes);
  if (all_of_us().processes == 2) pair_of_processes{"callables, two processes", calls_over_processes, 0}.walk(fault::end);
}

TEST_CASE("one of two processes fails in a session that they share") {
  walk_in_two("pipeline over two processes", [](mpi::world& all) { two_steps(all, 1, 1, false); }, 5);
  walk_in_two("replicas in two processes", [](mpi::world& all) { two_steps(all, 2, 2, false); }, 5, true, true);
  walk_in_two("shards in two processes", [](mpi::world& all) { two_steps(all, 2, 1, true); }, 5);
}

}  // namespace trust_mpi_test
