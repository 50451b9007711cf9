// SPDX-License-Identifier: BSL-1.0
// Costs as they were measured: decimals in a unit of the user's, the same for all stages or a record for each. Times are
// counted in whole numbers everywhere, so these are counted in the smallest decimal that was written, exactly.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/schedule/analysis/costs.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ipuflow::schedule {

enum class costs_wrong : unsigned char { nothing, none, no_number, too_precise, too_large, too_many_digits, not_four, other_stages };

/// `where` is the number, or the record, as it was written; `got` the record, counted from 1.
using costs_fault = fault<costs_wrong, fixed_string<40>>;

constexpr const char* wording(costs_wrong wrong) {
  switch (wrong) {
    case costs_wrong::nothing:
      return "";
    case costs_wrong::none:
      return "ipuflow: no costs are given; write F,I,W,COMM as numbers like 3.1,2.7,1.9,0.2";
    case costs_wrong::no_number:
      return "ipuflow: '{where}' in record {got} of the costs is no time; write F,I,W,COMM as numbers like 3.1,2.7,1.9,0.2";
    case costs_wrong::too_precise:
      return "ipuflow: '{where}' in record {got} of the costs has more than {limit} digit{s} behind the point; round it, or take a smaller unit";
    case costs_wrong::too_large:
      return "ipuflow: '{where}' in record {got} of the costs is too large to be added up; take a larger unit";
    case costs_wrong::too_many_digits:
      return "ipuflow: '{where}' in record {got} of the costs is too large beside others with {limit} digit{s} behind the point, which all are "
             "counted in; round these";
    case costs_wrong::not_four:
      return "ipuflow: record {got} of the costs is '{where}', which has {limit} {numbers}; write four, decimals with a point, records with ; "
             "between them: forward, backward for inputs, backward for weights (half of the backward each, where only the whole was measured), "
             "message";
    case costs_wrong::other_stages:
      return "ipuflow: costs are given for {got} stage{s}, but the model has {limit}; give one record for all, or one for each stage in the order of "
             "the data";
  }
  return "";
}

constexpr message_text sentence(const costs_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}, {"where", f.where}, {"numbers", f.limit == 1 ? "number" : "numbers"}});
}

/// Costs as they were measured. Times that are counted with them (`makespan`, `times_of`) are whole numbers of their smallest
/// decimal: `text_of` and `in_units` give them back in the unit of the user's.
class measured_costs {
 public:
  /// One record for all stages, or one for each; all in units of 1 / `per_unit`.
  explicit measured_costs(std::vector<costs> of_stages, std::size_t per_unit = 1, std::string unit = {})
      : stages_{std::move(of_stages)}, per_unit_{per_unit}, unit_{std::move(unit)} {}

  [[nodiscard]] std::size_t of(pass kind, std::size_t stage) const { return record(stage).of(kind, stage); }
  [[nodiscard]] std::size_t communication_of(std::size_t stage) const { return record(stage).communication * parts_; }

  /// The costs with each stage cut into `parts` of equal size: passes take a part of the time, messages as long as before. Times
  /// are counted in parts then.
  [[nodiscard]] measured_costs cut(std::size_t parts) const {
    measured_costs smaller = *this;
    smaller.parts_ = parts;
    return smaller;
  }

  [[nodiscard]] std::size_t records() const { return stages_.size(); }
  /// The times that are counted to a unit of the user's.
  [[nodiscard]] std::size_t per_unit() const { return per_unit_ * parts_; }
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// A time in the user's unit.
  [[nodiscard]] double in_units(std::size_t time) const {
    return static_cast<double>(time) / static_cast<double>(per_unit_ * parts_);
  }
  /// A time as a number in the user's unit, with as many digits as it needs.
  [[nodiscard]] std::string number_of(std::size_t time) const {
    char text[40];
    return {text, std::to_chars(text, text + sizeof text, in_units(time), std::chars_format::general, 12).ptr};
  }
  /// The same and the unit: "115.7 ms".
  [[nodiscard]] std::string text_of(std::size_t time) const { return number_of(time) + (unit_.empty() ? unit_ : " " + unit_); }

 private:
  [[nodiscard]] const costs& record(std::size_t stage) const {
    const std::size_t whole = stages_.size() == 1 ? 0 : stage / parts_;
    const std::size_t known = stages_.size();
    if (whole >= known) throw_if(schedule_fault{schedule_wrong::no_costs, known, whole + 1, {.stage = stage}});
    return stages_[whole];
  }

  std::vector<costs> stages_;
  std::size_t per_unit_;
  std::string unit_;
  std::size_t parts_ = 1;
};

namespace impl {

/// A number in decimal: `digits` without its point, which has `behind` digits behind it.
struct decimal {
  std::size_t digits = 0;
  std::size_t behind = 0;
  std::string_view written{};
};

inline constexpr std::size_t most_decimals = 9;
inline constexpr std::size_t largest_cost = 1'000'000'000;        // in the user's unit
inline constexpr std::size_t largest_count = 1'000'000'000'000;  // of its smallest decimals: some ten million can be added up

[[nodiscard]] inline costs_fault read_decimal(std::string_view word, std::size_t record, decimal& to) {
  const auto wrong = [&](costs_wrong kind, std::size_t limit = 0) {
    return costs_fault{kind, record, limit, fixed_string<40>{word}};
  };
  to = {.written = word};
  bool point = false;
  std::size_t whole = 0;
  std::size_t figures = 0;
  for (const char c : word) {
    if (c == '.' && !point) {
      point = true;
    } else if (c >= '0' && c <= '9') {
      if (point && ++to.behind > most_decimals) return wrong(costs_wrong::too_precise, most_decimals);
      if (!point) whole = whole * 10 + static_cast<std::size_t>(c - '0');
      if (whole > largest_cost) return wrong(costs_wrong::too_large);
      to.digits = to.digits * 10 + static_cast<std::size_t>(c - '0');
      ++figures;
    } else {
      return wrong(costs_wrong::no_number);
    }
  }
  return figures == 0 ? wrong(costs_wrong::no_number) : costs_fault{};
}

[[nodiscard]] inline std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace impl

/// Reads "3.1,2.7,1.9,0.2": forward, backward for inputs, backward for weights, message; all four, since times that are made up
/// look like measured ones. Records of stages stand in lines of their own or between semicolons; "#" begins a comment, which
/// ends with its line.
[[nodiscard]] inline measured_costs read_costs(std::string_view text, std::string unit = {}) {
  std::vector<std::vector<impl::decimal>> records;
  std::size_t behind = 0;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(";\n#");
    std::string_view record = impl::without_blanks(text.substr(0, end));
    const std::size_t last = end != text.npos && text[end] == '#' ? text.find('\n', end) : end;
    text.remove_prefix(last == text.npos ? text.size() : last + 1);
    if (record.empty()) continue;
    const std::string_view written = record;
    auto& numbers = records.emplace_back();
    for (bool more = true; more;) {
      const std::size_t comma = record.find(',');
      more = comma != record.npos;
      throw_if(impl::read_decimal(impl::without_blanks(record.substr(0, comma)), records.size(), numbers.emplace_back()));
      if (numbers.back().behind > behind) behind = numbers.back().behind;
      if (more) record.remove_prefix(comma + 1);
    }
    if (numbers.size() != 4) throw_if(costs_fault{costs_wrong::not_four, records.size(), numbers.size(), fixed_string<40>{written}});
  }
  if (records.empty()) throw_if(costs_fault{.kind = costs_wrong::none});
  std::size_t per_unit = 1;
  for (std::size_t i = 0; i < behind; ++i) per_unit *= 10;
  std::vector<costs> stages;
  for (const auto& numbers : records) {
    std::size_t value[4] = {};
    for (std::size_t i = 0; i < 4; ++i) {
      value[i] = numbers[i].digits;
      for (std::size_t d = numbers[i].behind; d < behind; ++d) value[i] *= 10;
      if (value[i] > impl::largest_count)
        throw_if(costs_fault{costs_wrong::too_many_digits, stages.size() + 1, behind, fixed_string<40>{numbers[i].written}});
    }
    stages.push_back({.forward = value[0], .backward_inputs = value[1], .backward_weights = value[2], .communication = value[3]});
  }
  return measured_costs{std::move(stages), per_unit, std::move(unit)};
}

/// Costs are for all stages alike, or for these.
[[nodiscard]] inline costs_fault verify_costs(const measured_costs& c, std::size_t stages) {
  if (c.records() == 1 || c.records() == stages) return {};
  return {costs_wrong::other_stages, c.records(), stages};
}

}  // namespace ipuflow::schedule
