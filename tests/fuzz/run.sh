#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# make check-fuzz calls run.sh TARGET... -- FLAG...: builds the fuzz targets with these flags of the
# preprocessor, and runs each for $FUZZ_SECONDS, or $FUZZ_RUNS times. New inputs that reach new code are kept in tests/fuzz/found;
# an input that fails is written to tests/fuzz/bin. To run it again: tests/fuzz/bin/NAME FILE.
set -euo pipefail
here=$top_srcdir/tests/fuzz
bin=tests/fuzz/bin
flags=(-std=gnu11 -g -O2 -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
mkdir -p $bin
targets=()
while [ "$1" != -- ]; do
  targets+=("$1")
  shift
done
shift
flags+=("$@")

echo 'int LLVMFuzzerTestOneInput(const char *d, unsigned long s) { (void)d, (void)s; return 0; }' > $bin/try.c
if ! "$CLANG" -fsanitize=fuzzer,address,undefined $bin/try.c -o $bin/try 2> $bin/try.log; then
  echo "check-fuzz: FAILED, nothing was fuzzed: $CLANG has no libFuzzer." \
    "Install its run-time library (Debian package libclang-rt-*-dev)" >&2
  exit 1
fi

# compile SOURCE OBJECT FLAG...
compile()
{
  "$CLANG" "${flags[@]}" -fsanitize=address,undefined "${@:3}" -c "$top_srcdir/$1" -o "$2"
}

# The code under test. Where it opens files, they are in memory. libFuzzer's counters cost time, so
# they are only where they can lead to new inputs.
objects=()
for source in $FUZZ_SOURCES; do
  case $source in
  src/gpus/*.c) extra="-fsanitize=fuzzer-no-link $FUZZ_GPUS_FLAGS" ;;
  src/predict/trace/*.c) extra="-fsanitize=fuzzer-no-link $FUZZ_TRACE_FLAGS" ;;
  src/util/hash.c) extra= ;;
  *.c) extra=-fsanitize=fuzzer-no-link ;;
  *) continue ;;
  esac
  object=$bin/$(tr / - <<< "${source%.c}").o
  # shellcheck disable=SC2086
  compile "$source" "$object" $extra
  objects+=("$object")
done
# The files in memory are not under test.
"$CLANG" "${flags[@]}" -c "$here/tree.c" -o $bin/tree.o
objects+=($bin/tree.o)

# With the usual 256 MB of freed memory, each allocation touches other pages.
export ASAN_OPTIONS=quarantine_size_mb=4${ASAN_OPTIONS:+:$ASAN_OPTIONS}
total=0
for name in "${targets[@]}"; do
  compile "tests/fuzz/fuzz_$name.c" "$bin/fuzz_$name.o"
  # shellcheck disable=SC2086
  "$CLANG" -fsanitize=fuzzer,address,undefined "$bin/fuzz_$name.o" "${objects[@]}" $FUZZ_LIBS -o "$bin/$name"
  found=tests/fuzz/found/$name
  mkdir -p "$found"
  options=(-print_final_stats=1 -artifact_prefix="$bin/$name-" -max_len=8192 -timeout=20 -rss_limit_mb=2048)
  [ ! -e "$here/$name.dict" ] || options+=(-dict="$here/$name.dict")
  if [ -n "$FUZZ_RUNS" ]; then options+=(-runs="$FUZZ_RUNS"); else options+=(-max_total_time="$FUZZ_SECONDS"); fi
  if ! "$bin/$name" "${options[@]}" "$found" "$here/corpus-$name" > "$bin/$name.log" 2>&1; then
    tail -n 60 "$bin/$name.log"
    echo "check-fuzz: $name failed; the input is in $bin/$name-*, all output in $bin/$name.log"
    exit 1
  fi
  awk -v name="$name" '
    /cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") cov = $(i + 1) }
    /number_of_executed_units/ { runs = $2 }
    /average_exec_per_sec/ { speed = $2 }
    END { printf "%-8s %11d executions, %d a second, %d points of code reached\n", name, runs, speed, cov }
  ' "$bin/$name.log"
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$bin/$name.log")
  total=$((total + runs))
done
echo "check-fuzz: $total executions, no failure"
