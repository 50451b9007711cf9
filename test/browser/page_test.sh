#!/usr/bin/env bash
# The page in a real browser.   usage: page_test.sh [page.html...]
# Gets playwright-core and axe-core by their names into a folder of its own, which goes afterwards; where there is no browser, no
# node or no registry it says so and ends with 77, which ctest takes for skipped. Pages that are given are clicked through, too.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
skip() { echo "skipped: $1"; exit 77; }
browser=${IPUFLOW_CHROMIUM:-$(command -v chromium || command -v chromium-headless-shell || true)}
[[ -n $browser ]] || skip "no chromium (apt-get install chromium), which IPUFLOW_CHROMIUM may name"
command -v node >/dev/null || skip "no node"
command -v npm >/dev/null || skip "no npm"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
script=${IPUFLOW_PAGE_SCRIPT:-page_test.mjs}
packages=(playwright-core axe-core)
[[ $script != page_speed.mjs ]] || packages+=(uplot)
if [[ -z ${IPUFLOW_BROWSER_PACKAGES:-} ]]; then
  (cd "$scratch" && timeout 120 npm pack --silent "${packages[@]}" >packed 2>npm.log) || { tail -3 "$scratch/npm.log"; skip "npm cannot get ${packages[*]}"; }
  for name in "${packages[@]}"; do
    mkdir -p "$scratch/node_modules/$name"
    tar -xzf "$scratch/$name"-[0-9]*.tgz -C "$scratch/node_modules/$name" --strip-components 1
  done
  export IPUFLOW_BROWSER_PACKAGES=$scratch
fi
export TMPDIR=$scratch IPUFLOW_CHROMIUM=$browser
node "$here/$script" "$@"
