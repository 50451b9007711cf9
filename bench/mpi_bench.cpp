// SPDX-License-Identifier: BSL-1.0
// Processes, in ratios of times that were taken in turn: a channel's message against a bare persistent send, gradients added up against
// MPI_Allreduce of the same bytes. To be run by `mpirun -n 2 mpi_bench`.
#include <ipuflow/mpi.hpp>
#include <ipuflow/train/threads/process_sums.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

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
  const std::vector<std::size_t> seats{0, numbers};
  std::vector<train::impl::sum_share> shares;
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

}  // namespace

int main() {
  return mpi::run([](mpi::world& all) {
    if (all.processes() == 2) {
      for (const std::size_t bytes : {64u, 4096u, 65536u, 1048576u}) compare_messages(all, bytes);
    }
    for (const std::size_t numbers : {10000u, 100000u, 1000000u, 4000000u}) compare_sums(all, numbers);
    return 0;
  });
}
