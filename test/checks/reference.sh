#!/usr/bin/env bash
# docs/reference.md holds the fields of all that a user fills or reads.   usage: reference.sh <source dir> [--write]
# It is what this script prints of the headers, so a check compares the two, and --write writes it. In it stand the public structs
# at namespace scope whose names end as options, styles, costs, profiles, scores and figures do (`ends`), those in `named`, and the
# structs and enums that their fields are made of. A struct begins in the first column, as in the check of names; a comment stands
# behind its field, or before it. A field or an enumerator without a comment is a fault. Faults (`x_fault`, `x_wrong`) are in errors.md.
# A table of another page that has the fields of a struct has them in the order of that struct.
set -euo pipefail
cd "$1"
shopt -s globstar nullglob
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
ends='options|style|setup|costs?|costs_of_stages|profile|score|times|compared_schedule|figures|outcome'
named='architecture chip_system event chips_activity label_total named_tensor named_distribution parameter_group basic_sgd
       basic_adam basic_lamb configuration matmul_shape conv_shape pool_shape gather_shape reduce_shape stage_facts steady buffers'

headers=()
for module in core graph schedule queue feed ipu nn plan run train report; do headers+=(include/ipuflow/$module/**/*.hpp); done
awk -v ends="$ends" -v named="$named" '
  function trimmed(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }
  function joined(a, b) { return a == "" ? b : b == "" ? a : a " " b }
  function count(s, c) { return gsub(c, "", s) } # of a copy
  function shown(name) { sub(/^basic_/, "", name); return name }
  function close_type() { if (type != "") { leads[type] = lead; type = ""; lead = comment = "" } }
  function add(name, of, value, what) {
    fields[type]++
    field_name[type, fields[type]] = name; field_type[type, fields[type]] = of
    field_value[type, fields[type]] = value; field_what[type, fields[type]] = what
    field_at[type, fields[type]] = FILENAME ":" FNR
  }
  function open_type(name, is_enum) {
    type = module "::" name
    if (type in at) { type = ""; return } # a specialisation
    at[type] = FILENAME; enums[type] = is_enum; order[++types] = type; space[type] = rooms; depth = 0; hidden_part = 0; statement = ""; behind = ""
    leads[type] = comment; comment = before = ""; last = 0
  }
  function declaration(s,   value, name, of, rest) { # s is one statement of a struct, without comments and its `;`
    s = trimmed(s)
    if (s == "" || s ~ /^(friend|using|static|template|typedef|enum|struct|class|explicit|virtual|~)/ || s ~ /operator/) return 0
    rest = s; sub(/[={].*/, "", rest)
    if (rest ~ /\(/) return 0
    value = ""
    if (match(s, /[={]/) && substr(s, RSTART, 1) == "=") {
      value = trimmed(substr(s, RSTART + 1)); s = substr(s, 1, RSTART - 1)
    } else if (RSTART > 0) {
      value = substr(s, RSTART); s = substr(s, 1, RSTART - 1)
      if (value == "{}") value = ""
    }
    s = trimmed(s)
    if (!match(s, /[A-Za-z_0-9]+$/)) return 0
    name = substr(s, RSTART); of = trimmed(substr(s, 1, RSTART - 1))
    if (of == "" || of ~ /^impl::/) return 0
    add(name, of, value, "")
    return 1
  }
  FNR == 1 {
    close_type(); room = comment = ""
    module = FILENAME; sub(/include\/ipuflow\//, "", module); sub(/\/.*/, "", module)
  }
  type == "" {
    if ($0 ~ /^(inline )?namespace [a-z_:]+ *{/) { room = room " " $2; comment = "" }
    else if ($0 ~ /^}.*\/\/ *namespace/) { sub(/ [^ ]*$/, "", room); comment = "" }
    else if ($0 ~ /^\/\/\/ /) comment = joined(comment, substr($0, 5))
    else if ($0 ~ /^(template|requires|  requires)/) { }
    else if ($0 ~ /^(struct|enum class) [a-z_0-9]+( : [a-z ]+)?[ ]*{/ && (" " room " ") !~ /(::| )(impl|detail|flow|walk) /) {
      name = $1 == "struct" ? $2 : $3; is_enum = $1 == "enum"
      rooms = room; sub(/^ /, "", rooms); gsub(/ /, "::", rooms); sub(/^ipuflow(::)?/, "", rooms)
      open_type(name, is_enum)
      if (type == "") next
      if ($0 ~ /}[ ]*;/) { # all on one line
        body = $0; sub(/^[^{]*{/, "", body); sub(/}[ ]*;.*/, "", body)
        if (is_enum) { n = split(body, parts, ","); for (i = 1; i <= n; i++) if (trimmed(parts[i]) != "") add(trimmed(parts[i]), "", "", "") }
        else { n = split(body, parts, ";"); for (i = 1; i <= n; i++) declaration(parts[i]) }
        short[type] = is_enum; type = ""; comment = ""
      }
    }
    else comment = ""
    next
  }
  /^};/ { type = ""; comment = ""; next }
  {
    code = $0; text = ""
    if (match(code, /\/\/.*/)) { text = substr(code, RSTART); code = substr(code, 1, RSTART - 1); sub(/^\/\/\/?<?[ ]*/, "", text) }
    code = trimmed(code)
    if (enums[type]) {
      if (code == "") { if (text != "") { if (last && $0 ~ /^ +\/\/ / && before == "" && $0 !~ /^  \/\//) field_what[type, last] = joined(field_what[type, last], text); else before = joined(before, text) }; next }
      n = split(code, parts, ",")
      for (i = 1; i <= n; i++) if (trimmed(parts[i]) != "") {
        one = trimmed(parts[i]); sub(/[ ]*=.*/, "", one); add(one, "", "", before); before = ""; last = fields[type]
      }
      field_what[type, last] = joined(field_what[type, last], text)
      next
    }
    if (code == "" && text != "") { if (depth == 0 && statement == "") before = joined(before, text); next }
    if (code == "") { if (depth == 0 && statement == "") before = ""; next }
    if (code ~ /^(private|protected):/) { hidden_part = 1; next }
    if (code ~ /^public:/) { hidden_part = 0; next }
    statement = joined(statement, code); if (text != "" && depth == 0) behind = joined(behind, text)
    depth += count(code, "{") - count(code, "}")
    if (depth > 0) next
    if (code ~ /;$/) {
      sub(/;$/, "", statement)
      if (!hidden_part && declaration(statement)) field_what[type, fields[type]] = joined(before, behind)
      statement = behind = before = ""
    } else if (code ~ /}$/) statement = behind = before = ""
  }
  function is_root(t,   name) {
    name = t; sub(/.*::/, "", name)
    return name ~ ("(^|_)(" ends ")$") || (" " named " ") ~ ("[ \n]" name "[ \n]")
  }
  function visit(t,   i, words, n, w, of) { # t, and the types of its fields
    if (t in wanted || t ~ /_(fault|wrong)$/) return
    if (t ~ /^core::/ && !enums[t]) return # containers and units
    wanted[t] = 1
    for (i = 1; i <= fields[t]; i++) {
      n = split_words(field_type[t, i])
      while (n > 0) { pending[++waiting] = found(word[n], t); n-- }
    }
  }
  function split_words(s,   n) {
    n = 0
    while (match(s, /[A-Za-z_0-9:]+/)) { word[++n] = substr(s, RSTART, RLENGTH); s = substr(s, RSTART + RLENGTH) }
    return n
  }
  function found(w, from,   home) { # the struct or enum that a word in a type means
    home = from; sub(/::.*/, "", home)
    if (w ~ /^(std|boost)::/) return ""
    if ((home "::" w) in at) return home "::" w
    if (w in at) return w
    if (("core::" w) in at) return "core::" w
    return ("graph::" w) in at ? "graph::" w : ""
  }
  function plain(s) { gsub(/\|/, "\\|", s); return s }
  function sentence_end(s) { return s ~ /[.:]$/ || s == "" ? s : s "." }
  END {
    for (t = 1; t <= types; t++) if (!enums[order[t]] && is_root(order[t]) && fields[order[t]] > 0) visit(order[t])
    while (waiting > 0) { t = pending[waiting--]; if (t != "") visit(t) }
    print "# Reference of fields\n"
    print "Every struct that you fill or read, with its fields, and the values of what they are made of. Printed from the headers by"
    print "`test/checks/reference.sh`: change them there. A field without a default stands empty or at zero, unless you give it.\n"
    previous = ""
    for (i = 1; i <= types; i++) {
      t = order[i]; if (!(t in wanted) || fields[t] == 0) continue
      module = t; sub(/::.*/, "", module)
      if (module != previous) { print "## " module "\n"; previous = module }
      name = t; sub(/.*::/, "", name)
      print "### `" (space[t] == "" ? "" : space[t] "::") shown(name) "`\n"
      header = at[t]; sub(/include\/ipuflow\//, "", header)
      if (leads[t] == "") { print at[t] ": " name " has no comment of its own (///)" > "/dev/stderr"; faults++ }
      print sentence_end(leads[t]) " In `" header "`.\n"
      if (enums[t]) {
        some = 0
        for (f = 1; f <= fields[t]; f++) if (field_what[t, f] != "") some = 1
        if (!some) {
          all = ""
          for (f = 1; f <= fields[t]; f++) all = joined(all, "`" field_name[t, f] "`" (f < fields[t] ? "," : "."))
          print "One of " all "\n"; continue
        }
        print "| value | means |\n|---|---|"
      } else print "| field | type | default | means |\n|---|---|---|---|"
      for (f = 1; f <= fields[t]; f++) {
        if (field_what[t, f] == "" && !enums[t]) {
          print field_at[t, f] ": " name "::" field_name[t, f] " has no comment (///<)" > "/dev/stderr"; faults++
        }
        if (enums[t]) print "| `" field_name[t, f] "` | " plain(field_what[t, f]) " |"
        else print "| `" field_name[t, f] "` | `" field_type[t, f] "` | " (field_value[t, f] == "" ? "" : "`" field_value[t, f] "`") " | " plain(field_what[t, f]) " |"
      }
      print ""
    }
    if (faults) exit 1
  }' "${headers[@]}" >"$scratch/reference.md" 2>"$scratch/faults" || { cat "$scratch/faults"; echo "fields without a comment in the headers"; failed=1; }
if [[ ${2-} == --write ]]; then cp "$scratch/reference.md" docs/reference.md
elif ! diff -u docs/reference.md "$scratch/reference.md"; then echo "docs/reference.md is not what the headers say: run test/checks/reference.sh . --write"; failed=1; fi

pages=(README.md)
for page in docs/*.md; do [[ $page == docs/reference.md ]] || pages+=("$page"); done
# C++ wants `{.a = 1, .b = 2}` in the order of the fields: a table with three fields of a struct or more, and hardly anything else,
# is what a reader copies that order from.
awk '
  FILENAME ~ /reference.md$/ {
    if ($0 ~ /^### /) { type = $2; ++types; is_struct = 0; name_of[types] = type }
    else if ($0 ~ /^\| field /) is_struct = 1
    else if (is_struct && match($0, /^\| `[a-z_0-9]+`/)) place[types, substr($0, 4, RLENGTH - 4)] = ++fields
    next
  }
  function look(   t, f, hits, last, wrong) {
    for (t = 1; rows >= 3 && t <= types; t++) {
      hits = last = 0; wrong = ""
      for (f = 1; f <= rows; f++) if ((t, row[f]) in place) {
        hits++
        if (place[t, row[f]] < last && wrong == "") wrong = row[f]
        last = place[t, row[f]]
      }
      if (hits >= 3 && hits >= 0.6 * rows && wrong != "") { print page ":" first ": `" wrong "` stands behind a later field of " name_of[t]; faults = 1 }
    }
    rows = 0
  }
  FNR == 1 { look() }
  !/^\|/ { look(); next }
  {
    page = FILENAME; if (rows == 0) first = FNR
    split($0, cell, "|"); s = cell[2]
    while (match(s, /`[a-z_0-9]+`/)) { row[++rows] = substr(s, RSTART + 1, RLENGTH - 2); s = substr(s, RSTART + RLENGTH) }
  }
  END { look(); exit faults }' docs/reference.md "${pages[@]}" || failed=1
((${failed-0} == 0))
