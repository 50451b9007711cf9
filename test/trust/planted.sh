#!/usr/bin/env bash
# Does the walk find bugs? Plants one at a time into a copy of the headers, builds the walk over that module and runs it;
# eight of nine must be found.   usage: planted.sh <source dir> <compiler> <flags>...
# No part of the default run, since it compiles ten programs: -DIPUFLOW_PLANTED=ON, then `ctest -R trust.planted -V`.
set -euo pipefail
source=$1; shift
build=("$@" -I"$source/test" -I"$source/test/train")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
export IPUFLOW_PATIENCE=30  # seconds until a walk that hangs is ended
"${build[@]}" -I"$source/include" -c "$source/test/trust/injection_test.cpp" -o "$work/injection.o"
"${build[@]}" -c "$source/test/doctest_main.cpp" -o "$work/main.o"

planted=0 found=0
plant() { # module, what, file, perl expression
  rm -rf "$work/include"; cp -r "$source/include" "$work/include"
  perl -0pi -e "$4" "$work/include/ipuflow/$3"
  planted=$((planted + 1))
  if cmp -s "$source/include/ipuflow/$3" "$work/include/ipuflow/$3"; then echo "$1: $2: NOT PLANTED, $3 has changed"; return; fi
  local said
  if ! "${build[@]}" -I"$work/include" "$source/test/trust/$1_test.cpp" "$work/injection.o" "$work/main.o" -o "$work/walk" \
      -pthread 2>"$work/errors"; then echo "$1: $2: NOT BUILT"; head -3 "$work/errors"; return; fi
  if said=$("$work/walk" "--source-file=*$1_test.cpp" 2>&1); then
    echo "$1: $2: MISSED"
  else
    found=$((found + 1))
    echo "$1: $2: found: $(grep -m1 -oE "ERROR.*|.*hangs where.*|.*Sanitizer.*" <<<"$said" | cut -c1-110)"
  fi
}

plant feed "a missing wake: who waits for a filled step is not told" feed/loading/step_assembler.hpp \
  's/filled_one\(\)\) filled_\.wake\(\);/filled_one()) (void)0;/'
plant feed "lost items: a source that throws ahead is taken for one that ends" feed/loading/step_assembler.hpp \
  's/(pool_->give_back\(s\);\n)      throw;/$1      return false;/'
plant feed "a leak on throw: the slot of a step that cannot be opened is kept" feed/loading/step_assembler.hpp \
  's/\} catch \(\.\.\.\) \{\n      pool_->give_back\(s\);\n      throw;/} catch (...) {\n      throw;/'
plant run "a missing wake: the last thread to finish does not say so" run/threads/crew.hpp \
  's/== 1\) busy_\.notify_one\(\);/== 1) (void)0;/'
plant run "a missing halt: the others go on waiting for a stage that has thrown" run/threads/follower.hpp \
  's/signals_\.halt\.store\(true, std::memory_order_relaxed\);/(void)0;/'
plant run "a leak on throw: values under way are not destroyed" queue/spsc_ring.hpp \
  's/(  ~spsc_ring\(\) \{)/$1\n    return;/'
plant train "a lost rollback: the optimiser keeps what it remembered of a step that failed" train/threads/session_engine.hpp \
  's/update_\.restore\(before_\.update\);//'
plant train "a lost rollback: the model keeps half of a step that failed" train/threads/session_engine.hpp \
  's/\*model_ = before_\.learned;//'
plant train "a missing end: threads are left when one cannot be started" run/threads/crew.hpp \
  's/\} catch \(\.\.\.\) \{\n      dismiss\(\);\n      throw;/} catch (...) {\n      throw;/'

echo "$found of $planted planted bugs found"
((found + 1 >= planted))
