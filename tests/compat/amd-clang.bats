#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# configure --with-amd-clang: another clang compiles the kernels for AMD GPUs. AMD_PROCESSORS: for these only.

setup() {
  load ../tool/setup.bash
  prepare
  [ -n "$AMD_IMAGES" ] || skip "this build makes no code objects for AMD GPUs"
  [ ! -e "$top_srcdir/config.status" ] || skip "the source tree is configured, so no other directory can be"
  other=$BATS_TEST_TMPDIR/other-clang
  mkdir "$BATS_TEST_TMPDIR/build"
}

# The value of a variable in the Makefile of this build, and of the other one.
of_build() { sed -n "s/^$1 = //p" "$top_builddir/Makefile"; }
of_other() { sed -n "s/^$1 = //p" "$BATS_TEST_TMPDIR/build/Makefile"; }

# configure_with PATH [OPTION]: configures another build with the libraries of this one and that clang for AMD GPUs.
configure_with() {
  local path
  path=$(of_build PKG_CONFIG_PATH)
  cd "$BATS_TEST_TMPDIR/build"
  PKG_CONFIG_PATH=$path run "$top_srcdir/configure" CC="$CC" --with-clang="$CLANG" --with-cuda=no \
    --with-amd-clang="$1" "${@:2}"
}

# A clang like that of ROCm: it lacks NVIDIA's target, and knows a processor that this one need not know.
make_other() {
  cat >"$other" <<END
#!/bin/sh
for word; do
  shift
  case \$word in
  --target=nvptx*) echo "no such target" >&2; exit 1 ;;
  -mcpu=gfx950) word=-mcpu=gfx942 ;;
  esac
  set -- "\$@" "\$word"
done
exec "$AMD_CLANG" "\$@"
END
  chmod +x "$other"
}

@test "a clang that knows gfx950 and lacks nvptx: it makes the code objects, and the other clang the PTX" {
  make_other
  configure_with "$other" AMD_PROCESSORS=" gfx950 gfx90a  gfx950"
  is 0 "$status"
  has "$output" "checking whether $other compiles C for amdgcn... yes"
  has "$output" "compiled by $other, linked by "
  is "$CLANG" "$(of_other CLANG)"
  is "$other" "$(of_other AMD_CLANG)"
  is "kernels/amd.gfx950.image kernels/amd.gfx90a.image " "$(of_other AMD_IMAGES)"
  has "$(grep AMD_PROCESSORS config.h)" 'PROCESSOR("gfx950", "kernels/amd.gfx950.image", gc_amd_gfx950)'
  env -u MAKEFLAGS make -s kernels/amd.gfx950.image kernels/cuda.ptx
  [ -s kernels/amd.gfx950.image ]
  grep -q '^\.target sm_' kernels/cuda.ptx
}

@test "a path of no clang, or of one without AMD's target: configure says so" {
  configure_with "$BATS_TEST_TMPDIR/none"
  [ "$status" -ne 0 ]
  has "$output" "--with-amd-clang=$BATS_TEST_TMPDIR/none: there is no such program"
  printf '#!/bin/sh\nexit 1\n' >"$other"
  chmod +x "$other"
  configure_with "$other"
  [ "$status" -ne 0 ]
  has "$output" "--with-amd-clang=$other: it does not compile C for amdgcn"
}

@test "AMD_PROCESSORS with a processor that the clang does not know: configure says so" {
  configure_with "$AMD_CLANG" AMD_PROCESSORS="gfx90a gfx90"
  [ "$status" -ne 0 ]
  has "$output" "AMD_PROCESSORS: $AMD_CLANG makes no code object for gfx90 (see config.log)"
}
