# Every place in a header that a mutation run may change, one line each:   line TAB column TAB length TAB what TAB replacement
#   number   a literal other than 0: the digit of a small one goes up by one, a larger or real one becomes ten times as much
#   compare  <  <=  >  >=  ==  !=   the bound moves by one, or equal becomes unequal
#   logic    && and || change places
#   guard    the condition of an `if` that is on one line is negated
# Comments, strings, characters, includes, static_asserts and heads of templates and enums have none, nor has the room of a
# fixed_string: larger ones hold the same text.
function site(column, size, what, replacement) {
  if (replacement != "") print FNR "\t" column "\t" size "\t" what "\t" replacement
}
function next_number(text,   digits) {
  if (match(text, /^0[xXbB][0-9a-fA-F]+/)) return substr(text, 1, RLENGTH) "0" substr(text, RLENGTH + 1)
  if (text ~ /[eE]$/ || text ~ /^[0.]+[a-zA-Z]*$/) return ""  # an exponent follows; ten times nothing
  if (text ~ /[.eE]/) return "(10 * " text ")"
  match(text, /^[0-9\047]+/)
  digits = substr(text, 1, RLENGTH)
  if (digits ~ /^0+$/) return ""
  return (length(digits) == 1 ? digits + 1 : digits "0") substr(text, RLENGTH + 1)
}
function blank(line,   out, c, i, quote) {  # strings and characters as underscores, comments as spaces
  out = ""; quote = ""
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (quote != "") {
      if (c == "\\") { out = out "__"; i++; continue }
      if (c == quote) quote = ""
      out = out "_"
    } else if (substr(line, i, 2) == "//") {
      break
    } else if (c == "\"" || (c == "\047" && substr(line, i - 1, 1) !~ /[0-9]/)) {
      quote = c; out = out "_"
    } else {
      out = out c
    }
  }
  return out
}
BEGIN {
  n = split("<= < >= > == != && ||", from, " "); split("< <= > >= != == || &&", to, " ")
}
/^ *#/ { next }
{
  code = blank($0)
  if (code ~ /static_assert/) asserting = 1
  if (asserting) { if (code ~ /;/) asserting = 0; next }
  if (code ~ /^ *(template|requires|concept|enum|using|namespace|friend)[ <]/) next
  for (at = 1; match(substr(code, at), /[0-9][0-9a-zA-Z_.\047]*/); at = column + length_) {
    column = at + RSTART - 1; length_ = RLENGTH
    if (substr(code, column - 1, 1) ~ /[0-9a-zA-Z_.]/ || substr(code, 1, column - 1) ~ /fixed_string<$/) continue
    site(column, length_, "number", next_number(substr(code, column, length_)))
  }
  for (o = 1; o <= n; o++) {
    for (at = 1; (found = index(substr(code, at), " " from[o] " ")) > 0; at += found + length(from[o])) {
      site(at + found, length(from[o]), from[o] ~ /[&|]/ ? "logic" : "compare", to[o])
    }
  }
  if (match(code, /(^|[^a-zA-Z_])if \(/)) {
    column = RSTART + RLENGTH - 1; depth = 0
    for (i = column; i <= length(code); i++) {
      c = substr(code, i, 1)
      if (c == "(") depth++
      if (c == ")" && --depth == 0) break
    }
    condition = substr($0, column, i - column + 1)
    if (depth == 0 && condition !~ /; |[a-z_]+ \*?[a-z_]+ = /) site(column, length(condition), "guard", "(!" condition ")")
  }
}
