#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MPI programs on a simulated GPU, with each MPI that is installed: if the ranks start without a
# record, one of them measures. make check-mpi also compares the time of MPI_Init with a record and
# without the plugin, in pairs of runs, and prints it (MPI_PAIRS, default 0: no times). MPI_RANKS: 8.
set -u
ranks=${MPI_RANKS:-8}
pairs=${MPI_PAIRS:-0}
source=$top_srcdir/tests/mpi/init.c
real_tool=$top_builddir/hwloc-gpucache
failed=0 tested=0

skip() {
  echo "skipped: $*"
  exit 77
}
fail() {
  echo "FAILED: $*"
  failed=1
}
[ "${SANITIZERS:-no}" = no ] || skip "mpirun would need the runtime of the sanitizer"
[ -x "$real_tool" ] || skip "hwloc-gpucache is not built"

work=$(mktemp -d) || exit 1 # a short path: Open MPI has sockets there
trap 'rm -rf "$work"' EXIT
export TMPDIR="$work" HWLOC_GPUCACHE_TIMEOUT=120
export HWLOC_GPUCACHE_SIM="$top_srcdir/tests/tool/tiny" HWLOC_GPUCACHE_DIR="$work/records"
# Open MPI 4 and 5: as root, and more ranks than cores
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
export OMPI_MCA_hwloc_base_binding_policy=none

# The command, which also writes its messages and the times of its steps to a file of its own.
cat >"$work/tool" <<END
#!/bin/sh
exec "$real_tool" "\$@" --verbose 2>"$work/steps/\$\$"
END
chmod +x "$work/tool"
plans() { grep -l ' took [0-9.]* ms, [0-9]* launch' "$work"/steps/* 2>/dev/null | wc -l; }
forget() {
  rm -rf "$work/steps" "$work/records"
  mkdir -m 700 "$work/steps" "$work/records"
}

# start PROGRAM: starts the ranks; what they print is in $work/out.
start() {
  timeout 120 "$mpirun" -n $ranks "$1" >"$work/out" 2>"$work/err" && grep -q "ranks $ranks\$" "$work/out"
}
# took: the median of the ranks in the last run.
took() { sed -n 's/^init \([0-9.]*\) .*/\1/p' "$work/out"; }
quantile() { # of the numbers on stdin
  sort -n | awk -v q="$1" '{ v[NR] = $1 } END { printf "%.2f", v[1 + int(q * (NR - 1) + 0.5)] }'
}

# Without a record: one of the ranks measures.
test_cold() { # PROGRAM WHAT
  forget
  HWLOC_GPUCACHE_TOOL=$work/tool start "$1" || { fail "$mpi: $2 failed: $(cat "$work/err")"; return; }
  echo "  $2 without a record: $(plans) measurement, $(took) ms in the median rank"
  [ "$(plans)" -eq 1 ] && [ -s "$work/records/sim-tiny.xml" ] ||
    fail "$mpi: $(plans) ranks have measured the GPU, not one"
}

# Times with a record, and without the plugin.
test_warm() { # PROGRAM
  : >"$work/off"
  : >"$work/cached"
  : >"$work/differences"
  i=0
  while [ $i -lt "$pairs" ]; do
    HWLOC_GPUCACHE=off start "$1" || { fail "$mpi: a run failed: $(cat "$work/err")"; return; }
    off=$(took)
    HWLOC_GPUCACHE=cached start "$1" || { fail "$mpi: a run failed: $(cat "$work/err")"; return; }
    cached=$(took)
    echo "$off" >>"$work/off"
    echo "$cached" >>"$work/cached"
    awk "BEGIN { print $cached - $off }" >>"$work/differences"
    i=$((i + 1))
  done
  off=$(quantile 0.5 <"$work/off")
  cached=$(quantile 0.5 <"$work/cached")
  low=$(quantile 0.25 <"$work/off")
  high=$(quantile 0.75 <"$work/off")
  difference=$(quantile 0.5 <"$work/differences")
  echo "  $what with a record, median rank, $pairs pairs of runs:"
  echo "    HWLOC_GPUCACHE=off     median $off ms, quartiles $low and $high, fastest $(quantile 0 <"$work/off") ms"
  echo "    HWLOC_GPUCACHE=cached  median $cached ms, fastest $(quantile 0 <"$work/cached") ms"
  echo "    difference             median $difference ms"
  awk "BEGIN { exit !($difference < 50 + $off) }" || fail "$mpi: a record makes MPI_Init slower by $difference ms"
}

# test_mpi NAME COMPILER LAUNCHER
test_mpi() {
  mpi=$1 mpirun=$3
  tested=1
  echo "$mpi: $("$mpirun" --version 2>&1 | sed -n '/[0-9]\.[0-9]/{s/^[[:space:]]*\(Version:\)*[[:space:]]*//;p;q;}')"
  # shellcheck disable=SC2086 # these are lists of options
  { "$2" "$source" -o "$work/init" && "$2" -DLOAD -I"$top_srcdir/include" ${HWLOC_CFLAGS-} \
    "$source" -o "$work/load" ${HWLOC_LIBS--lhwloc}; } >"$work/err" 2>&1 ||
    { fail "$mpi: cannot compile: $(cat "$work/err")"; return; }
  echo "  its hwloc: $(ldd "$work/init" | sed -n 's/.*=> \(.*libhwloc[^ ]*\) .*/\1/p' | grep . ||
    find_in_libraries)"
  program=$work/init what=MPI_Init
  forget
  start "$program" || { fail "$mpi: MPI_Init failed: $(cat "$work/err")"; return; }
  if [ ! -e "$work/records/sim-tiny.xml" ]; then
    echo "  MPI_Init does not use the plugin: its hwloc is embedded or has no plugins. Instead, the program loads a topology."
    program=$work/load what="a program that loads topologies before and after MPI_Init"
  fi
  test_cold "$program" "$what"
  # an own topology besides that of MPI
  start "$work/load" || { fail "$mpi: a program that loads topologies failed: $(cat "$work/err")"; return; }
  grep -qx "measured $ranks" "$work/out" ||
    fail "$mpi: not all ranks see the GPU: $(cat "$work/out")"
  [ "$pairs" -eq 0 ] || test_warm "$program"
}

# MPI may open its hwloc as a module.
find_in_libraries() {
  ldd "$work/init" | sed -n 's/.*=> \(.*mpi[^ ]*\) .*/\1/p' | xargs -r ldd 2>/dev/null |
    sed -n 's/.*=> \(.*libhwloc[^ ]*\) .*/\1/p' | sort -u | grep . || echo "none of the system"
}

echo "machine: $(hostname), $(nproc) cores, $(date -u +%Y-%m-%d), $ranks ranks"
for mpi in mpich openmpi; do # as Debian names them
  command -v mpicc.$mpi >/dev/null && command -v mpirun.$mpi >/dev/null &&
    test_mpi $mpi mpicc.$mpi mpirun.$mpi
done
[ $tested -eq 1 ] || ! command -v mpicc >/dev/null || ! command -v mpirun >/dev/null ||
  test_mpi MPI mpicc mpirun
[ $tested -eq 1 ] || skip "there is no MPI: no mpicc and mpirun (Debian packages mpich, or openmpi-bin libopenmpi-dev)"
exit $failed
