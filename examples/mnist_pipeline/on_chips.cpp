// SPDX-License-Identifier: BSL-1.0
// The same on simulated chips, counted: cycles, samples a second, bytes on a tile.
#include <ipuflow/chips.hpp>
#include <ipuflow/report/page/page.hpp>

#include "network.hpp"
#include "parts.hpp"

#include <cstddef>
#include <cstdio>

// begin: predict
/// The same step on simulated chips, counted.
template <class Precision, class P>
run::chips_profile predict(const P& model, const schedule::table& timetable, const train::options& options, bool offload) {
  const auto state = offload ? run::kept_in::streaming_memory : run::kept_in::tiles;
  const train::session session(model, timetable, train::adamw{}, options, Precision{},
                               on::chips{.system = ipu::pod(ipu::mk2, timetable.where.ipus * options.replicas),
                                         .optimiser_state = state,
                                         .allow_out_of_memory = true});  // what does not fit is worth seeing
  return session.cost();
}
// end: predict

template <class Precision, class P>
void show_model(const P& model, const schedule::table& timetable, const train::options& options, const settings& s, const run::trace& events) {
  const std::size_t ipus = timetable.where.ipus * options.replicas;
  if (ipus > ipu::most_chips) return;
  const run::chips_profile p = predict<Precision>(model, timetable, options, s.offload_optimiser);
  const std::size_t samples =
      timetable.where.micro_batches * options.micro_batch * options.device_iterations * options.replicas;
  const auto update = [](const run::chips_profile& of) { return of.chips.total.value / of.runs; };
  const ipu::memory_report& memory = p.chips.memory;
  std::printf("on %zu simulated IPUs: %zu cycles an update, %.0f samples/s, %zu of %zu bytes on the fullest tile\n",
              ipus, update(p), static_cast<double>(samples) / p.chips.time().value,
              memory.tiles[memory.fullest].total(), p.chips.tile_memory.value);
  if (s.offload_optimiser) {
    const run::chips_profile kept = predict<Precision>(model, timetable, options, false);
    const auto live = ipu::memory_category::always_live;
    std::printf("offloaded: always-live variables take %zu bytes instead of %zu, an update %zu cycles instead of %zu\n",
                memory.total(live), kept.chips.memory.total(live), update(p), update(kept));
  }
  if (!s.profile) return;
  report::save(s.profile_dir, p, {.samples = samples});
  // begin: page
  report::save_file(s.profile_dir + "/page.html", [&](auto& out) {
    report::page(out, {.title = "MNIST, " + s.schedule_name(), .command = s.command},
                 report::part("host threads", events, timetable),
                 report::part("simulated IPUs", p, timetable, report::page_samples{samples}));
  });
  // end: page
  std::printf("profile: see %s\n", s.profile_dir.c_str());
}

void show_in_floats(const schedule::table& timetable, const train::options& options, const settings& s, const run::trace& events) {
  show_model<train::precision<>>(mnist<float>, timetable, options, s, events);
}
void show_in_halves(const schedule::table& timetable, const train::options& options, const settings& s, const run::trace& events) {
  show_model<train::precision<float, half>>(mnist<half>, timetable, options, s, events);
}
