// SPDX-License-Identifier: BSL-1.0
// What commands share. Of those that print one answer, what they cannot read, understand, answer or write becomes one sentence and the
// exit code 2.
#pragma once

#include <ipuflow/core/fault.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace command_line {

inline std::string read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  std::string text;
  char part[4096];
  while (in.read(part, sizeof part) || in.gcount() > 0) text.append(part, static_cast<std::size_t>(in.gcount()));
  if (!in.eof()) throw ipuflow::error{ipuflow::filled("ipuflow: file '{name}' cannot be read; check its name", {{"name", name}})};
  return text;
}

/// The command as a page names it and a shell takes it again: the program and its arguments, between quotes where a shell would read
/// something else.
inline std::string as_given(std::string_view program, int argc, char** argv) {
  std::string text(program);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || std::string_view("-_=.,:/+@%").find(static_cast<char>(c)) != std::string_view::npos; };
    const bool quoted = word.empty() || !std::all_of(word.begin(), word.end(), plain);
    text += quoted ? " '" : " ";
    for (const char c : word) text += c == '\'' ? std::string{"'\\''"} : std::string(1, c);
    if (quoted) text += '\'';
  }
  return text;
}

/// Refuses a sign before a count, which would be read as a count near the largest.
inline void refuse_negative_counts(CLI::App& app) {
  const auto signs = [](const std::string& text) { return text.starts_with('-') ? "Value " + text + " is less than 0" : std::string{}; };
  for (CLI::Option* const option : app.get_options()) {
    if (option->get_type_name().starts_with("UINT")) option->check(CLI::Validator{signs, ""});
  }
}

/// Refuses `--name=` with nothing behind it, which a flag would take for its usual value.
inline void refuse_empty_values(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text.starts_with("--") && text.find('=') == text.size() - 1) throw CLI::ArgumentMismatch(std::string(text) + " has no value behind its =");
  }
}

/// Throws if what a program has printed went nowhere: a full disk, or an output that is closed.
inline void throw_if_unwritten() {
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout)
    throw ipuflow::error{ipuflow::message_text{"ipuflow: the output cannot be written; check the space where it goes"}};
}

/// Reads the command line into what `app` was given and prints `make()`. `too_large` says what to do if that takes more memory than there is.
template <class Make>
int print(CLI::App& app, int argc, char** argv, const char* too_large, Make make) {
  try {
    app.name(argv[0]);
    refuse_empty_values(argc, argv);
    refuse_negative_counts(app);
    app.parse(argc, argv);
    std::cout << make();
    throw_if_unwritten();
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& bad) {
    std::string text = bad.what();
    for (char& c : text) c = c == '\n' ? ' ' : c;
    std::cerr << "ipuflow: " << text << "; --help lists what is understood\n";
    return 2;
  } catch (const std::bad_alloc&) {
    std::cerr << too_large << '\n';
    return 2;
  } catch (const std::length_error&) {  // of more than a container could ever hold
    std::cerr << too_large << '\n';
    return 2;
  } catch (const std::exception& bad) {
    std::cerr << bad.what() << '\n';
    return 2;
  }
  return 0;
}

/// The same of a command that says nothing by itself: alone it is asked for help.
template <class Make>
int answer(CLI::App& app, int argc, char** argv, const char* too_large, Make make) {
  if (argc > 1) return print(app, argc, argv, too_large, make);
  app.name(argv[0]);
  return app.exit(CLI::CallForHelp{});
}

}  // namespace command_line
