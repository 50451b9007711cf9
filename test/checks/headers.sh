#!/usr/bin/env bash
# The rules that every header keeps.   usage: headers.sh <source dir>
# At most 300 lines, a leading comment of 2 to 6 lines, `#pragma once`, no macro, no `using namespace`, no open end, a comment
# at each memory order, at most 40 lines of `namespace detail` and none of another file's, and a test of the same name. What
# several headers of a module share, and no other module needs, is in its `namespace impl`, which no other module names. Comments
# begin with the term that they explain.
set -euo pipefail
cd "$1"
shopt -s globstar nullglob
faults=0

for header in include/ipuflow/*/**/*.hpp; do
  test=${header#include/ipuflow/}; test=test/${test%.hpp}_test.cpp
  [[ -f $test ]] || { echo "$header:1: has no test of its name, $test"; faults=1; }
done

# One process reads all headers: a process for each takes a minute.
awk '
  function fault(line, what) { print file ":" line ": " what; faults = 1 }
  function check(   count, text, lead, inside, opened, detail_lines, own, once, n, line, code, owner, name, self) {
    while ((getline line <file) > 0) text[++count] = line
    close(file)
    module = substr(file, length("include/ipuflow/") + 1); in_folder = module ~ /\//; sub(/[\/.].*/, "", module)
    if (count > 300) fault(count, count " lines; a header has at most 300")
    lead = 0
    while (text[lead + 1] ~ /^\/\//) lead++
    if (text[2] ~ /^\/\/ (What|Whether|How|Where|Who) /) fault(2, "the leading comment begins with a noun, the thing itself")
    if (lead < 2 || lead > 6) fault(1, "the leading comment has " lead " lines; it has 2 to 6: what, the one idea, the source")
    inside = 0; detail_lines = 0
    for (n = 1; n <= count; n++) {
      line = text[n]; code = line; sub(/\/\/.*/, "", code)
      if (line ~ /^[ \t]*#[ \t]*pragma once/) once = 1
      if (code ~ /^[ \t]*#[ \t]*(define|undef)/) fault(n, "a macro")
      if (code ~ /using[ \t]+namespace/) fault(n, "using namespace")
      if (line ~ /^[ \t]*\/\/\/ (What|Whether|How|Where|Which|When|Who) /) fault(n, "a comment begins with its term")
      if (line ~ /(^|[^A-Za-z])([Nn]obody|[Ww]hoever|so many)([^A-Za-z]|$)/) fault(n, "name the number or the party: see developing.md")
      if (line ~ /TODO|FIXME|XXX/) fault(n, "an open end; file an issue")
      if (code ~ /memory_order_/ && (line text[n - 1] text[n - 2] text[n - 3]) !~ /\/\//)
        fault(n, "a memory order without a comment that names its partner")
      if (code ~ /namespace ([a-z_:]+::)?detail[ \t]*{/) inside = 1
      if (inside) { detail_lines++; own = own "\n" code }
      if (line ~ /^}.*\/\/ *namespace.*detail/) inside = 0
    }
    if (!once) fault(1, "no #pragma once")
    if (inside) fault(count, "namespace detail is closed by `}  // namespace detail`")
    if (detail_lines > 40) fault(1, detail_lines " lines of namespace detail; at most 40, or give the thing a name and a file")
    self = module == "graph" ? "ipuflow" : "(ipuflow::)?" module # graph is the own namespace of the library
    for (n = 1; n <= count; n++) {
      code = text[n]; sub(/\/\/.*/, "", code)
      if (match(code, /[a-z_]+::impl::/)) { # that of `graph` is ipuflow::impl
        owner = substr(code, RSTART, RLENGTH - 8)
        if (module != (owner == "ipuflow" ? "graph" : owner)) fault(n, owner "::impl is for the headers of its own module")
      }
      if (in_folder && text[n] ~ /[a-z_]+::impl::/ && text[n] !~ ("(^|[^a-z_:])" self "::impl::"))
        fault(n, text[n] "   <- impl of another module")
      while (match(code, /detail::[A-Za-z_0-9]+/)) {
        name = substr(code, RSTART + 8, RLENGTH - 8)
        if (own !~ ("(^|[^A-Za-z_0-9])" name "([^A-Za-z_0-9]|$)")) fault(n, "detail::" name " belongs to another file")
        code = substr(code, RSTART + RLENGTH)
      }
    }
  }
  BEGIN {
    for (argument = 1; argument < ARGC; argument++) { file = ARGV[argument]; check() }
    exit faults
  }' include/ipuflow/**/*.hpp || faults=1
((faults == 0)) || { echo "headers have faults"; exit 1; }
