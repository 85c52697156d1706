#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# amd-check.sh must be able to fail: it refuses kernels that have one error each, with the right message.
set -eu
cd "$top_builddir"
if [ -z "$AMD_IMAGES" ]; then
  echo "SKIPPED: no code objects for AMD GPUs were made (configure says why)"
  exit 77
fi

# compile PROCESSOR: compiles $HOME/kernels to $HOME/image.
compile() {
  # shellcheck disable=SC2086
  if ! "$AMD_CLANG" $AMDGCN_FLAGS -Wno-error -mcpu="$1" -c -x c -o "$HOME/object" "$HOME/kernels/all.c" 2>"$HOME/log" ||
    ! "$LLD" -shared -s -o "$HOME/image" "$HOME/object"; then
    cat "$HOME/log"
    exit 1
  fi
}

# must_fail PROCESSOR REASON FILE SED-SCRIPT: amd-check.sh refuses the kernels with that change in FILE.
must_fail() {
  case " $AMD_IMAGES " in
  *" kernels/amd.$1.image "*) ;;
  *) echo "no object for $1 to break"; return ;;
  esac
  rm -rf "$HOME/kernels"
  mkdir "$HOME/kernels"
  cp "$top_srcdir"/kernels/*.[ch] "$HOME/kernels"
  chmod -R u+w "$HOME/kernels"
  sed -E "$4" "$top_srcdir/kernels/$3" >"$HOME/kernels/$3"
  if cmp -s "$HOME/kernels/$3" "$top_srcdir/kernels/$3"; then
    echo "$2: the change has no effect"
    exit 1
  fi
  compile "$1"
  status=0
  sh "$top_srcdir/tests/kernels/amd-check.sh" "$1" "$HOME/image" >"$HOME/output" || status=$?
  if [ $status = 77 ]; then
    cat "$HOME/output"
    exit 77
  fi
  if [ $status = 0 ] || ! grep -q "$2" "$HOME/output"; then
    echo "expected '$2', but the output was (status $status):"
    cat "$HOME/output"
    exit 1
  fi
  echo "detected: $(grep -m 1 "$2" "$HOME/output")"
}

must_fail gfx942 'the load is not waited for' amdgcn.h '/define GPU_AMD_STEP/s/ wait$//'
must_fail gfx1100 'chase_cg: 1 timed loads for path ca' amdgcn.h 's/GPU_AMD_AROUND_L1 " glc"/GPU_AMD_AROUND_L1 ""/'
must_fail gfx942 "chase_cg: a load of no path: global with 'sc0 sc1'" amdgcn.h 's/GPU_AMD_AROUND_L1 " sc1"/GPU_AMD_AROUND_L1 " sc0 sc1"/'
must_fail gfx1030 "read_cg: 0 loads or stores in an iteration" amdgcn.h 's/__MEMORY_SCOPE_DEVICE/__MEMORY_SCOPE_WRKGRP/'
must_fail gfx906 'the first clock read is not waited for' amdgcn.h '/define GPU_AMD_CLOCK.*memtime/s/ GPU_AMD_WAIT_SCALAR//'
must_fail gfx1100 'something may be in flight' amdgcn.h 's/__asm__ volatile\(GPU_AMD_WAIT_ALL GPU_AMD_CLOCK\("%\[t0\]"\)/__asm__ volatile(GPU_AMD_CLOCK("%[t0]")/'
must_fail gfx90a 'the clock is not followed by a load' amdgcn.h 's/(GPU_AMD_CLOCK\("%\[t0\]"\)) /\1 "s_nop 0\\n\\t" /'
must_fail gfx1200 'the result of the second clock read is not waited for' amdgcn.h 's/(GPU_AMD_SETTLE) "s_wait_alu.*/\1/'
must_fail gfx1200 'a chain of 1 loads' amdgcn.h 's/("ds_read_b32 " to ", " from)$/\1 "\\n\\ts_nop 0"/'
must_fail gfx908 'a load into its own address' amdgcn.h 's/"global_load_dwordx2 " to ", " from ", off" GPU/"global_load_dwordx2 " to ", " to ", off" GPU/'
must_fail gfx942 'chase_scalar: another scalar load' chase.h 's/cycles \+= t;/__asm__ volatile("s_load_dword s0, %0, 0x0\\n\\ts_waitcnt lgkmcnt(0)" :: "s"(a.jobs) : "s0"); cycles += t;/'
must_fail gfx942 "chase_system: a load of no path: system with 'sc0'" amdgcn.h 's/GPU_AMD_RETURN_SYSTEM " sc0 sc1"/GPU_AMD_RETURN_SYSTEM " sc0"/'
must_fail gfx90a 'loads are waited for one by one' amdgcn.h 's/(const gpu_amd_words row = [^;]*);(.*)/\1; __asm__ volatile("" :: "v"(row.x)); \2/'
must_fail gfx1100 'private_segment_fixed_size' stream.c 's/(GPU_KERNEL\(fill, gpu_fill_args\))/\1/; s/const uint64_t threads = \(uint64_t\)gpu_blocks\(\) \* gpu_threads\(\);/volatile uint64_t threads = (uint64_t)gpu_blocks() * gpu_threads();/'
must_fail gfx1100 'its argument is by_value of' args.h 's/uint32_t slot_bytes;/uint32_t more[2], slot_bytes;/'
must_fail gfx1100 'gpu_touch: is missing' stream.c 's/GPU_KERNEL\(touch,/GPU_KERNEL(touched,/'
must_fail gfx942 'loads are waited for one by one\|no loop of loads' amdgcn.h 's/"global_load_dword %0, %1, off"/"global_load_dword %0, %1, off\\n\\ts_waitcnt vmcnt(0)"/'
must_fail gfx1100 'the register of the loads is used' amdgcn.h 's/(at \+= stride \* warps;)/\1 __asm__ volatile("v_mov_b32 %0, %0" : "+v"(value));/'
