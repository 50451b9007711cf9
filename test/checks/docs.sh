#!/usr/bin/env bash
# README.md and docs/*.md quote code that compiles and output that is real.   usage: docs.sh <source dir> <dir of built examples>
#   <!-- example: examples/x.cpp#name -->   the next fence is the region `// begin: name` ... `// end: name` of that file
#   <!-- output: program arguments... -->   the next fence is what the built example prints
#   <!-- picture: program arguments... -->  the next line shows a picture whose file is what the built example prints
#   <!-- page: program arguments... -->     the next line begins with a link to a page, which is what the built example prints
# The first ```cpp fence of a page in docs/ is a whole file that compiles as pasted, apart from `codeless` ones.
# A test that reliability.md names, `module.header`, is one.
# A ```cpp fence without such a line is a fault, and so is a relative link to a file, or `a/header.hpp`, that does not exist.
set -euo pipefail
cd "$1"
built=$2
scratch=$(mktemp -d); trap 'rm -rf "$scratch"' EXIT
ln -s "$PWD/examples" "$scratch/examples"  # programs run there, and their data are said as from here
codeless=' architecture coming_from_graphcore compile_time developing errors glossary performance_guide reference reliability '
without_mpi=' distributed_mnist '  # not built where there is none
faults=0
fault() { echo "$1: $2"; faults=$((faults + 1)); }

region() { # file, name: its lines, nested markers left out, common indentation removed
  awk -v name="$2" '
    $1 == "//" && $2 == "end:" && $3 == name { inside = 0; closed++ }
    inside && !($1 == "//" && ($2 == "begin:" || $2 == "end:")) {
      line[++n] = $0; match($0, /^ */)
      if ($0 != "" && (indent == "" || RLENGTH < indent)) indent = RLENGTH
    }
    $1 == "//" && $2 == "begin:" && $3 == name { inside = 1; opened++ }
    END { if (opened != 1 || closed != 1) exit 1; for (i = 1; i <= n; i++) print substr(line[i], indent + 1) }' "$1"
}

printed() { # command: what it prints; without arguments, what its test has kept, if it was not built again since
  local kept=$built/printed/$1
  if [[ $# == 1 && $kept -nt $built/$1 ]]; then cat "$kept"; else "$built/$1" "${@:2}"; fi
}

compare() { # where, what the fence should hold; the fence is in $scratch/fence
  diff -u --label "$1" --label "$2" "$scratch/fence" "$scratch/wanted" || fault "$1" "differs from $2"
}

shown() { # where, file, command
  local -a command
  read -ra command <<<"$3"
  if [[ ! -x $built/${command[0]} ]]; then fault "$1" "no such built example: ${command[0]}"
  elif ! printed "${command[@]}" | cmp -s - "$2"; then fault "$1" "$2 is not what $3 prints"; fi
}

fence_closed() { # where, language, marker
  local kind target source name
  read -r kind target <<<"$3"
  case $kind in
    example:)
      source=${target%%#*}; name=${target#*#}
      if [[ $source != examples/* && $source != test/* ]]; then fault "$1" "quotes neither an example nor a test: $source"
      elif [[ ! -f $source ]]; then fault "$1" "no such file: $source"
      elif ! region "$source" "$name" >"$scratch/wanted"; then fault "$1" "$source has not exactly one region $name"
      else compare "$1" "$target"; fi ;;
    output:)
      read -ra source <<<"$target"
      if [[ ! -x $built/${source[0]} && $without_mpi == *" ${source[0]} "* ]]; then :
      elif [[ ! -x $built/${source[0]} ]]; then fault "$1" "no such built example: ${source[0]}"
      elif ! (cd "$scratch" && printed "${source[@]}") >"$scratch/wanted"; then fault "$1" "fails: $target"
      else compare "$1" "the output of $target"; fi ;;
    *) if [[ $2 == cpp || $2 == c++ ]]; then fault "$1" "a fence of code that no compiled example holds"; fi ;;
  esac
}

for page in README.md docs/*.md; do
  [[ -f $page ]] || continue
  number=0 inside=0 marker= begins=
  name=${page##*/} name=${name%.md} folder=.
  [[ $page != */* ]] || folder=${page%/*}
  [[ $page == docs/* && $codeless != *" $name "* ]] || begins=none
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    if [[ $line == '```'* ]]; then
      if ((inside)); then
        inside=0; fence_closed "$page:$start" "$language" "$marker"; marker=
        if [[ $language == cpp && $begins == '' ]]; then
          begins=$start
          { grep -q '^#include' "$scratch/fence" && grep -q '^int main(' "$scratch/fence"; } ||
            fault "$page:$start" "the first code of a page is a whole file, with its includes and main"
        fi
      else inside=1; start=$number; language=${line#'```'}; : >"$scratch/fence"; fi
    elif ((inside)); then printf '%s\n' "$line" >>"$scratch/fence"
    elif [[ $line =~ ^'<!-- '((example|output|picture|page):' '.*)' -->'$ ]]; then marker=${BASH_REMATCH[1]}; marked=$number
    else
      if [[ $marker == picture:* && $line =~ ^!\[.*\]\((.*)\)$ ]]; then
        shown "$page:$number" "$folder/${BASH_REMATCH[1]}" "${marker#picture: }"; marker=
      fi
      if [[ $marker == page:* && $line =~ ^\[.*\]\(([a-z_]+\.html)\) ]]; then
        shown "$page:$number" "$folder/${BASH_REMATCH[1]}" "${marker#page: }"; marker=
      fi
      if [[ -n $line && -n $marker ]]; then fault "$page:$marked" "no fence follows"; marker=; fi
      rest=$line
      while [[ $rest =~ \`([a-z_0-9/]+/[a-z_0-9]+\.hpp)\`(.*)$ ]]; do
        path=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
        [[ -e include/ipuflow/$path || -e include/$path || -e $path ]] || fault "$page:$number" "no such header: $path"
      done
      rest=$line
      while [[ $name == reliability && $rest =~ \`([a-z]+\.[a-z_0-9.]+)\`(.*)$ ]]; do
        path=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
        [[ ! -d test/${path%%.*} || -e test/${path//.//}_test.cpp || -e test/${path//.//}.cpp ]] || grep -qwF "$path" test/CMakeLists.txt ||
          fault "$page:$number" "no such test: $path"
      done
      while [[ $line =~ ^([^\`]*)\`[^\`]*\`(.*)$ ]]; do line=${BASH_REMATCH[1]}${BASH_REMATCH[2]}; done  # code is no link
      while [[ $line =~ \]\(([^\)[:space:]]+)[^\)]*\)(.*)$ ]]; do
        link=${BASH_REMATCH[1]} line=${BASH_REMATCH[2]}
        [[ $link =~ ^([a-z]+:|#) || -e $folder/${link%%#*} ]] || fault "$page:$number" "a link to nothing: $link"
      done
    fi
  done <"$page"
  ((inside == 0)) || fault "$page:$start" "a fence that is not closed"
  [[ -n $begins ]] || fault "$page:1" "a page that shows no code; if it has none for users, add it to codeless"
done
((faults == 0)) || { echo "$faults faults in the documents"; exit 1; }
