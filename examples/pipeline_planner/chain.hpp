// SPDX-License-Identifier: BSL-1.0
// The half of the planner that is given a chain of blocks as a line of text: it reads the line, cuts the chain, and says the result
// as one JSON object.
#pragma once

#include <ipuflow/core/fault.hpp>
#include <ipuflow/plan/partition/balance.hpp>
#include <ipuflow/report/drawing/json_text.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace pipeline_planner {

/// A chain as a line has it: `chain`, a name, the number of blocks, then for each block forward, backward, bytes of the cut
/// behind it, of its parameters and of its activations.
struct named_chain {
  std::string name;
  std::vector<ipuflow::plan::chain_block> blocks;
};

/// The next word of a text; it is taken off.
inline std::string_view next_word(std::string_view& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  text.remove_prefix(first == text.npos ? text.size() : first);
  const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
  text.remove_prefix(word.size());
  return word;
}

/// What is shown of a word that may be of any length and of any bytes.
inline std::string shown(std::string_view word) {
  std::string text{word.substr(0, 40)};
  for (char& c : text) c = c < ' ' || c > '~' ? '?' : c;
  return text + (word.size() > 40 ? "..." : "");
}

inline std::size_t number_in(std::string_view word, std::string_view of) {
  std::size_t number = 0;
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (wrong != std::errc{} || end != word.data() + word.size() || word.empty())
    throw ipuflow::error{ipuflow::filled("ipuflow: '{word}' in {of} is no whole number below 2 to the 64", {{"word", shown(word)}, {"of", of}})};
  return number;
}

inline ipuflow::plan::chain_block block_in(std::string_view word, std::size_t number) {
  const std::string place = "block " + std::to_string(number);
  std::size_t value[5]{};
  std::size_t count = 0;
  for (std::string_view rest = word; count <= 5;) {
    const std::size_t comma = rest.find(',');
    if (count < 5) value[count] = number_in(rest.substr(0, comma), place);
    ++count;
    if (comma == rest.npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (count != 5)
    throw ipuflow::error{ipuflow::filled("ipuflow: {place} is '{word}'; write five numbers: forward, backward, bytes of its cut, parameters and activations", {{"place", place}, {"word", shown(word)}})};
  return {value[0], value[1], value[2], value[3], value[4]};
}

/// Reads a text with one line of a chain; empty lines and those that begin with # are left out.
inline named_chain read_chain(std::string_view text) {
  named_chain read;
  bool any = false;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // some editors begin a file with it, to say that it is UTF-8
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
    const std::string_view kind = next_word(line);
    if (kind.empty() || kind.front() == '#') continue;
    if (kind != "chain")
      throw ipuflow::error{ipuflow::filled("ipuflow: a line begins with '{kind}'; a chain begins with chain", {{"kind", shown(kind)}})};
    if (any) throw ipuflow::error{ipuflow::filled("ipuflow: a second chain follows '{name}'; give a file with one", {{"name", shown(read.name)}})};
    any = true;
    read.name = next_word(line);
    const std::size_t count = number_in(next_word(line), "the number of blocks");
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      read.blocks.push_back(block_in(word, read.blocks.size()));
    }
    if (read.blocks.size() != count)
      throw ipuflow::error{ipuflow::filled("ipuflow: chain '{name}' says {count} block{s} and has {has}", {{"name", shown(read.name)}, {"count", count}, {"has", read.blocks.size()}})};
  }
  if (!any) throw ipuflow::error{ipuflow::message_text{"ipuflow: there is no chain; write chain, a name, the number of blocks and the blocks"}};
  return read;
}

/// A list as JSON has it, of what a function makes of each element.
template <class Values, class Text>
std::string json_list(const Values& values, const Text& text) {
  std::string list = "[";
  for (std::size_t i = 0; i < values.size(); ++i) list += (i == 0 ? "" : ",") + text(values[i]);
  return list + "]";
}

/// The best partition of a chain as one JSON object.
inline std::string balanced_json(const named_chain& chain, const ipuflow::plan::balance_options& rules) {
  const auto p = ipuflow::plan::balance(chain.blocks, rules);
  const auto number = [](std::size_t value) { return std::to_string(value); };
  const auto stage = [&](const ipuflow::plan::partition_stage& s) {
    return "{\"first\":" + number(s.first) + ",\"end\":" + number(s.end) + ",\"load\":" + number(s.load) + ",\"time\":" + number(s.time) +
           ",\"recompute\":" + number(s.recompute) + ",\"bytes\":" + number(s.bytes) + ",\"depth\":" + number(s.depth) + "}";
  };
  return "{\"chain\":" + ipuflow::report::json_text(chain.name) + ",\"blocks\":" + number(chain.blocks.size()) +
         ",\"bottleneck\":" + number(p.bottleneck) + ",\"lower_bound\":" + number(p.lower_bound) + ",\"cuts\":" + json_list(p.cuts, number) +
         ",\"stages\":" + json_list(p.stages, stage) + ",\"recomputed\":" + json_list(p.recomputed, number) + "}\n";
}

}  // namespace pipeline_planner
