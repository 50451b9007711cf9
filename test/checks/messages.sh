#!/usr/bin/env bash
# Every message is unique, explained and tested.   usage: messages.sh <source dir>
# A message is a string literal in include/ that starts with `ipuflow: `, and the literals that follow it in its statement (up to
# `;` or the next message). Literals with only space between them are one piece, as for the compiler; a blank, `{got}`, ends a
# piece, and so does other code between them. Rule: no two messages have the same pieces; every piece of at least 12
# characters, not counting `ipuflow: `, stands in docs/errors.md (which writes `N` or an ellipsis between pieces) and in a test (a
# `// expect:` line of test/compile_fail or any *_test.cpp); each message has such a piece. Before comparing, runs of space
# become one space and backslashes (of a regular expression or an escape) go. What has the form of a number, `stage{s} {is|are}`,
# is compared as it is for many; a test may have it as it is for one.
# Each blank is filled in by the header of its message.
# The kinds of a fault are an `enum class x_wrong` of a name of its own, followed in its header by `using x_fault = fault<x_wrong`,
# and a `wording` has no `default:`, so that the compiler names a forgotten kind.
# A regular expression that a test in CMake waits for has no `;`: CMake would make two of it, of which one is enough.
set -euo pipefail
cd "$1"
shopt -s globstar nullglob
flat() { sed -E 's/\\//g' | tr -s ' \n\t' ' '; }

scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
[[ ! -f docs/errors.md ]] || flat <docs/errors.md >"$scratch/documented"
{ cat /dev/null test/*/**/*_test.cpp | tr '\n' ' ' | sed -E 's/"[[:space:]]+"//g'
  sed -nE 's|^// expect: ||p' test/compile_fail/**/*.cpp; } | flat >"$scratch/tested"

# Prints one line per piece: file, line, TAB, the whole message with the pieces joined by ` ... `, TAB, the piece, TAB, the same for one.
pieces() {
  awk '
    function formed(text, one,   forms, bar) {
      gsub(/\{s\}/, "{|s}", text); gsub(/\{es\}/, "{|es}", text)
      while (match(text, /\{[^{}|]*\|[^{}|]*\}/)) {
        forms = substr(text, RSTART + 1, RLENGTH - 2); bar = index(forms, "|")
        text = substr(text, 1, RSTART - 1) (one ? substr(forms, 1, bar - 1) : substr(forms, bar + 1)) substr(text, RSTART + RLENGTH)
      }
      return text
    }
    function close_message(   n, i, all, part, alone, single) {
      if (!open) return
      single = formed(message, 1); message = formed(message, 0)
      gsub(/\{[a-z_]+\}/, "\001", message)
      all = message; gsub(/\001/, " ... ", all)
      gsub(/\{[a-z_]+\}/, "\001", single)
      n = split(message, part, "\001"); split(single, alone, "\001")
      for (i = 1; i <= n; i++) print where "\t" all "\t" part[i] "\t" alone[i]
      open = 0
    }
    FNR == 1 { close_message() }
    {
      rest = $0
      while (match(rest, /"([^"\\]|\\.)*"|\/\/.*|\047(\\.|[^\047\\])\047|;/)) {
        between = substr(rest, 1, RSTART - 1); token = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
        if (between ~ /[^ \t]/) apart = 1
        if (token ~ /^\/\//) continue
        if (token == ";") { close_message(); continue }
        if (token !~ /^"/) { apart = 1; continue }
        literal = substr(token, 2, length(token) - 2)
        if (literal ~ /^ipuflow: /) { close_message(); open = 1; where = FILENAME ":" FNR; message = literal }
        else if (open) message = message (apart ? "\001" : "") literal
        apart = 0
      }
      if (rest ~ /[^ \t]/) apart = 1
    }
    END { close_message() }' "$@"
}

faults=0
fault() { echo "$1: $2"; faults=$((faults + 1)); }
headers=(include/ipuflow/**/*.hpp)
pieces "${headers[@]}" >"$scratch/pieces"
while IFS=$'\t' read -r where what; do
  if [[ $where == count ]]; then messages=$what; else fault "$where" "$what"; fi
done < <(sed -E 's/\\//g' "$scratch/pieces" | awk -F '\t' -v documented="$scratch/documented" -v tested="$scratch/tested" '
  function whole(file,   line, all) { while ((getline line <file) > 0) all = all line " "; return all }
  BEGIN { pages = whole(documented); tests = whole(tested) }
  {
    where = $1; message = $2; piece = $3
    if (message in first_use) { if (first_use[message] != where) print where "\tthe message of " first_use[message] " again: " message }
    else messages++
    first_use[message] = where
    one = $4
    gsub(/[ \t]+/, " ", piece); sub(/^ /, "", piece); sub(/ $/, "", piece); gsub(/[ \t]+/, " ", one); sub(/^ /, "", one); sub(/ $/, "", one)
    bare = piece; sub(/^ipuflow:/, "", bare)
    if (length(bare) < 12) next
    long_piece[message] = 1
    if (!index(pages, piece)) print where "\tdocs/errors.md does not have: " piece
    if (!index(tests, piece) && !index(tests, one)) print where "\tno test expects: " piece
  }
  END {
    for (message in first_use)
      if (!(message in long_piece)) print first_use[message] "\tno piece of 12 characters to look for: " message
    print "count\t" messages + 0
  }')
# One process for all headers, not several for each of their blanks.
while IFS=$'\t' read -r where what; do
  if [[ $where == count ]]; then kinds=$what; else fault "$where" "$what"; fi
done < <(awk '
  function check(   text, count, line, rest, literal, blank, blanks, names, n, i, name, declared, found, inside) {
    while ((getline line <file) > 0) text[++count] = line
    close(file)
    for (n = 1; n <= count; n++) {
      rest = text[n]
      while (match(rest, /"([^"\\]|\\.)*"/)) {
        literal = substr(rest, RSTART, RLENGTH); rest = substr(rest, RSTART + RLENGTH)
        while (match(literal, /\{[a-z_]+\}/)) {
          name = substr(literal, RSTART + 1, RLENGTH - 2); literal = substr(literal, RSTART + RLENGTH)
          if (name !~ /^e?s$/ && !(name in blank)) { blank[name] = 1; blanks[++names] = name }
        }
      }
    }
    for (i = 1; i <= names; i++) {
      found = 0
      for (n = 1; n <= count && !found; n++) found = index(text[n], "{\"" blanks[i] "\", ")
      if (!found) print file "\tnothing fills in {" blanks[i] "}"
    }
    for (declared = 1; declared <= count; declared++) {
      if (text[declared] !~ /^enum class [A-Za-z0-9_]+_wrong([^A-Za-z0-9_]|$)/) continue
      name = substr(text[declared], 12); sub(/_wrong.*/, "", name)
      if (name in kinds) print file ":" declared "\t" kinds[name] " has an enum " name "_wrong, too"
      else all_kinds++
      kinds[name] = file ":" declared
      found = 0
      for (n = 1; n <= count && !found; n++) found = index(text[n], "using " name "_fault = fault<" name "_wrong") == 1
      if (!found) print file ":" declared "\tno " name "_fault for " name "_wrong"
      found = inside = 0
      for (n = 1; n <= count; n++) {
        line = text[n]
        if (inside ? line ~ /default:/ : index(line, "wording(" name "_wrong") && line ~ /default:/) found = 1
        if (inside) inside = line !~ /^}/
        else inside = index(line, "wording(" name "_wrong")
      }
      if (found) print file ":" declared "\tthe wording of " name "_wrong has a default"
    }
  }
  BEGIN {
    for (argument = 1; argument < ARGC; argument++) { file = ARGV[argument]; check() }
    print "count\t" all_kinds + 0
  }' "${headers[@]}")
while IFS=: read -r file line _; do
  fault "$file:$line" "a regular expression with a ;, of which CMake makes two; write a dot"
done < <(grep -nE '_REGULAR_EXPRESSION +("([^"\\]|\\.)*;|[^" )]*;)' CMakeLists.txt */**/CMakeLists.txt **/*.cmake || true)
echo "$messages messages of $kinds kinds of faults"
((faults == 0)) || { echo "$faults faults in messages"; exit 1; }
