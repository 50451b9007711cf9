// SPDX-License-Identifier: BSL-1.0
// A stream whose items one thread of the program enqueues and whose results another one reads, with an argument that is given
// once a run. Prints the words that it let through.
#include <ipuflow/graph.hpp>
#include <ipuflow/run.hpp>
#include <ipuflow/run/feeds.hpp>
#include <ipuflow/schedule.hpp>

#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>

using namespace ipuflow;

std::string in_capitals(std::string word) {
  for (char& c : word) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return word;
}
std::string shortened(std::string word, std::size_t longest) { return word.substr(0, longest); }

// begin: ends
constexpr auto words_in = pipeline(input<std::string>, per_run<"longest", std::size_t>,
    stage(block<"capitals">(in_capitals)).ipu<0>(), stage(block<"shorten">(use<"longest">(shortened))).ipu<1>());

void print_words() {
  auto [in, out] = run::feeds(words_in, {.prefetch_depth = 8});
  std::jthread writer{[&to = in] {
    for (const char* word : {"one", "description", "generates", "both", "ends"}) to.enqueue(word);
    to.close();
  }};
  std::jthread reader{[results = out.follow()]() mutable {
    for (const std::string& word : results) std::puts(word.c_str());
  }};
  run::on_threads(words_in, schedule::inference(words_in, micro_batches<1000>), in, out, {}, with<"longest">(6));
}
// end: ends

int main() { print_words(); }
