# SPDX-License-Identifier: BSD-3-Clause
# Loaded by the .bats files about predict, after setup.bash.

real=$top_srcdir/doc/results/h200/record.xml
trace=$BATS_TEST_TMPDIR/trace

# stream PASSES LINES: one warp that loads this many lines of 128 bytes one after another, and all of it
# PASSES times, in the format of Nugteren et al.
stream() {
  awk -v passes="$1" -v lines="$2" 'BEGIN {
    print "blockdim: 32 1 1"
    for (pass = 0; pass < passes; pass++)
      for (line = 0; line < lines; line++)
        for (thread = 0; thread < 32; thread++)
          print thread, 0, 1048576 + 128 * line + 4 * thread, 4
  }'
}

# predict ARGUMENT...: its JSON in $output.
predict() {
  run_split "$tool" predict --json --record "$real" "$@"
  is '' "$errors"
  is 0 "$status"
}

value() { jq -r "$@" <<<"$output"; }

# refused STATUS TEXT ARGUMENT...
refused() {
  local expected=$1 text=$2
  shift 2
  run_split "$tool" predict "$@"
  is "$expected" "$status"
  is '' "$output"
  has "$errors" "$text"
}

# The record of another GPU, with an L1 of 20 KiB and little shared memory, as the file $1.
small_l1() {
  sed 's/name="CarveoutTable" value="[^"]*"/name="CarveoutTable" value="0:20480,100:16384"/
       s/name="CapacityBytes" value="233472"/name="CapacityBytes" value="16384"/
       s/"NVIDIA H200"/"Small L1"/' "$real" >"$1"
}

# blocks SHARED: 264 blocks of one warp that loads 8 lines twice, with this shared memory a block.
blocks() {
  awk -v shared="$1" 'BEGIN {
    print "hwloc-gpucache-trace 1\nkernel\tk\nblocks\t264\nthreads\t32\nwarp\t32\nshared\t" shared
    for (block = 0; block < 264; block++)
      for (load = 0; load < 16; load++)
        printf "%d\t0\t%x\tload\t-\t4\tffffffff\t%x+4\n", block, 16 * load,
          1048576 + 1024 * block + 128 * (load % 8)
    print "end"
  }'
}

# Three kernels, of which the second one loads 2 lines and the third one 3.
three() {
  echo 'hwloc-gpucache-trace 1'
  for lines in 1 2 3; do
    printf 'kernel\tof_%d_lines\nblocks\t1\nthreads\t32\nwarp\t32\n' "$lines"
    for ((line = 0; line < lines; line++)); do
      printf '0\t0\t%x\tload\t-\t4\t1\t%x\n' "$line" $((1048576 + 128 * line))
    done
  done
  echo end
}
