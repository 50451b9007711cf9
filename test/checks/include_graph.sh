#!/usr/bin/env bash
# What a file pays for by including a header: pairs of a header and what it must not reach, over any number of includes.
# usage: include_graph.sh <source dir>
# Modules alone are layering.sh's; this holds the drawers and the standard library's dear headers. A fault shows the way there.
set -euo pipefail
cd "$1/include"
dear='memory|thread|mutex|stop_token|condition_variable|iterator|algorithm|functional|chrono|map|set|unordered_map|list|future|iostream|sstream|fstream|regex|format|filesystem|random|ranges|cmath|numeric'
rules=$(sed 's/^ *//' <<END
ipuflow/ipuflow.hpp          ^($dear)\$|^ipuflow/report/page/
ipuflow/chips.hpp            ^($dear|deque)\$|^ipuflow/report/page/
ipuflow/graph.hpp            ^($dear|vector|string|span)\$
ipuflow/schedule.hpp         ^($dear|string|vector|tuple|boost/.*)\$
ipuflow/queue.hpp            ^($dear|string|deque)\$
ipuflow/ipu.hpp              ^($dear|atomic|vector|deque)\$|^ipuflow/(graph|schedule|queue|feed|nn|run|train|plan|report)/
ipuflow/nn.hpp               ^($dear|vector|string)\$|^ipuflow/(ipu|plan)/
ipuflow/run.hpp              ^ipuflow/(ipu|plan|run/chips|feed/(sources|adaptors|images|loading))/|^($dear|string|deque)\$
ipuflow/train.hpp            ^($dear)\$|^ipuflow/(ipu|plan|feed/(sources|adaptors|images))/|^ipuflow/.*/chips/
ipuflow/report.hpp           ^ipuflow/(ipu|plan|report/page|schedule/search)/|^ipuflow/.*/chips/|^($dear|cstdio|tuple)\$
ipuflow/feed.hpp             ^($dear|range/.*)\$
ipuflow/feed/load.hpp        ^ipuflow/feed/(images|device)/|^ipuflow/feed/sources/(idx|cifar10|mapped_file)|^sys/
END
)
grep -rHE --include='*.hpp' -o '^#include <[^>]+>' ipuflow | sed -E 's/:#include <(.*)>/ \1/' | awk -v rules="$rules" '
  { includes[$1] = includes[$1] " " $2 }
  function walk(header, way, pattern,   parts, n, i) {
    if (header in seen) return
    seen[header] = 1
    if (header ~ pattern) { print "include/" way ": may not be reached"; faults++; return }
    n = split(includes[header], parts, " ")
    for (i = 1; i <= n; i++) walk(parts[i], way " > " parts[i], pattern)
  }
  END {
    n = split(rules, lines, "\n")
    for (r = 1; r <= n; r++) {
      split(lines[r], rule, / +/)
      if (!(rule[1] in includes)) { print "include/" rule[1] ": named by include_graph.sh, and includes nothing"; faults++ }
      split("", seen)
      walk(rule[1], rule[1], rule[2])
    }
    exit faults > 0
  }'
