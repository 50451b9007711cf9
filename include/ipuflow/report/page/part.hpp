// SPDX-License-Identifier: BSL-1.0
// A part of a page while it is made: facts, the breakdown of its time, tables and pictures, and what only a script shows. Each thing
// that a page can show has a `describe(part, thing)`, which is all that the page knows of it.
#pragma once

#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/report/drawing/json_members.hpp>
#include <ipuflow/report/drawing/numbers.hpp>
#include <ipuflow/report/page/columns.hpp>
#include <ipuflow/report/page/html.hpp>
#include <ipuflow/report/report_fault.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ipuflow::report {

/// A name and what is known by it, as words or as a number with its unit.
struct page_fact {
  std::string name{};
  std::string words{};
  std::string group{};  ///< of facts that stand together
  std::string unit{};
  double number = 0;
  bool is_number = false;
  double error = -1;  ///< median known error of such a number in %, if it is known
};

/// Samples of a run, over all its replicas: from them follows how many there are in a second.
struct page_samples {
  std::uint64_t count = 0;
};

namespace impl {

/// Amounts that add up to a total, each with its name.
using page_amounts = light_vector<std::pair<std::string, std::uint64_t>>;

/// The unit in which times of a part are counted.
struct page_ticks {
  double per_second = 0;  ///< 0: they are no times of a clock
  bool in_cycles = false;
  std::string name{};     ///< "cycles", "ns", or the unit of costs

  /// A time as tables have it.
  template <class = void>
  [[nodiscard]] std::string text_of(std::uint64_t ticks) const {
    if (in_cycles || per_second <= 0) return with_commas(ticks) + " " + name;
    return short_time(static_cast<double>(ticks) / per_second);
  }
};

template <class = void>
class basic_page_part {
 public:
  explicit basic_page_part(std::string name, basic_page_columns<>& columns) : name_{std::move(name)}, columns_{columns} {}

  /// The first thing of a part decides its kind and its ticks.
  void begin(std::string_view kind, page_ticks ticks, std::string bound, std::string note = "") {
    if (!kind_.empty()) return;
    kind_ = kind;
    ticks_ = std::move(ticks);
    bound_ = std::move(bound);
    note_ = std::move(note);
  }
  [[nodiscard]] bool is_begun() const { return !kind_.empty(); }
  [[nodiscard]] const page_ticks& ticks() const { return ticks_; }
  [[nodiscard]] basic_page_columns<>& columns() { return columns_; }
  /// A member that only a script shows; the first of a name counts.
  void member(std::string_view key, const std::string& json) {
    for (const std::string& known : keys_) {
      if (known == key) return;
    }
    keys_.emplace_back(key);
    members_.put(key, json);
  }

  void fact(page_fact f) { facts_.push_back(std::move(f)); }
  void fact(std::string name, std::string words, std::string group = "") { fact({.name = std::move(name), .words = std::move(words), .group = std::move(group)}); }
  void number(std::string name, double value, std::string unit = "", std::string group = "") {
    fact({.name = std::move(name), .group = std::move(group), .unit = std::move(unit), .number = value, .is_number = true});
  }
  /// The time by use, of the device that bounds it.
  void breakdown(page_amounts amounts, std::uint64_t total) {
    if (!amounts_.empty()) return;
    amounts_ = std::move(amounts);
    total_ = total;
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  void table(page_table t) { tables_.push_back(std::move(t)); }
  /// Of a picture that is larger a page says so instead: it would be slow to open.
  void picture(const std::string& svg, std::string_view says) {
    if (svg.size() <= most_picture) return void(pictures_.picture(svg, says));
    pictures_.paragraph(joined(std::string(says), ": this picture would have ", short_bytes(svg.size()), "; the views of the page show it."));
  }

  [[nodiscard]] std::string json() const {
    json_members all;
    all.add("kind", kind_).add("name", name_).put("facts", json_list(facts_, [](const page_fact& f) { return json_of(f); }));
    all.put("breakdown", json_list(amounts_, [](const auto& a) { return json_members{}.add("name", a.first).add("value", a.second).text(); }));
    all.add("total", total_).add("ticks_per_second", ticks_.per_second).add("in_cycles", ticks_.in_cycles).add("tick_name", ticks_.name);
    all.add("bound", bound_);
    if (!note_.empty()) all.add("note", note_);
    std::string text = all.text();
    if (!keys_.empty()) text = text.substr(0, text.size() - 1) + "," + members_.text().substr(1);
    if (tables_.empty()) return text;
    return text.substr(0, text.size() - 1) + ",\"tables\":" + json_list(tables_, [](const page_table& t) { return json_of(t); }) + "}";
  }

  [[nodiscard]] html_text html() const {
    html_text made;
    made.headline(2, name_.empty() ? std::string_view{kind_} : std::string_view{name_}).paragraph(bound_).paragraph(note_);
    page_table facts{.title = "Facts", .head = {"", "value"}};
    for (const page_fact& f : facts_) facts.rows.push_back({f.name, shown(f)});
    page_table times{.title = "Time by use, of the device that bounds it", .head = {"", ticks_.per_second > 0 && !ticks_.in_cycles ? "time" : ticks_.name, "%"}};
    const auto row = [&](const std::string& name, std::uint64_t amount) { times.rows.push_back({name, shown(amount), percent(amount, total_)}); };
    for (const auto& [name, amount] : amounts_) row(name, amount);
    if (!amounts_.empty()) row("total", total_);
    made.table(facts, 3).table(times, 3).put(pictures_);
    for (const page_table& t : tables_) made.table(t, 3);
    return made;
  }

 private:
  static constexpr std::size_t most_picture = 400'000;

  /// Three digits behind the point, and more of what is small, unless it is whole, as all that large are.
  static std::string words_of(double value) {
    const double size = value < 0 ? -value : value;
    const bool whole = size < 0x1p53 ? size == static_cast<double>(static_cast<std::int64_t>(size)) : true;
    int digits = whole ? 0 : 3;
    for (double small = size; !whole && small < 0.1 && digits < 15; small *= 10) ++digits;
    return (value < 0 ? "-" : "") + with_digits(size, digits);
  }
  std::string shown(std::uint64_t amount) const { return ticks_.in_cycles || ticks_.per_second <= 0 ? with_commas(amount) : ticks_.text_of(amount); }
  static std::string shown(const page_fact& f) {
    const bool worded = !f.is_number || !f.words.empty();
    if (!worded && f.unit == "s" && f.number > 0) return short_time(f.number);
    const std::string words = worded ? f.words : words_of(f.number);
    return f.unit.empty() ? words : words + " " + f.unit;
  }
  static std::string json_of(const page_fact& f) {
    json_members made;
    made.add("name", f.name);
    if (f.is_number)
      made.add("value", f.number);
    else
      made.add("value", f.words);
    if (!f.unit.empty()) made.add("unit", f.unit);
    if (!f.group.empty()) made.add("group", f.group);
    if (f.error >= 0) made.add("error", f.error);
    return made.text();
  }
  static std::string json_of(const page_table& t) {
    const auto cells = [](const light_vector<std::string>& c) { return json_list(c, [](const std::string& s) { return json_text(s); }); };
    return json_members{}.add("title", t.title).add("note", t.note).put("head", cells(t.head)).put("rows", json_list(t.rows, cells)).text();
  }

  std::string name_;
  basic_page_columns<>& columns_;
  std::string kind_, bound_, note_;
  page_ticks ticks_;
  light_vector<page_fact> facts_;
  page_amounts amounts_;
  std::uint64_t total_ = 0;
  light_vector<page_table> tables_;
  html_text pictures_;
  json_members members_;
  light_vector<std::string> keys_;
};
using page_part = basic_page_part<>;

template <class = void>
void describe(page_part& part, const page_fact& fact) {
  part.fact(fact);
}
template <class = void>
void describe(page_part& part, const light_vector<page_fact>& facts) {
  for (const page_fact& f : facts) part.fact(f);
}
template <class = void>
void describe(page_part& part, const page_table& table) {
  part.table(table);
}
template <class = void>
void describe(page_part& part, const page_samples& samples) {
  part.number("samples", static_cast<double>(samples.count), "", "speed");
  const double per_second = part.ticks().per_second;
  if (per_second > 0 && part.total() > 0)
    part.number("throughput", static_cast<double>(samples.count) * per_second / static_cast<double>(part.total()), "samples/s", "speed");
}

}  // namespace impl

}  // namespace ipuflow::report
