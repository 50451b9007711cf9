#!/usr/bin/env bash
# One name for one thing, and public is what others use.   usage: names.sh <source dir> [module whose public names are held...]
#   A type (class, enum, alias or concept) at namespace scope has a name that no type of another module has.
#   A name outside of `impl`, `detail` and the walks over types (`flow`, `walk`) is for users or for other modules: it stands in
#   code of a page or of an example, or another module qualifies it (reference.md has every field, so it does not count). Held to
#   this are the modules given, or drawers (run/chips).
# Names are read off the style of the headers: what stands at namespace scope begins in the first column.
set -euo pipefail
cd "$1"
held=("${@:2}")
shopt -s globstar nullglob extglob
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT

# One line a name at namespace scope: module, type or value, name, file:line, public or hidden.
names() {
  awk '
    function group_end(s, open, shut,   i, c, depth) {
      for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == open) depth++
        else if (c == shut && substr(s, i - 1, 2) !~ /->|<=/ && --depth == 0) return i
      }
      return length(s)
    }
    function without_group(s, open, shut) { return substr(s, group_end(s, open, shut) + 1) }
    function without_constraint(s) { # a requires clause: terms joined by && or ||
      do {
        sub(/^[ \t]*(requires|&&|\|\|)[ \t]*!?[ \t]*/, "", s)
        if (s ~ /^requires/) { sub(/^requires[^({]*(\([^)]*\))?[^{]*/, "", s); s = without_group(s, "{", "}") }
        else if (s ~ /^\(/) s = without_group(s, "(", ")")
        else { sub(/^[A-Za-z_0-9:]+/, "", s); if (s ~ /^</) s = without_group(s, "<", ">") }
      } while (s ~ /^[ \t]*(&&|\|\|)/)
      return s
    }
    function declared(s,   i, c, depth, word, last) { # the name that a declaration introduces; sets `kind`
      for (;;) {
        sub(/^[ \t]+/, "", s)
        if (s ~ /^template[ \t]*</) s = without_group(s, "<", ">")
        else if (s ~ /^requires[ \t(]/) s = without_constraint(s)
        else if (s ~ /^(\[\[|alignas)/) sub(/^(\[\[[^]]*\]\]|alignas\([^)]*\))/, "", s)
        else break
      }
      if (s ~ /^(static_assert|extern|friend)/) return ""
      kind = "type"
      if (match(s, /^(struct|class|union|enum class|enum)[ \t]+((\[\[[^]]*\]\]|alignas\([^)]*\))[ \t]*)?[A-Za-z_0-9]+/)) {
        word = substr(s, 1, RLENGTH); s = substr(s, RLENGTH + 1); sub(/.*[ \t]/, "", word)
        return s ~ /^[ \t]*(<|::)/ ? "" : word # what follows with < is a specialisation
      }
      if (match(s, /^(using|concept)[ \t]+[A-Za-z_0-9]+[ \t]*=/)) { split(s, parts, /[ \t]+/); return parts[2] }
      if (s ~ /^using/) return ""
      if (s ~ /^typedef/) { sub(/[ \t]*(__attribute__.*|;)$/, "", s); sub(/.*[ \t]/, "", s); return s }
      kind = "value"
      if (s ~ /operator *[^a-zA-Z_ ]/) return ""
      for (i = 1; i <= length(s); i++) {
        c = substr(s, i, 1)
        if (c == "<") depth++
        else if (c == ">" && substr(s, i - 1, 1) != "-") { if (--depth == 0) last = "" }
        else if (depth > 0) continue
        else if (c ~ /[A-Za-z_0-9:~]/) { word = word c; continue }
        if (word != "") { last = word; word = "" }
        if (c == "(" && last == "decltype") { i += group_end(substr(s, i), "(", ")") - 1; last = "" }
        else if (c ~ /[(={;[]/) break
      }
      return last ~ /::|^operator/ ? "" : last
    }
    FNR == 1 { room = pending = ""; module = FILENAME; sub(/include\/ipuflow\//, "", module); sub(/\/.*/, "", module) }
    { code = $0; gsub(/"([^"\\]|\\.)*"/, "\"\"", code); sub(/\/\/.*/, "", code) }
    code ~ /^(inline )?namespace [a-z_:]+ *{/ { room = room code; next }
    /^}.*\/\/ *namespace/ { sub(/(inline )?namespace [a-z_:]+ *{[ \t]*$/, "", room); next }
    code ~ /^namespace/ || (pending == "" && code !~ /^[a-z[]/) { next }
    {
      if (pending == "") start = FNR
      pending = pending " " code
      name = declared(pending)
      if (name == "" && pending !~ /[;{]/) next
      if (pending !~ /[({=;]/) next
      hidden = room ~ /(::| )(impl|detail|flow|walk) / ? "hidden" : "public"
      sub(/^basic_/, "", name) # a class whose code is compiled where it is called is known by its alias
      if (name != "") print module "\t" kind "\t" name "\t" FILENAME ":" start "\t" hidden
      pending = ""
    }' include/ipuflow/*/**/*.hpp
}

# The identifiers in the code of pages (fences and `spans`, but not messages) and of sources (no comments, no strings).
identifiers() { { grep -oE '[A-Za-z_][A-Za-z_0-9]*' || true; } | LC_ALL=C sort -u; }
code_of_pages() {
  awk '/^```/ { fence = !fence; next }
       fence { print; next }
       { while (match($0, /`[^`]+`/)) {
           span = substr($0, RSTART + 1, RLENGTH - 2); $0 = substr($0, RSTART + RLENGTH)
           if (span !~ /^ipuflow: /) print span } }' "$@" /dev/null
}
code_of_sources() { sed -E 's/"([^"\\]|\\.)*"/""/g; s|//.*||; /^[ \t]*#/d' "$@" /dev/null; }

names >"$scratch/names"
faults=0
fault() { echo "$1: $2"; faults=$((faults + 1)); }

while IFS=$'\t' read -r name at module; do
  [[ $name != "${previous-}" || $module == "$previous_module" ]] || fault "$at" "the type $name is also in $previous_at"
  previous=$name previous_at=$at previous_module=$module
done < <(awk -F'\t' '$2 == "type" { print $3 "\t" $4 "\t" $1 }' "$scratch/names" | LC_ALL=C sort -u)

{ code_of_pages README.md docs/!(reference).md; code_of_sources examples/**/*.[ch]pp; } | identifiers >"$scratch/used"
for module in $(cut -f1 "$scratch/names" | LC_ALL=C sort -u); do
  others=() # `core` and `graph` speak in `ipuflow` itself, the others are qualified
  for header in include/ipuflow/*/**/*.hpp; do [[ $header == include/ipuflow/$module/* ]] || others+=("$header"); done
  case $module in
    core | graph) code_of_sources "${others[@]}" ;;
    *) code_of_sources "${others[@]}" | { grep -oE "\\b$module::[A-Za-z_0-9:]+" || true; } ;;
  esac | identifiers | LC_ALL=C sort -um - "$scratch/used" >"$scratch/for_others"
  awk -F'\t' -v module="$module" 'NR == FNR { used[$1]; next }
    $1 == module && $5 == "public" { if (!seen[$3]++) count++; if (!($3 in used)) print $4 "\t" $3 }
    END { print count + 0 " public names in " module >counts }' \
    counts="$scratch/count_$module" "$scratch/for_others" "$scratch/names" |
  while IFS=$'\t' read -r at name; do
    for part in ${held[@]+"${held[@]}"}; do
      [[ $at != include/ipuflow/$part[/.]* ]] ||
        echo "$at: $name is in no page, no example and no other module; write about it or put it into impl"
    done
  done >>"$scratch/hidden"
done
cat "$scratch"/count_* "$scratch/hidden"
faults=$((faults + $(wc -l <"$scratch/hidden")))
((faults == 0)) || { echo "$faults faults in names"; exit 1; }
