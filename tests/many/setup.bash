# SPDX-License-Identifier: BSD-3-Clause
# Loaded by the .bats files of this folder. make check uses small numbers; make check-many uses large
# ones and prints figures.

load ../plugin/setup.bash
topo_many=$top_builddir/tests/many/many
real_tool=$top_builddir/hwloc-gpucache
processes=${MANY_PROCESSES:-24}
threads=${MANY_THREADS:-8}
loops=${MANY_LOOPS:-8}
kills=${MANY_KILLS:-3}

prepare_many() {
  prepare
  [ -x "$real_tool" ] || skip "hwloc-gpucache is not built"
  export HWLOC_GPUCACHE_TOOL=$real_tool
  export HWLOC_GPUCACHE_SIM=$top_srcdir/tests/tool/tiny
  export HWLOC_GPUCACHE_TIMEOUT=240 # a slow machine, a sanitizer
}

# With make check-many, prints the output of the last run under this title.
figures() {
  [ -z "$MANY_FIGURES" ] || { printf '# %s\n' "$1"; sed 's/^/#   /' <<<"$output"; } >&3
}

# many ARGUMENT…: runs it.
many() {
  run "$topo_many" "$@"
  figures "many $*, HWLOC_GPUCACHE_TIMEOUT=$HWLOC_GPUCACHE_TIMEOUT"
  is 0 "$status"
}

# value NAME [N]: the N-th word (1) after NAME in the output of many.
value() { sed -n "s/^$1 //p" <<<"$output" | cut -d' ' -f"${2:-1}"; }

# "N STATUS" of each different GPUCacheStatus.
statuses() { sed -n 's/^status //p' <<<"$output"; }

# The files in the directory of records, except locks.
files() { (cd "$HWLOC_GPUCACHE_DIR" && find . -type f ! -name '*.lock' | sort | tr '\n' ' '); }
