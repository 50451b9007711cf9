// SPDX-License-Identifier: BSL-1.0
// Processes, in ratios of times that were taken in turn: a channel's message against a bare persistent send, gradients added up against
// MPI_Allreduce of the same bytes. To be run by `mpirun -n 2 mpi_bench`.
#include <ipuflow/feed.hpp>
#include <ipuflow/graph.hpp>
#include <ipuflow/mpi.hpp>
#include <ipuflow/nn.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/train.hpp>
#include <ipuflow/train/threads/process_sums.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <thread>
#include <tuple>
#include <vector>

#include <sched.h>

using namespace ipuflow;

namespace {

template <class Job>
double seconds(const Job& job) {
  const auto begun = std::chrono::steady_clock::now();
  job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

/// The medians of two jobs that take turns, and of their ratios.
struct turns {
  double mine = 0, theirs = 0, ratio = 0;
};
template <class Mine, class Theirs>
turns in_turn(mpi::world& all, int rounds, const Mine& mine, const Theirs& theirs) {
  std::vector<double> m, t, r;
  for (int i = 0; i < rounds; ++i) {
    all.meet();
    m.push_back(seconds(mine));
    all.meet();
    t.push_back(seconds(theirs));
    r.push_back(m.back() / t.back());
  }
  const auto median = [](std::vector<double> x) {
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
  };
  return {median(m), median(t), median(r)};
}

/// There and back, by channels of this library.
void by_channels(mpi::world& all, mpi::sender& out, mpi::receiver& in, int count) {
  const auto send = [&] {
    while (out.room() == nullptr) {
    }
    out.send();
  };
  const auto receive = [&] {
    while (in.message(0) == nullptr) {
    }
    in.release();
  };
  for (int i = 0; i < count; ++i) {
    if (all.process() == 0) send(), receive();
    else receive(), send();
  }
}
/// The same by persistent requests alone.
void by_requests(mpi::world& all, MPI_Request& out, MPI_Request& in, int count) {
  const auto run = [](MPI_Request& r) {
    MPI_Start(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
  };
  for (int i = 0; i < count; ++i) {
    if (all.process() == 0) run(out), run(in);
    else run(in), run(out);
  }
}

void compare_messages(mpi::world& all, std::size_t bytes) {
  const std::size_t other = 1 - all.process();
  mpi::sender out{all.communicator(), other, 1, bytes, 2};
  mpi::receiver in{all.communicator(), other, 1, bytes, 2};
  std::vector<std::byte> a(bytes), b(bytes);
  MPI_Request bare_out, bare_in;
  MPI_Send_init(a.data(), static_cast<int>(bytes), MPI_BYTE, static_cast<int>(other), 2, all.communicator(), &bare_out);
  MPI_Recv_init(b.data(), static_cast<int>(bytes), MPI_BYTE, static_cast<int>(other), 2, all.communicator(), &bare_in);
  const int count = bytes > 100000 ? 200 : 2000;
  const turns t = in_turn(all, 21, [&] { by_channels(all, out, in, count); }, [&] { by_requests(all, bare_out, bare_in, count); });
  if (all.process() == 0)
    std::printf("message of %zu bytes: %.2f us, a bare one %.2f us, ratio %.2f\n", bytes, t.mine / count / 2 * 1e6, t.theirs / count / 2 * 1e6, t.ratio);
  MPI_Request_free(&bare_out);
  MPI_Request_free(&bare_in);
}

/// One gradient a process, at hand.
struct at_hand_here {
  const std::vector<float>& gradient;
  const float* at_hand(std::size_t, std::size_t, std::size_t first) const { return gradient.data() + first; }
  const float* add_up(std::size_t, std::size_t, std::size_t, std::size_t first, std::span<float>) const { return gradient.data() + first; }
};

void compare_sums(mpi::world& all, std::size_t numbers) {
  mpi::impl::session_processes group{all, mpi::results::local};
  const light_vector<std::size_t> seats{0, numbers};
  light_vector<train::impl::sum_share> shares;
  for (std::size_t p = 0; p < all.processes(); ++p) {
    const std::size_t first = numbers * p / all.processes();
    shares.push_back({p, first, numbers * (p + 1) / all.processes() - first, true});
  }
  train::impl::process_sums sums{group, seats, all.processes(), [](std::size_t copy, std::size_t) { return copy; }, shares};
  const std::vector<float> gradient(numbers, 1.0f);
  std::vector<float> theirs(numbers);
  const turns t = in_turn(all, 21, [&] { sums(at_hand_here{gradient}, [](const auto& job) { job(0); }); },
                          [&] { MPI_Allreduce(gradient.data(), theirs.data(), static_cast<int>(numbers), MPI_FLOAT, MPI_SUM, all.communicator()); });
  if (all.process() == 0)
    std::printf("sums of %zu numbers: %.0f us, MPI_Allreduce %.0f us, ratio %.2f%s\n", numbers, t.mine * 1e6, t.theirs * 1e6, t.ratio, std::equal(theirs.begin(), theirs.end(), sums.sums().begin()) ? "" : ", other sums");
}

/// Returns when all have called it; until then the core is for others.
void meet_asleep(mpi::world& all) {
  MPI_Request met = MPI_REQUEST_NULL;
  MPI_Ibarrier(all.communicator(), &met);
  for (int done = 0; MPI_Test(&met, &done, MPI_STATUS_IGNORE), done == 0;) std::this_thread::sleep_for(std::chrono::microseconds{200});
}

/// Images as large as those of MNIST.
struct digits {
  std::size_t size() const { return 12800; }
  std::tuple<std::array<std::uint8_t, 784>, std::uint8_t> operator[](std::size_t index) const {
    std::array<std::uint8_t, 784> pixels;
    for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(index * 31 + i * i);
    return {pixels, static_cast<std::uint8_t>(index % 10)};
  }
};
constexpr auto network = pipeline(input<float, 1, 28, 28>, per_sample<"label", std::uint8_t>,
    stage(block<"features">(nn::conv2d<8, 5>, nn::max_pool<2>, nn::relu)).ipu<0>(),
    stage(block<"digits">(nn::flatten, nn::linear<10>, use<"label">(nn::cross_entropy))).ipu<1>());

/// A training by so many threads of one process against one by as many processes of one thread each.
void compare_training(mpi::world& all, bool sharded) {
  constexpr auto timetable = schedule::one_f_one_b(network, micro_batches<4>);
  const train::options o{.micro_batch = 8, .replicas = 4, .inputs = {.scale = 1.0f / 255}, .shard_optimiser = sharded};
  const train::adamw rule{.rate = 3e-3f};
  train::session together{network, timetable, rule, o, on::processes{.world = all, .inner = {.count = 1}}};
  train::session alone{network, timetable, rule, o, on::threads{.count = all.processes()}};
  const auto one_pass = [](auto& session) {
    auto steps = feed::load(digits{}, session.samples_per_step(), {.shuffle = 1});
    return seconds([&] {
      for (auto&& step : steps) session(step);
    });
  };
  std::vector<double> ratios, mine;
  for (int i = 0; i < 31; ++i) {
    meet_asleep(all);
    const double by_threads = all.process() == 0 ? one_pass(alone) : 0;
    meet_asleep(all);
    mine.push_back(one_pass(together));
    ratios.push_back(by_threads / mine.back());
  }
  const auto median = [](std::vector<double>& x) { return std::sort(x.begin(), x.end()), x[x.size() / 2]; };
  if (all.process() == 0)
    std::printf("MNIST by %zu processes%s: %.0f us a step, %.2f of the speed of %zu threads\n", all.processes(), sharded ? ", sharded" : "",
                median(mine) / 100 * 1e6, median(ratios), all.processes());
}

}  // namespace

int main() {
  cpu_set_t every;  // mpirun may bind each process to a core, and here one has threads
  CPU_ZERO(&every);
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) CPU_SET(i, &every);
  (void)sched_setaffinity(0, sizeof every, &every);

  return mpi::run([](mpi::world& all) {
    if (all.processes() == 2) {
      for (const std::size_t bytes : {64u, 4096u, 65536u, 1048576u}) compare_messages(all, bytes);
    }
    for (const std::size_t numbers : {10000u, 100000u, 1000000u, 4000000u}) compare_sums(all, numbers);
    for (const bool sharded : {false, true}) compare_training(all, sharded);
    return 0;
  });
}
