// SPDX-License-Identifier: BSL-1.0
// Random networks, each a line of text that says all of it, so that one which breaks a law is repeated by its text; and a way to make
// such a one smaller. What a session on threads or on chips is given of a network is put together while the program runs.
#pragma once

#include "words.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trust {

/// A layer and, if it reads a second value, which: 0 is what enters, i what layer i - 1 makes; and whose weights it has.
struct chosen_word {
  static constexpr auto alone = static_cast<std::size_t>(-1);

  std::size_t word = 0;
  std::size_t from = 0;
  std::size_t shares = alone;  ///< the layer in front of it whose weights are its own, too

  friend bool operator==(const chosen_word&, const chosen_word&) = default;
};

/// Layers of a stage of two concurrent branches: those from `first` on, and those from `second` on, in front of `join`, which reads what both make.
/// Both branches begin with what layer `first` reads.
struct chosen_fork {
  std::size_t first = 0;
  std::size_t second = 0;
  std::size_t join = 0;

  explicit operator bool() const { return join > 0; }
  /// Whether a layer is in one of the branches.
  bool has(std::size_t layer) const { return layer >= first && layer < join; }
  friend bool operator==(const chosen_fork&, const chosen_fork&) = default;
};

/// A network and how it is trained.
struct recipe {
  kind entry = kind::image;
  std::vector<chosen_word> layers{};
  chosen_fork fork{};  ///< or none
  std::vector<std::size_t> cuts{};  ///< the layers that begin stages, but the first one
  std::string schedule = "sharded";
  std::size_t ipus = 1;
  std::size_t stages_per_ipu = 0;
  std::size_t micro_batches = 1;
  std::size_t micro_batch = 1;  ///< samples
  std::size_t replicas = 1;
  std::size_t iterations = 1;  ///< of a step
  std::size_t threads = 2;
  std::string optimiser = "sgd";
  std::string gradients = "mean";
  bool halves = false;           ///< tensors are stored as halves
  bool half_parameters = false;  ///< parameters are kept as halves between updates
  std::uint64_t seed = 1;

  friend bool operator==(const recipe&, const recipe&) = default;
};

std::string text_of(const recipe& r);
/// Throws if the text is none of a recipe.
recipe recipe_of(std::string_view text);

/// A recipe that fits together, of at most so many layers between its ends.
recipe random_recipe(std::uint64_t seed, std::size_t most_layers);
/// True if each layer is given what it reads, and the schedule has these stages.
bool fits(const recipe& r);

/// The smallest recipe, found step by step, of which `fails` is still true.
recipe shrunk(recipe r, const std::function<bool(const recipe&)>& fails);

/// The laws. Each returns what is wrong, or nothing; `counted` says how much was compared.
struct tried {
  std::size_t gradients = 0;  ///< compared with differences
  std::size_t steps = 0;      ///< of sessions
  std::size_t schedules = 0;
  std::size_t numbers = 0;    ///< of models, gradients and values, compared
  std::size_t searches = 0;
  std::size_t faults = 0;     ///< steps that failed or were stopped, and sessions that went on from a file
};
/// Gradients of a session that computes in double, against differences of the loss.
std::string check_gradients(const recipe& r, tried& counted, std::size_t most = 40);
/// One thread and many, bit for bit; each schedule of the catalogue that fits gives the numbers of one micro-batch after the other, bit for bit if
/// it adds up in the same order; what is recomputed changes nothing.
std::string check_schedules(const recipe& r, tried& counted);
/// Tiles give what the host gives, within rounding, and take what was counted.
std::string check_chips(const recipe& r, tried& counted);
/// Each layer that stores halves gives what it would in exact arithmetic, rounded once; forward and backward.
std::string check_halves(const recipe& r, tried& counted);
/// A searched schedule is verified, takes what was found, no less than its bound, and trains to the same numbers.
std::string check_searched(const recipe& r, tried& counted);
/// Steps whose optimiser throws, that are stopped, and sessions that go on from a file: the model is what it was, and then what it
/// would have been.
std::string check_faults(const recipe& r, tried& counted);

/// All of them, or the one with a name; what is wrong, with the name of its law.
std::string check_all(const recipe& r, tried& counted, std::string_view only = {});

}  // namespace trust
