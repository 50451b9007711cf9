// SPDX-License-Identifier: BSL-1.0
// libFuzzer against the readers of schedules: whatever a file holds, it is refused with a sentence, or it is a schedule
// that can be verified, measured, drawn, lowered, written and read again as it was. Mutations know the words of the format.
#include <ipuflow/report/schedules/schedule_svg.hpp>
#include <ipuflow/report/schedules/schedule_text.hpp>
#include <ipuflow/report/schedules/schedule_trace.hpp>
#include <ipuflow/schedule.hpp>
#include <ipuflow/schedule/lowering/csv.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

using namespace ipuflow;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

void expect(bool holds) {
  if (!holds) std::abort();
}

void use(const schedule::table& t) {
  if (schedule::verify(t)) return;
  const std::string text = schedule::to_csv(t);
  expect(schedule::to_csv(schedule::read_csv(text)) == text);
  const schedule::costs slow{.forward = 2, .backward_inputs = 3, .backward_weights = 5, .communication = 1};
  const schedule::times times = schedule::times_of(t, slow);
  expect(times.makespan >= schedule::times_of(t, {}).makespan);
  expect(schedule::peak(t).size() == t.rows.size() && schedule::in_flight(t).size() == t.where.stages);
  expect(!report::schedule_trace(t, slow).empty());
  expect(report::schedule_svg(t, slow).ends_with("</svg>\n"));
  if (t.steps() * t.rows.size() < 100'000) expect(!report::schedule_text(t, 80).empty());
  expect(!schedule::to_csv(schedule::lower(t)).empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  try {
    use(schedule::read_csv(text));
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
  }
  try {
    const schedule::action_rows rows = schedule::read_actions(text);
    const std::string written = schedule::to_csv(rows);
    expect(schedule::to_csv(schedule::read_actions(written)) == written);
  } catch (const error& wrong) {
    expect(std::string_view{wrong.what()}.starts_with("ipuflow: "));
  }
  return 0;
}

/// Sometimes puts a word of the format somewhere; otherwise changes bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  constexpr std::string_view words[] = {"0F0",   "1F1",       "0B0",    "0I1",    "0W1",     ",",         "\r\n",       ",,",
                                        "2F9",   "(0F1;0B0)OVERLAP_F_B", "\"", "0UNSHARD", "1RESHARD", "0SEND_F0",
                                        "1RECV_F0", "0REDUCE_GRAD", "1B1,", "1I0,", "1W0,", "4294967296F0", "0F18446744073709551616"};
  const std::string_view word = words[seed / 8 % (sizeof words / sizeof *words)];
  if (seed % 4 != 0 || size + word.size() > most) return LLVMFuzzerMutate(data, size, most);
  const std::size_t at = size == 0 ? 0 : seed / 256 % (size + 1);
  std::memmove(data + at + word.size(), data + at, size - at);
  std::memcpy(data + at, word.data(), word.size());
  return size + word.size();
}
