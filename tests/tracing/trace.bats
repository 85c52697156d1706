#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# hwloc-gpucache trace, and predict -- PROGRAM.
load ../tool/setup.bash

setup() {
  prepare
  use_record gtx470 t1000
  program=$top_builddir/tests/tracing/program
  export CUDA_HOME=$BATS_TEST_TMPDIR/cuda TMPDIR=$BATS_TEST_TMPDIR/tmp
  export HWLOC_GPUCACHE_TRACE_LIBRARY=$top_builddir/src/trace/.libs/hwloc-gpucache-trace.so
  mkdir -p "$CUDA_HOME/compute-sanitizer" "$CUDA_HOME/bin" "$TMPDIR"
  ln -s "$(realpath "$top_builddir/tests/tracing/.libs/libcuda.so.1")" "$CUDA_HOME/compute-sanitizer/libsanitizer-public.so"
  printf '#!/bin/sh\ncat "%s"\n' "$(realpath "$BATS_TEST_DIRNAME/copy.sass")" >"$CUDA_HOME/bin/nvdisasm"
  # compiles nothing: the stand-in loads any file
  printf '#!/bin/sh\necho "$@" >"%s/arguments"\ncp "$5" "$4"\n' "$BATS_TEST_TMPDIR" >"$CUDA_HOME/bin/ptxas"
  chmod +x "$CUDA_HOME/bin/nvdisasm" "$CUDA_HOME/bin/ptxas"
  cd "$BATS_TEST_TMPDIR"
}

# Nothing is left in the place for temporary files.
teardown() { [ -z "$(ls "$TMPDIR")" ]; }

# text FILE: the lines of a trace without its binary parts.
text() {
  (zstd -dcq "$1" 2>/dev/null || cat "$1") |
    python3 -c '
import sys
data, at = sys.stdin.buffer.read(), 0
while at < len(data):
    end = data.index(b"\n", at)
    line, at = data[at:end].decode(), end + 1
    print(line)
    if line.startswith("accesses "):
        at += int(line.split()[1])'
}

@test "a trace has launches in their order, blocks and warps sorted, and machine code" {
  run_split "$tool" trace --output copy.trace -- "$program" copy forms
  echo "$output$errors"
  [ "$status" -eq 0 ]
  [ "$output" = computed ]
  [[ $errors == *"copy.trace: 2 kernels (0 without some blocks)"* ]]
  [[ $errors == *"1 kernel is without machine code, "*": nvdisasm does not show the kernel"* ]] # forms
  text copy.trace >text
  cat text
  diff - text <<'EOF'
hwloc-gpucache-trace 2
kernel copy
launch 1
blocks 8
launched-blocks 8
threads 64
warp 32
shared 2048
grid 8 1 1
block 64 1 1
stream 1
code 00f0 IMAD.WIDE.U32 R2, R3, R4, UR6
code 0100 @!P0 BRA `(.L_x_0)
code 0110 LDG.E.128.CONSTANT R4, desc[UR4][R2.64]
code .L_x_0:
code 0120 IADD3 R8, R9, 0x1, RZ
code 0130 FADD R4, R4, R5
code 0140 STG.E.128 desc[UR4][R10.64], R4
code 0150 EXIT
accesses 768
kernel forms
launch 2
blocks 1
launched-blocks 1
threads 64
warp 32
shared 0
grid 1 1 1
block 64 1 1
stream 1
accesses 112
end
EOF
  "$tool" predict --sim t1000 --seeds 0 --json copy.trace >predicted 2>errors || { cat errors; false; }
  # 16 warps, each 512 bytes
  [ "$(jq '.kernels[0].l1_loads.sectors' predicted)" = 256 ]
  [ "$(jq '.kernels[0].l1_stores' predicted)" = 256 ]
  [ "$(jq -r '.kernels[0].launch.loads_wait_by' predicted)" = registers ]
  # 32 lines of 128 bytes by the stride, 2 sectors by two threads, 2 rows of 64 bytes
  [ "$(jq '.kernels[1].l1_loads.sectors' predicted)" = 38 ]
}

@test "the registers of a kernel are those that ptxas printed" {
  local cubin=$(ls "$top_builddir"/kernels/cuda.sm_*.cubin 2>/dev/null | tail -1) count
  [ -n "$cubin" ] || skip "built without ptxas"
  for kernel in gpu_fill gpu_clock; do
    count=$(sed -n "/Compiling entry function '$kernel'/,/Used/s/.*Used \\([0-9]*\\) registers.*/\\1/p" "${cubin%.cubin}.ptxas")
    FAKE_MODULE=$cubin FAKE_KERNEL=$kernel run_split "$tool" trace -- "$program" copy
    echo "$kernel: $count"
    text program.trace | grep -x "registers $count"
  done
}

@test "the carve-out that the program prefers" {
  FAKE_CARVEOUT=50 run_split "$tool" trace -- "$program" copy
  [ "$status" -eq 0 ]
  text program.trace | grep -x 'carve-out 50'
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq '.kernels[0].launch.preferred_carveout' predicted)" = 50 ]
  # without one, or with a driver that does not say, the launch is recorded nevertheless
  for variable in FAKE_CARVEOUT=-1 FAKE_SANITIZER_FAIL=cuFuncGetAttribute; do
    run_split env $variable "$tool" trace -- "$program" copy
    [ "$status" -eq 0 ]
    [ "$(text program.trace | grep -c carve-out)" -eq 0 ]
  done
}

@test "the shape and the stream of a launch" {
  run_split "$tool" trace -- "$program" copy cluster cooperative graph cluster
  [ "$status" -eq 0 ]
  text program.trace | awk '/^kernel/ { if (k) print k; k = "" } /^(kernel|grid|block|cluster|stream) /{ k = k $0 " " } END { print k }' |
    diff - <(echo 'kernel copy grid 8 1 1 block 64 1 1 stream 1 
kernel cluster grid 4 1 2 block 16 4 1 cluster 2 1 1 stream 2 
kernel cooperative grid 4 1 2 block 16 4 1 stream 3 
kernel first grid 8 1 1 block 64 1 1 stream 4 
kernel second grid 4 1 1 block 64 1 1 stream 4 
kernel cluster grid 4 1 2 block 16 4 1 cluster 2 1 1 stream 2 ')
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c '.kernels[1,2].launch | [.grid, .block, .cluster, .stream]' predicted)" = "[[4,1,2],[16,4,1],[2,1,1],2]
[[4,1,2],[16,4,1],null,3]" ]
  "$tool" predict --sim t1000 --seeds 0 --json "$top_srcdir/tests/data/traces/kernel-1.traceg" >others
  [ "$(jq -c '.kernels[0].launch | [.grid, .block, .cluster, .stream]' others)" = '[[2,1,1],[48,1,1],null,null]' ]
  # both were recorded as any other launch
  [ "$(jq -c '[.kernels[].l1_loads.sectors]' predicted)" = '[256,256,256,256,128,256]' ]
}

@test "source lines of loads" {
  # as nvdisasm -g prints them: innermost first, and PTX as a file
  awk '/IMAD.WIDE/ { print "\t//## File \"/home/me/a dir/copy.cu\", line 7" }
       /LDG/ { print "\t//## File \"/home/me/get.cuh\", line 3 inlined at \"/home/me/a dir/copy.cu\", line 9"
               print "\t//## File \"/home/me/a dir/copy.cu\", line 9"
               print "\t//## File \".nv_debug_ptx_txt\", line 77" }
       /IADD3/ { print "\t//## File \".nv_debug_ptx_txt\", line 80"; print "\t//## File \"broken\", line x" }
       { print }' "$BATS_TEST_DIRNAME/copy.sass" >sass
  printf '#!/bin/sh\n[ "$1 $2" = "-c -g" ] && cat "%s"\n' "$PWD/sass" >"$CUDA_HOME/bin/nvdisasm"
  run_split "$tool" trace -- "$program" copy
  [ "$status" -eq 0 ]
  text program.trace | grep source | diff - <(echo 'source 7 /home/me/a dir/copy.cu
source 3 /home/me/get.cuh')
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c '.kernels[0].loads[] | [.pc, .source]' predicted)" = '[272,{"file":"/home/me/get.cuh","line":3}]' ]
  run_split "$tool" predict --sim t1000 --seeds 0 program.trace
  grep -A1 '^  LOAD AT.* SOURCE$' <<<"$output" | grep -x '  0x0110 .* get.cuh:3'
  # an nvdisasm that cannot read them
  printf '#!/bin/sh\n[ "$2" != -g ] && cat "%s"\n' "$PWD/sass" >"$CUDA_HOME/bin/nvdisasm"
  run_split "$tool" trace -- "$program" copy
  [ "$(text program.trace | grep -c '^code')" -eq 8 ]
  # without lines there is no column
  run_split "$tool" trace --kernel forms -- "$program" forms
  run_split "$tool" predict --sim t1000 --seeds 0 program.trace
  ! grep SOURCE <<<"$output"
}

@test "loads in functions that the kernel calls" {
  run_split "$tool" trace -- "$program" call
  [ "$status" -eq 0 ]
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c '[.kernels[0].loads[].pc]' predicted)" = '[272,null]' ]
  run_split "$tool" predict --sim t1000 --seeds 0 program.trace
  [[ $output == *"  0x0110 "*"  other functions "* ]]
  "$tool" predict --sim t1000 --seeds 0 --html page.html program.trace
  grep -q '>other functions<' page.html
}

@test "a sample has parts of the grid" {
  run_split "$tool" trace --blocks 16 -- "$program" copy_large
  [ "$status" -eq 0 ]
  [[ $errors == *"program.trace: 1 kernel (1 without some blocks)"* ]]
  text program.trace | grep -x 'blocks 16'
  text program.trace | grep -x 'launched-blocks 4096'
  # 4 SMs, 32 blocks of 64 threads on each, 4 times
  run_split "$tool" trace -- "$program" copy_large
  text program.trace | grep -x 'blocks 512'
  run_split "$tool" trace --blocks all -- "$program" copy_large
  text program.trace | grep -x 'blocks 4096'
}

@test "options after the program are its own, also without --" {
  run_split "$tool" trace --output out "$program" copy --limit 1K
  [ "$status" -eq 0 ]
  [ -s out ]
}

@test "--kernel and --launches choose" {
  run_split "$tool" trace --kernel '^copy$' -- "$program" copy copy_large copy
  [ "$(text program.trace | grep -c '^kernel copy$')" -eq 2 ]
  [ "$(text program.trace | grep -c copy_large)" -eq 0 ]
  run_split "$tool" trace --launches 2-3 -- "$program" copy copy_large copy copy
  [ "$(text program.trace | grep -c '^kernel')" -eq 2 ]
}

# Launches for which those of program.trace stand.
stands() {
  text program.trace | awk '/^kernel /{n++} /^launches /{n += $2 - 1} END {print n}'
}

# kinds: each launch in program.trace, with the number for which it stands.
kinds() {
  text program.trace | awk '/^kernel /{k = $2} /^launch /{l = $2; n = 1} /^launches /{n = $2}
    /^blocks /{printf "%s %d:%d ", k, l, n}'
}

@test "a sample of the launches" {
  run_split "$tool" trace --verbose -- "$program" forms copy copy copy copy copy copy copy copy copy forms forms
  echo "$errors"
  [ "$status" -eq 0 ]
  # the 1st, 2nd, 4th and 8th of copy, and those before the 4th and the 8th; the 1st and 2nd of forms
  [ "$(kinds)" = "forms 1:1 copy 2:1 copy 3:1 copy 4:1 copy 5:3 copy 8:1 copy 9:2 forms 11:2 " ]
  [[ $errors == *"program.trace: 8 kernels of 12 launches (0 without some blocks)"* ]]
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c '[.kernels[].launch.launches]' predicted)" = '[1,1,1,1,3,1,2,2]' ]
  [ "$(jq -c '[.kernels[].l1_loads.sectors]' predicted)" = '[38,256,256,256,256,256,256,38]' ]
  # sums count them: 9 * 256, 3 * 38
  run_split "$tool" predict --sim t1000 --seeds 0 program.trace
  grep -E '^copy +9 +2304 ' <<<"$output"
  grep -E '^forms +3 +114 ' <<<"$output"
  [[ $output == *"Recorded: 8 of 12 launches."* ]]
  [[ $output == *"stands for 3 launches with the same grid"* ]]
  "$tool" predict --sim t1000 --seeds 0 --html page.html program.trace
  grep -q "Recorded: 8 of 12 launches" page.html
  # a kernel before one that is due, but can never be recorded
  run_split "$tool" trace -- "$program" graph change $(for i in 1 2 3 4 5 6; do echo copy graph; done)
  [ "$(kinds)" = "first 1:7 second 2:7 copy 3:1 copy 6:2 copy 12:3 " ]
  # a kernel that was followed by another one than last time
  run_split "$tool" trace -- "$program" copy forms copy copy copy forms
  [ "$(kinds)" = "copy 1:1 forms 2:1 copy 3:2 copy 5:1 forms 6:1 " ]
  # other grids are other kinds
  FAKE_KERNEL=same run_split "$tool" trace -- "$program" copy copy copy_large copy_large copy copy
  [ "$(kinds)" = "same 1:1 same 2:2 same 3:1 same 4:1 same 6:1 " ]
  # the 5th copy is before the 4th forms
  run_split "$tool" trace -- "$program" copy forms copy forms copy copy forms copy forms
  [ "$(kinds)" = "copy 1:1 forms 2:1 copy 3:2 forms 4:2 copy 6:1 copy 8:1 forms 9:1 " ]
  # a program that is killed
  run_split "$tool" trace -- "$program" copy copy copy copy copy kill
  [ "$(kinds)" = "copy 1:1 copy 2:1 copy 3:1 copy 4:2 " ]
  # all of them
  run_split "$tool" trace --launches all -- "$program" copy copy copy
  [ "$(kinds)" = "copy 1:1 copy 2:1 copy 3:1 " ]
  run_split "$tool" trace --launches 3- -- "$program" copy copy copy copy
  [ "$(kinds)" = "copy 3:1 copy 4:1 " ]
  run_split "$tool" trace --kernel forms -- "$program" copy forms forms forms copy
  [ "$(kinds)" = "forms 2:1 forms 3:1 forms 4:1 " ]
  run_split "$tool" predict --sim t1000 --seeds 0 --json -- "$program" copy copy copy
  [ "$(jq -c '[.kernels[].launch.launches]' <<<"$output")" = '[1,1,1]' ]
}

@test "functions are put in only where the driver allows it" {
  # the stand-in notices
  run_split "$tool" trace -- "$program" meddle
  [ "$status" -eq 134 ]
  [[ $errors == *"functions are changed between the begin and the end of a launch"* ]]
  # not while a stream is captured: the launch after it stands for all
  run_split "$tool" trace -- "$program" capture copy copy captured copy copy
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(kinds)" = "copy 3:4 " ]
  run_split "$tool" trace -- "$program" forms capture copy copy captured
  [[ $errors == *"2 launches were not recorded: a stream was being captured"* ]]
  [ "$(kinds)" = "forms 1:1 " ]
  # a capture that ends with its stream or its context
  for end in destroy reset; do
    run_split "$tool" trace -- "$program" copy capture forms $end forms
    echo "$end: $errors"
    [ "$status" -eq 0 ]
    [ "$(kinds)" = "copy 1:1 forms 3:2 " ]
  done
  run_split "$tool" trace -- "$program" copy capture destroy_fails forms captured
  [[ $errors == *"1 launch was not recorded: a stream was being captured"* ]]
  # functions that cannot be taken out stay
  run_split env FAKE_SANITIZER_FAIL=sanitizerUnpatchModule "$tool" trace -- "$program" copy copy copy
  [ "$(kinds)" = "copy 1:1 copy 2:1 copy 3:1 " ]
}

@test "a context is destroyed, and another one made with the same handle" {
  for launches in "" "--launches all"; do
    # shellcheck disable=SC2086 # words
    run_split "$tool" trace $launches -- "$program" copy reset copy reset forms
    echo "$errors"
    [ "$status" -eq 0 ]
    [ "$(text program.trace | grep '^kernel' | xargs)" = "kernel copy kernel copy kernel forms" ]
  done
}

@test "a sample of launches of graphs" {
  run_split "$tool" trace -- "$program" graph graph graph copy graph graph
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(kinds)" = "first 1:1 second 2:1 first 3:2 second 4:2 copy 7:1 first 8:2 second 9:2 " ]
  # one that was changed
  run_split "$tool" trace -- "$program" graph change graph graph
  [ "$(kinds)" = "first 1:3 second 2:3 " ]
  run_split "$tool" trace -- "$program" capture graph captured copy
  echo "$errors"
  [[ $errors == *"2 launches were not recorded: a graph was changed after it was instantiated, or was instantiated while nothing could be recorded"* ]]
  [ "$(kinds)" = "copy 3:1 " ]
}

@test "recording rests if it costs too much" {
  run_split env FAKE_SLOW=11000 "$tool" trace -- "$program" copy forms copy
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(kinds)" = "copy 1:2 " ]
  [ "$(grep -c "recording has waited for kernels to end for 10 s. If one of them waits for the CPU," <<<"$errors")" -eq 1 ]
  [[ $errors == *"1 launch was not recorded: recording paused, because it had cost more than 5 s plus a third of the program's time"* ]]
}

@test "--limit ends the trace" {
  run_split "$tool" trace --launches all --blocks all --limit 1K -- "$program" copy copy copy copy
  [ "$status" -eq 0 ]
  [ "$(text program.trace | grep -c '^kernel')" -eq 2 ] # less than 1 KiB each
  [[ $errors == *"2 launches were not recorded: the trace of this process has reached --limit"* ]]
  text program.trace | tail -2 | diff - <(echo "left-out 2 the trace of this process has reached --limit
end")
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c .not_recorded predicted)" = '{"launches":2,"more":false,"why":"the trace of this process has reached --limit"}' ]
  run_split "$tool" predict --sim t1000 --seeds 0 program.trace
  [ "$status" -eq 0 ]
  [[ $output == *"Not in the traces: 2 launches: the trace of this process has reached --limit"* ]]
  "$tool" predict --sim t1000 --seeds 0 --html page.html program.trace
  grep -q "Not in the traces: 2 launches: " page.html
  # of the sample, the 3rd and the 4th launch are left out; the 5th is represented
  run_split "$tool" trace --blocks all --limit 1K -- "$program" copy copy copy copy copy
  [[ $errors == *"2 launches were not recorded: the trace of this process has reached --limit"* ]]
  [[ $errors == *"2 kernels of 5 launches"* ]]
  run_split "$tool" trace --launches all --blocks all --limit 1K -- "$program" copy copy graph copy
  [[ $errors == *"3 launches were not recorded: the trace of this process has reached --limit"* ]]
}

@test "a trace that is cut has nearly all kernels before the cut" {
  # shellcheck disable=SC2046 # words
  run_split "$tool" trace --launches all -- "$program" $(printf 'copy %.0s' {1..600})
  [ "$status" -eq 0 ]
  # 64 KiB are compressed together; each kernel has more than 1 KiB
  head -c -60 program.trace >cut.trace
  run_split "$tool" predict --sim t1000 --seeds 0 --sms 1 --json cut.trace
  echo "$errors"
  [ "$status" -eq 1 ]
  [[ $errors == *"kernel "*" is left out: cut.trace:"*truncated* ]]
  [ "$(jq '.kernels | length' <<<"$output")" -ge 536 ]
  [ "$(jq '.left_out | length' <<<"$output")" = 1 ]
}

@test "what cannot be traced is left out, with the reason" {
  run_split "$tool" trace -- "$program" many copy strange
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$output" = computed ]
  [[ $errors == *"2 launches were not recorded: the records of an SM do not fit into its share of"* ]]
  [ "$(text program.trace | grep '^kernel')" = "kernel copy" ]
}

# The kernels of a graph share the memory for records; the second one writes first.
@test "kernels of graphs" {
  run_split "$tool" trace -- "$program" copy graph upload graph
  echo "$errors"
  [ "$status" -eq 0 ]
  [[ $errors == *"program.trace: 5 kernels (0 without some blocks)"* ]]
  [ "$(text program.trace | grep -E '^(kernel|blocks|accesses)' | tr '\n' ' ')" = \
    "kernel copy blocks 8 accesses 768 $(for i in 1 2; do echo -n 'kernel first blocks 8 accesses 768 kernel second blocks 4 accesses 384 '; done)" ]
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c '[.kernels[].l1_loads.sectors]' predicted)" = '[256,256,128,256,128]' ]

  # how long one of them ran is not known
  run_split "$tool" trace --verbose --kernel '^(second|copy)$' -- "$program" graph copy
  echo "$errors"
  [ "$(text program.trace | grep '^kernel' | xargs)" = 'kernel second kernel copy' ]
  [ "$(grep -c ' ms$' <<<"$errors")" -eq 1 ]
  run_split env FAKE_SANITIZER_FAIL=sanitizerStreamSynchronize "$tool" trace -- "$program" graph
  echo "$errors"
  [[ $errors == *"2 launches were not recorded: sanitizerStreamSynchronize failed with error 1"* ]]
  # only the second kernel cannot be recorded
  for call in sanitizerSetLaunchCallbackData:2 sanitizerMemcpyHostToDeviceAsync:4; do
    run_split env FAKE_SANITIZER_FAIL=$call "$tool" trace -- "$program" graph
    echo "$call: $errors"
    [[ $errors == *"1 launch was not recorded: ${call%:*} failed with error 1"* ]]
    [ "$(text program.trace | grep '^kernel')" = 'kernel first' ]
  done
  # a launch that fails does not keep others from being recorded
  local launches
  for launches in "" "--launches all"; do
    # shellcheck disable=SC2086 # words
    run_split env FAKE_FAIL=graph "$tool" trace $launches -- "$program" graph copy forms
    echo "$errors"
    [[ $errors == *"2 launches were not recorded: the driver did not say that the launch of a graph ended"* ]]
    [ "$(text program.trace | grep '^kernel' | xargs)" = "kernel copy kernel forms" ]
    # shellcheck disable=SC2086 # words
    run_split env FAKE_FAIL=kernel "$tool" trace $launches -- "$program" copy forms copy
    echo "$errors"
    [[ $errors == *"1 launch was not recorded: the driver did not say that the launch of a kernel ended"* ]]
    [ "$(text program.trace | grep -E '^(kernel|launch) ' | xargs)" = "kernel forms launch 2 kernel copy launch 3" ]
    # shellcheck disable=SC2086 # words
    run_split env FAKE_FAIL=upload "$tool" trace $launches -- "$program" upload copy
    [ "$(text program.trace | grep '^kernel' | xargs)" = "kernel copy" ]
  done
  run_split env FAKE_FAIL=graph "$tool" trace --launches all -- "$program" graph graph threads
  echo "$errors"
  [ "$(text program.trace | grep -c '^kernel')" -eq 18 ]
  # a driver that does not announce launches of graphs
  run_split env FAKE_OLD_DRIVER=1 "$tool" trace -- "$program" copy graph
  echo "$errors"
  [[ $errors == *"2 kernels of CUDA graphs were not recorded"* ]]
  text program.trace | grep -x "left-out 2 the driver does not announce launches of CUDA graphs"
  [ "$(text program.trace | grep '^kernel')" = "kernel copy" ]
}

@test "memsets and copies of the driver" {
  run_split "$tool" trace --launches all -- "$program" memset copy copies copy copy
  [ "$status" -eq 0 ]
  text program.trace | grep -E '^(kernel|driver)' | diff - <(echo "kernel copy
driver-store 7f1000000000 4096
kernel copy
driver-load 7f1000001000 512
driver-store 7f2000000000 512
kernel copy")
  # several rows, with what is between them
  run_split "$tool" trace --output rows.trace -- "$program" rows copy
  text rows.trace | grep ^driver | diff - <(echo "driver-store 7f1000000000 612
driver-load 7f1000000000 356
driver-store 7f2000000000 1124
driver-load 7f1000000000 740
driver-store 7f2000000000 600")
  # what was set is in L2, and the rest of the 8 KiB is not
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq '.kernels[0].l2_hit_rate.value' predicted)" = 0.5 ]
  # the last ones stay
  # shellcheck disable=SC2046 # words
  run_split "$tool" trace -- "$program" $(printf 'memset %.0s' {1..20}) copies copy
  [ "$(text program.trace | grep -c '^driver')" -eq 16 ]
  text program.trace | grep '^driver' | tail -1 | grep -x 'driver-store 7f2000000000 512'
}

@test "functions of the API that fail" {
  for name in sanitizerSubscribe sanitizerEnableDomain sanitizerPatchInstructions sanitizerPatchModule \
    sanitizerGetFunctionPcAndSize sanitizerSetLaunchCallbackData sanitizerAlloc \
    sanitizerMemcpyHostToDeviceAsync sanitizerMemcpyDeviceToHost sanitizerStreamSynchronize; do
    run_split env FAKE_SANITIZER_FAIL=$name "$tool" trace -- "$program" copy
    echo "$name: $errors"
    [ "$status" -eq 1 ]
    [ "$output" = computed ]
    case $name in
    sanitizerSubscribe | sanitizerEnableDomain)
      [[ $errors == *"1 process could not be recorded: $name failed with error 1"* ]] ;;
    *) [[ $errors == *"1 launch was not recorded: $name failed with error 1"* ]] ;;
    esac
    [[ $errors == *"no kernel was recorded"* ]]
    [ ! -e program.trace ]
  done
}

@test "a launch whose description cannot be copied does not write records" {
  run_split env FAKE_SANITIZER_FAIL=sanitizerMemcpyHostToDeviceAsync:2 "$tool" trace -- "$program" copy copy
  echo "$errors"
  [ "$output" = computed ]
  [[ $errors == *"1 launch was not recorded: sanitizerMemcpyHostToDeviceAsync failed with error 1"* ]]
  text program.trace | grep -x 'launch 2'
}

@test "a GPU for which this build has no code" {
  run_split env FAKE_SANITIZER_FAIL=sanitizerAddPatches "$tool" trace -- "$program" copy
  echo "$errors"
  [ "$status" -eq 0 ]
  grep -e '^--compile-as-tools-patch -arch=sm_90 -o ' arguments
  [ "$(text program.trace | grep -c '^kernel')" -eq 1 ]
  printf '#!/bin/sh\nexit 1\n' >"$CUDA_HOME/bin/ptxas"
  run_split env FAKE_SANITIZER_FAIL=sanitizerAddPatches "$tool" trace -- "$program" copy
  [ "$status" -eq 1 ]
  [[ $errors == *"1 launch was not recorded: $(realpath "$CUDA_HOME")/bin/ptxas cannot compile for compute capability 9.0"* ]]
}

@test "without ptxas" {
  rm "$CUDA_HOME/bin/ptxas"
  ! PATH=/usr/bin:/bin command -v ptxas && [ ! -e /usr/local/cuda/bin/ptxas ] && [ ! -e /opt/cuda/bin/ptxas ] ||
    skip "there is a ptxas"
  run_split env FAKE_SANITIZER_FAIL=sanitizerAddPatches PATH=/usr/bin:/bin "$tool" trace -- "$program" copy
  [[ $errors == *"no code for GPUs of compute capability 9.0 could be loaded, and there is no ptxas"* ]]
}

@test "the program's end is passed on, and complete launches are kept" {
  run_split "$tool" trace -- "$program" copy exit 3
  [ "$status" -eq 3 ]
  [ "$(text program.trace | grep -c '^kernel')" -eq 1 ]
  run_split "$tool" trace -- "$program" copy kill
  [ "$status" -eq 137 ]
  [[ $errors == *"1 process ended early"* ]]
  text program.trace | grep -x 'left-out ? 1 process ended early'
  run_split "$tool" predict --sim t1000 --seeds 0 program.trace
  [[ $output == *"Not in the traces: an unknown number of launches: 1 process ended early"* ]]
  [ "$(text program.trace | grep -c '^kernel')" -eq 1 ]
  run_split "$tool" trace -- "$program" copy copy stop copy
  [ "$status" -eq 9 ]
  [ "$(text program.trace | grep -c '^kernel')" -eq 2 ]
}

@test "temporary directories with other names, relative ones, and programs that go elsewhere" {
  local plain=$TMPDIR
  mkdir 'tmp [1] *'
  run_split env TMPDIR='tmp [1] *' "$tool" trace -- "$program" chdir copy
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(text program.trace | grep -c '^kernel copy')" -eq 1 ]
  [ -z "$(ls 'tmp [1] *')" ]
}

@test "a child that does not start another program, and a program in place of another" {
  run_split "$tool" trace -- "$program" copy child copy kill
  [[ $errors == *"1 process ended early"* ]]
  [ "$(text program.trace | grep -c '^kernel copy')" -eq 2 ]
  run_split "$tool" trace -- "$program" forms exec
  echo "$errors"
  [ "$(text program.trace | grep '^kernel' | xargs)" = "kernel forms kernel copy" ]
}

@test "memory of the GPU that the program has overwritten" {
  run_split "$tool" trace -- "$program" spoil copy
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$output" = computed ]
  [ "$(text program.trace | grep -c '^kernel copy')" -eq 1 ]
}

@test "SIGCHLD that is ignored" {
  run_split python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' \
    "$tool" trace -- "$program" copy exit 3
  [ "$status" -eq 3 ]
}

@test "signals" {
  bash -c 'trap "" HUP; exec "$@"' bash "$tool" trace -- "$program" copy wait 2>errors &
  local pid=$! child=
  for _ in {1..100}; do
    child=$(pgrep -P $pid program) && break
    sleep 0.1
  done
  for _ in {1..600}; do ! grep -q waiting errors || break; sleep 0.1; done
  # ignored by both
  kill -HUP $pid
  kill -TERM $pid
  status=0
  wait $pid || status=$?
  [ "$status" -eq 143 ]
  text program.trace | grep -x 'kernel copy'
}

@test "a full disk" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  mkdir small
  mount -t tmpfs -o size=256k tmpfs small || skip "cannot mount"
  run_split env TMPDIR=small "$tool" trace --output out --blocks all -- "$program" copy copy_large copy
  umount small
  echo "$errors"
  [ "$output" = computed ]
  [[ $errors == *"No space left on device"* ]]
  [ "$(text out | grep -c '^kernel copy$')" -eq 1 ]
  # machine code that does not fit does not keep launches from being recorded
  truncate -s 3M module
  mount -t tmpfs -o size=1m tmpfs small
  run_split env TMPDIR=small FAKE_MODULE=module "$tool" trace --output out -- "$program" copy copy copy
  umount small
  echo "$errors"
  [ "$status" -eq 0 ]
  [[ $errors == *"3 kernels are without machine code"*": it was not saved: No space left on device"* ]]
  [ "$(text out | grep -c '^kernel copy$')" -eq 3 ]
  # the reason needs no space: the settings and the part have one page each, the module the others
  truncate -s $((254 * 4096)) module
  mount -t tmpfs -o size=1m tmpfs small
  run_split env TMPDIR=small FAKE_MODULE=module "$tool" trace --output out -- "$program" copy copy
  umount small
  echo "$errors"
  [[ $errors == *"2 launches were not recorded: "*": No space left on device"*"no kernel was recorded"* ]]
  # from the begin on: the program does not run
  mount -t tmpfs -o size=256k tmpfs small
  head -c 300k /dev/zero >small/fill 2>/dev/null || true
  run_split env TMPDIR=small "$tool" trace --output out -- "$program" copy
  umount small
  [ "$status" -eq 1 ]
  [ -z "$output" ]
  [[ $errors == "hwloc-gpucache: cannot write "*"/settings: No space left on device" ]]
}

@test "a full disk of the output" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  mkdir small
  mount -t tmpfs -o size=4k tmpfs small || skip "cannot mount"
  run_split "$tool" trace --blocks all --output small/out -- "$program" copy_large copy_large copy_large
  umount small
  echo "$errors"
  [ "$status" -eq 1 ]
  [[ $errors == *"No space left on device; to write it elsewhere: hwloc-gpucache trace --output FILE $TMPDIR/hwloc-gpucache-"* ]]
  run_split "$tool" trace --output out "$TMPDIR"/hwloc-gpucache-*
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(text out | grep -c '^kernel copy_large$')" -eq 3 ]
  # what is not ours stays
  mkdir other
  touch other/settings
  run_split "$tool" trace --output out ./other
  [ "$status" -eq 126 ]
  [ -e other/settings ]
}

@test "each reason why a kernel is without machine code" {
  run_split "$tool" trace -- "$program" copy forms
  [[ $errors == *"1 kernel is without machine code, so predict assumes that a warp waits for each load: nvdisasm does not show the kernel"* ]]
  truncate -s 65M module
  FAKE_MODULE=module run_split "$tool" trace -- "$program" copy copy
  [[ $errors == *"2 kernels are without machine code, "*": it was not saved: its CUDA module has more than 64 MiB"* ]]
  printf '#!/bin/sh\nexit 3\n' >"$CUDA_HOME/bin/nvdisasm"
  run_split "$tool" trace -- "$program" copy forms
  [[ $errors == *"2 kernels are without machine code, "*": nvdisasm ended with status 3"* ]]
  printf '#!/nowhere\n' >"$CUDA_HOME/bin/nvdisasm"
  run_split "$tool" trace -- "$program" copy
  [[ $errors == *"1 kernel is without machine code, "*": nvdisasm cannot be started: No such file or directory"* ]]
}

@test "a process that outlives the program" {
  # shellcheck disable=SC2016 # of the inner shell
  run_split "$tool" trace -- sh -c '"$1" copy wait copy >log 2>&1 & echo $! >number; until grep -q waiting log; do sleep 0.1; done' sh "$program"
  kill "$(cat number)"
  echo "$errors"
  [ "$status" -eq 0 ]
  [[ $errors == *"1 process still runs: the trace has the launches that were complete"* ]]
  [[ $errors != *early* ]]
  text sh.trace | grep -x 'left-out ? 1 process still ran when the program had ended'
  [ "$(text sh.trace | grep -c '^kernel copy')" -eq 1 ]
}

@test "a signal while the trace is put together leaves no file" {
  printf '#!/bin/sh\ntouch running\nexec sleep 10\n' >"$CUDA_HOME/bin/nvdisasm"
  for signal in TERM USR1; do
    "$tool" trace -- "$program" copy &
    local pid=$!
    for _ in {1..600}; do [ ! -e running ] || break; sleep 0.1; done
    rm running
    kill -$signal $pid
    status=0
    wait $pid || status=$?
    [ "$status" -gt 128 ]
    [ -z "$(ls "$TMPDIR")" ]
    [ -z "$(ls program.trace* 2>/dev/null)" ]
  done
}

@test "several threads" {
  run_split "$tool" trace --launches all -- "$program" threads
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(text program.trace | grep -c '^kernel copy$')" -eq 16 ]
  for _ in {1..10}; do
    run_split "$tool" trace -- "$program" threads graph threads
    [ "$status" -eq 0 ]
    [ "$(stands)" = 34 ]
  done
}

@test "a kernel that waits for the launch of another thread" {
  run_split timeout 60 "$tool" trace -- "$program" waits
  echo "$errors"
  [ "$status" -eq 0 ]
  [[ $errors == *"other threads were calling the driver for too long"* ]]
  [ "$(kinds)" = "waits 1:1 " ] # it took longer than recording may cost
}

@test "several processes are one trace" {
  run_split "$tool" trace -- "$program" fork copy
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(text program.trace | grep -c '^kernel copy')" -eq 2 ]
  "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
  [ "$(jq -c '[.kernels[].launch | [.process, .in_program]]' predicted)" = '[[1,1],[2,1]]' ]
}

@test "a statically linked program" {
  echo 'int main(void) { return 3; }' | ${CC:-cc} -static -x c - -o still 2>/dev/null || skip "cannot link statically"
  run_split "$tool" trace -- ./still
  [ "$status" -eq 3 ]
  [[ $errors == *"./still did not use CUDA (or has no dynamic loader): there is nothing to record"* ]]
  [ ! -e still.trace ]
}

@test "programs and toolkits that cannot be used" {
  run_split "$tool" trace -- ./missing
  [ "$status" -eq 127 ]
  [[ $errors == *"cannot run ./missing: No such file or directory"* ]]
  run_split "$tool" trace -- true
  [ "$status" -eq 1 ]
  [[ $errors == *"true did not use CUDA (or has no dynamic loader): there is nothing to record; this machine has no NVIDIA GPU" ]]
  "$top_srcdir/tests/plugin/fake-node.sh" "$BATS_TEST_TMPDIR/node"
  HWLOC_FSROOT=$BATS_TEST_TMPDIR/node run_split "$tool" trace -- true
  [ "$status" -eq 1 ]
  [[ $errors == *"there is nothing to record" ]]
  run_split "$tool" trace -- "$program"
  [ "$status" -eq 1 ]
  [[ $errors == *"no kernel was recorded: $program launched none" ]]
  run_split "$tool" trace --kernel other -- "$program" copy
  [ "$status" -eq 1 ]
  [[ $errors == *"no kernel was recorded: $program launched none that --kernel chooses" ]]
  run_split "$tool" trace --launches 3- -- "$program" copy
  [[ $errors == *"no kernel was recorded: $program launched none that --launches chooses" ]]
  run_split "$tool" trace --launches all -- "$program"
  [[ $errors == *"no kernel was recorded: $program launched none" ]]
  run_split "$tool" trace -- false
  [ "$status" -eq 1 ]
  run_split "$tool" trace --output nowhere/x -- "$program" copy
  [ "$status" -eq 1 ]
  [[ $errors == *"cannot write nowhere/x: No such file or directory"* ]]
  mkfifo fifo
  for place in fifo . /dev/null; do
    run_split "$tool" trace --output $place -- "$program" copy
    [ "$status" -eq 1 ]
    [ -z "$output" ]
    [[ $errors == *"cannot write $place: "* ]]
  done
  [[ $errors == *"not a regular file" ]]
  [ -p fifo ]
  [ -c /dev/null ]
  run_split env TMPDIR=/nowhere "$tool" trace -- "$program" copy
  [[ $errors == *"cannot make a temporary directory in /nowhere: No such file or directory"* ]]
  run_split env CUDA_INJECTION64_PATH=/other.so "$tool" trace -- "$program" copy
  [[ $errors == *"CUDA_INJECTION64_PATH is set, for another tool"* ]]
  run_split "$tool" trace --kernel $'a\nb' -- "$program" copy
  [[ $errors == *"--kernel needs less than 1023 characters, and no newline"* ]]
  local long
  long=$(printf 'copy|%01017d' 0)
  run_split "$tool" trace --kernel "$long" -- "$program" copy
  [ "$status" -eq 0 ]
  run_split "$tool" trace --kernel "${long}0" -- "$program" copy
  [[ $errors == *"--kernel needs less than 1023 characters"* ]]
  # a program of its own with such a status, and no trace in place of an earlier one
  run_split "$tool" trace --output kept -- "$program" copy
  run_split "$tool" trace --output kept -- true
  text kept | grep -x 'kernel copy'
  run_split "$tool" trace -- sh -c '"$1" copy; exit 127' sh "$program"
  [ "$status" -eq 127 ]
  text sh.trace | grep -x 'kernel copy'
  rm "$CUDA_HOME/bin/nvdisasm"
  run_split env PATH=/usr/bin:/bin "$tool" trace -- "$program" copy
  [[ $errors == *"1 kernel is without machine code, "*": nvdisasm of the CUDA Toolkit was not found"* ]]
  rm "$CUDA_HOME/compute-sanitizer/libsanitizer-public.so"
  run_split env PATH=/usr/bin:/bin "$tool" trace -- "$program" copy
  [ "$status" -eq 1 ]
  [[ $errors == *"libsanitizer-public.so of the CUDA Toolkit was not found: install compute-sanitizer"* ]]
}

# A stand-in for ncu: writes the counters in the file "rows" as ncu does, with a counter a row.
make_ncu() {
  cat >ncu <<'EOF'
#!/bin/sh
echo "$@" >ncu-arguments
while [ "$1" != --log-file ]; do shift; done
if [ -n "$NCU_SAYS" ]; then
  echo "$NCU_SAYS" >"$2"
  exit 1
fi
{ echo '==PROF== Connected to process 7'
  echo '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"'
  while read -r id name l1 l1_hit l2 l2_hit memory; do
    l=l1tex__t_sectors_pipe_lsu_mem_global_op_ld s=lts__t_sectors_srcunit_tex_op_read
    printf '"%s","7","%s","%s.sum","sector","%s"\n' $id $name $l $l1 $id $name ${l}_lookup_hit $l1_hit $id $name $s $l2 \
      $id $name ${s}_lookup_hit $l2_hit $id $name dram__sectors_read "$memory"
  done <rows; } >"$2"
EOF
  chmod +x ncu
}

@test "predict-check puts counted beside predicted" {
  check=$top_srcdir/contrib/predict-check
  export TOOL=$tool HWLOC_GPUCACHE_SIM=t1000 NCU=$PWD/ncu
  "$tool" measure --sim t1000 >/dev/null
  "$tool" export --sim t1000 --output record.xml
  make_ncu
  # copy: 256 sectors, no hits; forms: 38 sectors
  printf '%s\n' '0 copy 256 64 256 0 1,024' '1 forms 38 0 38 19 n/a' '2 copy 256 0 256 0 256' >rows
  run_split "$check" --record record.xml --output kept -- "$program" copy forms copy
  echo "$output$errors"
  [ "$status" -eq 0 ]
  [ "$(sed -n 3p <<<"$output")" = "| copy | 100 % | 25.0 | 0.0 | 0.0 | 0.0 | 256 | 256 | 256 | 256 | 1024 | 256 |" ]
  [[ $output == *"| forms | 100 % | 0.0 | "* ]]
  [[ $output == *"mean absolute error: L1 "*" points (3 launches), L2 "* ]]
  [[ $errors == *computed* ]]
  [ -e kept/program.trace ] && [ -e kept/counted.csv ] && [ -e kept/predicted.json ]
  # a choice of kernels, of launches, a sample, the counters of before
  run_split "$check" --record record.xml --kernel '^copy' --most 100 -- "$program" copy forms
  [ "$status" -eq 1 ] # the stand-in counted two launches of copy
  [[ $errors == *"copy: 1 launches were recorded and 2 counted, so they are not compared"* ]]
  grep -e '--kernel-name regex:^copy' ncu-arguments
  rm ncu
  run_split "$check" --record record.xml --launches 2-3 --counted kept/counted.csv --most 0 -- "$program" copy forms copy
  [ "$(grep -c '^| [cf]o' <<<"$output")" -eq 2 ]
  [[ $output == *"(2 launches)"* ]]
  run_split "$check" --record record.xml --counted kept/counted.csv --most 5 --most-l2 100 -- "$program" copy forms copy
  [ "$status" -eq 1 ]
  is "predict-check: L1: the mean error is larger than --most 5" "$(tail -n 1 <<<"$errors")"
  run_split "$check" --record record.xml --counted kept/counted.csv --most 100 --most-l2 20 -- "$program" copy forms copy
  [ "$status" -eq 1 ]
  is "predict-check: L2: the mean error is larger than --most-l2 20" "$(tail -n 1 <<<"$errors")"
  run_split "$check" --record record.xml --counted kept/counted.csv --most 100 --most-l2 100 -- "$program" copy forms copy
  [ "$status" -eq 0 ]
}

@test "predict-check does not compare launches of one process with those of another" {
  check=$top_srcdir/contrib/predict-check
  export TOOL=$tool NCU=$PWD/ncu
  "$tool" export --sim t1000 --output record.xml
  make_ncu
  run_split "$check" --record record.xml -- "$program" fork copy
  echo "$output$errors"
  [ "$status" -eq 3 ]
  [ ! -e ncu-arguments ]
  [[ $errors == *"2 processes launched kernels"*"Nothing is compared"* ]]
  [ "$(grep -c '^| copy | 100 % | - | 0.0 | - | ' <<<"$output")" -eq 2 ]
  # ncu has counted two, and one was recorded
  printf '"ID","Process ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n' >counted.csv
  for id in 0 1; do
    printf '"%d","%d","copy","%s.sum","sector","256"\n' $id $((7 + id)) l1tex__t_sectors_pipe_lsu_mem_global_op_ld
  done >>counted.csv
  run_split "$check" --record record.xml --counted counted.csv -- "$program" copy
  echo "$output$errors"
  [ "$status" -eq 3 ]
  [[ $errors == *"2 processes launched kernels"* && $output == *"| copy | 100 % | - | "* ]]
}

@test "predict-check does not compare kernels whose accesses a trace lacks" {
  check=$top_srcdir/contrib/predict-check
  "$tool" export --sim t1000 --output record.xml
  {
    echo 'hwloc-gpucache-trace 2'
    printf 'kernel tensors\nlaunch 1\nblocks 1\nthreads 32\nwarp 32\n'
    printf 'code 0000 UTMALDG.2D [UR8], [UR4]\ncode 0010 EXIT\n'
    printf 'kernel nothing\nlaunch 2\nblocks 1\nthreads 32\nwarp 32\nend\n'
  } >bare.trace
  printf '#!/bin/sh\n[ "$1" != trace ] || exec cp bare.trace "$3"\nexec "%s" "$@"\n' "$tool" >recorder
  chmod +x recorder
  make_ncu
  printf '%s\n' '0 tensors 0 0 64 32 16' '1 nothing 0 0 64 32 16' >rows
  run_split env TOOL=./recorder NCU=./ncu "$check" --record record.xml -- true
  echo "$output$errors"
  [ "$status" -eq 1 ]
  [[ $output == *"| tensors | 100 % | - | - | 50.0 | - | 0 | - | 64 | - | 16 | - |"* ]]
  [[ $output == *"not predicted, because their tensor copies (TMA) are not in the trace: tensors"* ]]
  [[ $output == *"not predicted, because the trace has no accesses of them: nothing"* ]]
  [[ $errors == *"no kernel was both predicted and counted"* ]]
  run_split "$tool" predict --record record.xml --seeds 0 bare.trace
  [ "$(grep -c 'not predicted: tensor copies (TMA), 1 instruction of its code' <<<"$output")" -eq 1 ]
  is '1 0' "$("$tool" predict --record record.xml --seeds 0 --json bare.trace | jq -r '[.kernels[].launch.tensor_copies] | join(" ")')"
  # textures and surfaces
  sed -i 's/^code 0010 EXIT/code 0010 TEX.SCR.LL RZ, R4, R2, R0, 2D\ncode 0020 SUST.D.BA.2D.STRONG.SM.TRAP [R2], R4, UR4\ncode 0030 EXIT/' bare.trace
  sed -i s/UTMALDG.2D/NOP/ bare.trace
  run_split env TOOL=./recorder NCU=./ncu "$check" --record record.xml -- true
  [[ $output == *"not predicted, because their accesses to textures and surfaces are not in the trace: tensors"* ]]
  run_split "$tool" predict --record record.xml --seeds 0 bare.trace
  [ "$(grep -c 'not predicted: textures and surfaces, 2 instructions of its code' <<<"$output")" -eq 1 ]
  is '2 0' "$("$tool" predict --record record.xml --seeds 0 --json bare.trace | jq -r '[.kernels[].launch.texture_accesses] | join(" ")')"
}

@test "kernels that can launch others" {
  local why="kernels of the program can launch others (dynamic parallelism), which are not recorded"
  # a function of the module, and one of the driver, as in modules that nvlink made; and a name that begins like it
  printf '.globl %s\n.type %s, @function\n%s: ret\n' __cudaCDP2LaunchDeviceV2{,,} | cc -c -x assembler -o launch -
  printf '.type cudaGraphLaunch, @function\n.quad cudaGraphLaunch\n' | cc -c -x assembler -o graph -
  printf '.globl %s\n.type %s, @function\n%s: ret\n' cudaGraphLaunchNot{,,} | cc -c -x assembler -o other -
  for module in launch graph; do
    FAKE_MODULE=$module run_split "$tool" trace -- "$program" copy
    [ "$status" -eq 0 ]
    [[ $errors == *"hwloc-gpucache: $why"* ]]
    text program.trace | grep -x "left-out ? $why"
    "$tool" predict --sim t1000 --seeds 0 --json program.trace >predicted
    is "{\"launches\":0,\"more\":true,\"why\":\"$why\"}" "$(jq -c .not_recorded predicted)"
    run_split "$tool" predict --sim t1000 --seeds 0 program.trace
    [[ $(xargs <<<"$output") == *"Not in the traces: an unknown number of launches: $why"* ]]
  done
  FAKE_MODULE=other run_split "$tool" trace -- "$program" copy
  [ "$status" -eq 0 ]
  [[ $errors != *"can launch"* ]]
}

@test "predict-check without counters predicts, and says why" {
  check=$top_srcdir/contrib/predict-check
  export TOOL=$tool
  "$tool" export --sim t1000 --output record.xml
  run_split env NCU= PATH="$(dirname "$(command -v python3)"):/usr/bin:/bin" "$check" --record record.xml -- "$program" copy
  echo "$output$errors"
  command -v ncu || [ "$status" -eq 3 ]
  [[ $output == *"| copy | 100 % | - | 0.0 | - | "* ]]
  make_ncu
  export NCU=$PWD/ncu
  run_split env NCU_SAYS='==ERROR== ERR_NVGPUCTRPERM - The user does not have permission' "$check" --record record.xml -- "$program" copy
  [ "$status" -eq 3 ]
  [[ $errors == *"ncu may not count here (ERR_NVGPUCTRPERM)"*"the administrator"* ]]
  run_split env NCU_SAYS='==ERROR== no device' "$check" --record record.xml -- "$program" copy
  [ "$status" -eq 3 ]
  [[ $errors == *"ncu counted nothing (exit status 1): no device"* ]]
  run_split env NCU=./missing "$check" --record record.xml -- "$program" copy
  [[ $errors == *"./missing cannot be started, so nothing was counted: No such file"* ]]
  run_split env TOOL=./missing "$check" -- "$program" copy
  [ "$status" -eq 1 ]
  run_split "$check" --output record.xml -- "$program" copy
  [ "$status" -eq 1 ]
  [[ $errors == "predict-check: --output record.xml cannot be made: File exists" ]]
  for bad in "--launches x -- a" "" "--frob -- a"; do
    # shellcheck disable=SC2086 # words
    run_split "$check" $bad
    [ "$status" -eq 2 ]
  done
  run_split "$check" --record record.xml -- ./missing
  [ "$status" -eq 1 ]
  [[ $errors == *"cannot run ./missing"* ]]
  run_split "$check" --record record.xml --counted ncu -- "$program" copy
  [ "$status" -eq 1 ]
}

@test "a program without --" {
  run_split "$tool" predict --sim t1000 "$(type -P true)"
  [ "$status" -eq 1 ]
  [[ $errors == *"to record a program, write -- before it: hwloc-gpucache predict -- /"*"/true" ]]
}

@test "predict -- PROGRAM" {
  run_split "$tool" predict --sim t1000 --seeds 0 --json -- "$program" copy
  echo "$errors"
  [ "$status" -eq 0 ]
  [ "$(jq '.kernels[0].l1_loads.sectors' <<<"$output")" = 256 ]
  [[ $errors == *computed* ]]
  run_split "$tool" predict --sim t1000,gtx470 --seeds 0 --json -- "$program" copy
  [ "$status" -eq 0 ]
  [ "$(jq -r '[.[].gpu.id] | join(" ")' <<<"$output")" = "sim-t1000 sim-gtx470" ]
  [ "$(jq -r '[.[].kernels[0].launch.blocks] | join(" ")' <<<"$output")" = "8 8" ]
  [ "$(grep -c computed <<<"$errors")" = 1 ] # the program ran once
  run_split "$tool" predict --sim t1000 --seeds 0 --html page.html -- "$program" copy
  [ "$status" -eq 0 ]
  [ "$output" = page.html ]
  grep -q ">copy</h3>" page.html
  # the program does not run if its page could not be written
  run_split "$tool" predict --sim t1000 --seeds 0 --html missing/page.html -- "$program" copy
  [ "$status" -eq 1 ]
  [[ $errors == *missing* && $errors != *computed* ]]
  run_split "$tool" predict --sim t1000 --seeds 0 -- "$program" copy exit 3
  [ "$status" -eq 1 ]
  [[ $output == *"kernel 1: copy"* ]]
  [[ $errors == *"ended with status 3" ]]
  # a status is not taken for a signal, nor for a program that was not started
  local ended
  for ended in 127 137; do
    run_split "$tool" predict --sim t1000 --seeds 0 -- "$program" copy exit "$ended"
    [ "$status" -eq 1 ]
    [[ $errors == *"ended with status $ended" ]]
  done
  run_split "$tool" predict --sim t1000 --seeds 0 -- "$program" copy kill
  [ "$status" -eq 1 ]
  [[ $output == *"kernel 1: copy"* ]]
  [[ $errors == *"was ended by signal 9 (Killed)" ]]
}

@test "a reader of the output that ends early" {
  local ended blocked
  "$tool" trace --verbose --output copy.trace -- "$program" copy forms 2>&1 >/dev/null | true
  [ -e copy.trace ]
  [ -z "$(ls "$TMPDIR")" ] # no directory stays
  blocked=$(grep SigBlk /proc/self/status)
  "$tool" predict --sim t1000 --seeds 0 --json -- "$program" copy forms copy 2>errors | true
  ended=${PIPESTATUS[0]}
  cat errors
  [ "$ended" -ne 0 ]
  [ -z "$(ls "$TMPDIR")" ] # no trace stays
  # the program can be ended by its own readers
  run_split "$tool" predict --sim t1000 -- grep SigBlk /proc/self/status
  [[ $errors == *"$blocked"* ]]
}

# Text as README.md and the command print it, without what differs from program to program.
form() {
  sed -E 's/^GPU: .*, gpu0$/GPU: NAME, gpu0/; s/^(kernel 1: ).*/\1NAME/; s/(^|[^[:alnum:].])[0-9]+(\.[0-9]+)?/\1N/g; s/N (Ki|Mi|Gi)?B/N UNIT/g
    s/^( *misses in L1: ).*/\1REASONS/; s/ +/ /g; s/ +$//'
}

@test "README.md shows what predict -- PROGRAM prints" {
  local command shown reason
  printf '#!/bin/sh\nexec "%s" copy\n' "$(realpath "$program")" >rows
  chmod +x rows
  mkdir bin
  # a simulated GPU is that of this machine
  printf '#!/bin/sh\nexec "%s" --sim t1000 "$@"\n' "$tool" >bin/hwloc-gpucache
  chmod +x bin/hwloc-gpucache
  shown=$(sed -n '/^```console/,/^```$/p' "$top_srcdir/README.md" | grep -v '^```')
  command=$(sed -n '1s/^\$ //p' <<<"$shown")
  [[ $command == *" predict -- ./rows" ]]
  PATH=$BATS_TEST_TMPDIR/bin:$PATH run_split sh -c "$command"
  echo "$errors"
  [ "$status" -eq 0 ]
  form <<<"$output" >printed
  cat printed
  sed 1d <<<"$shown" | form >expected
  # "..." stands for any lines
  # shellcheck disable=SC2053 # it is a pattern
  [[ $(cat printed) == $(sed 's/[][()*?|\\]/\\&/g; s/^\.\.\.$/*/' expected) ]]
  # the reasons have their names of today, and are parts of the whole
  "$tool" predict --sim t1000 --seeds 0 --json -- ./rows 2>errors | jq -r '.kernels[0].l1_misses | keys[]' | tr _ ' ' >reasons
  sed -n 's/^ *misses in L1: //p' <<<"$shown" | sed 's/, /\n/g' | while read -r reason; do
    [[ $reason =~ ^(.*)\ [0-9.]+\ %$ ]] && grep -qx "${BASH_REMATCH[1]}" reasons || { echo "no reason: $reason"; exit 1; }
  done
  # sectors = hits + hits on miss + misses; what misses L1 asks L2
  awk '$1 == "L1" || $1 == "L2" {
         rows++
         if ($2 != $3 + $4 + $5 || sprintf("%.1f", 100 * ($3 + $4) / $2) != $6 || ($1 == "L2" && $2 != missed)) exit 1
         missed = $5 }
       END { exit rows != 2 }' <<<"$shown"
}
