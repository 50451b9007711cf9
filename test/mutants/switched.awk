# Writes a header with a switch for each of its sites: first the sites, `number of the switch TAB line TAB column TAB length TAB what TAB
# replacement`, then the header. A site of `logic` has no switch: an operator of a class would evaluate both of its sides.
function put(line, column, text) {  # at a place before the character of that column; texts of one place stay in order
  n[line]++
  place[line, n[line]] = column
  texts[line, n[line]] = text
}
BEGIN {
  FS = "\t"
  tag["<"] = "less"; tag["<="] = "less_equal"; tag[">"] = "greater"; tag[">="] = "greater_equal"; tag["=="] = "equal"; tag["!="] = "unequal"
  back["<="] = "<"; back["<"] = "<="; back[">="] = ">"; back[">"] = ">="; back["!="] = "=="; back["=="] = "!="
}
NR == FNR {
  if ($5 == "number") { put($2, $3, "(::mutant::on(" $1 ") ? " $6 " : "); put($2, $3 + $4, ")") }
  if ($5 == "guard") { put($2, $3, "(::mutant::on(" $1 ") != static_cast<bool>"); put($2, $3 + $4, ")") }
  if ($5 == "compare") put($2, $3 + $4, " ::mutant::" tag[back[$6]] "{" $1 "} " back[$6])
  next
}
{
  line = $0
  for (k = n[FNR]; k > 0; k--) {  # the rightmost first, so that columns stay what they were
    best = 0
    for (i = 1; i <= n[FNR]; i++) if (!done[FNR, i] && (!best || place[FNR, i] >= place[FNR, best])) best = i
    done[FNR, best] = 1
    line = substr(line, 1, place[FNR, best] - 1) texts[FNR, best] substr(line, place[FNR, best])
  }
  print line
}
