#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# A libhwloc that cannot load plugins, which is hwloc's default: configure warns, and list --verbose reports it.

setup() {
  load ../tool/setup.bash
  prepare
  tiny=$top_srcdir/tests/tool/tiny
  library=$("$tool" list --verbose --sim "$tiny" 2>&1 | sed -n 's/.*: hwloc is \([^,]*\),.*/\1/p')
  [ -r "$library" ] || skip "this build does not use a shared libhwloc"
  prefix=$BATS_TEST_TMPDIR/prefix
}

# A copy of libhwloc that does not know the variable, as if it was built without plugins.
make_library_without_plugins() {
  mkdir -p "$prefix/lib/pkgconfig"
  LC_ALL=C sed 's/HWLOC_PLUGINS_PATH/HWLOC_NOTHING_PATH/g' "$library" >"$prefix/lib/${library##*/}"
}

# The value of a variable in the Makefile of this build.
of_build() { sed -n "s/^$1 = //p" "$top_builddir/Makefile"; }

# Runs configure with that library. Its output is in $output.
configure_with_it() {
  local path
  mkdir -p "$prefix/lib/pkgconfig" "$BATS_TEST_TMPDIR/build"
  ln -sf "${library##*/}" "$prefix/lib/libhwloc.so"
  cat >"$prefix/lib/pkgconfig/hwloc.pc" <<END
prefix=$prefix
libdir=$prefix/lib
Name: hwloc
Description: a copy
Version: 2.4
Cflags: $(of_build HWLOC_CFLAGS)
Libs: -L$prefix/lib -lhwloc
END
  cd "$BATS_TEST_TMPDIR/build"
  path=$(of_build PKG_CONFIG_PATH)
  PKG_CONFIG_PATH=$prefix/lib/pkgconfig${path:+:$path} \
    CONFIG_SHELL=/bin/sh run env -u HWLOC_CFLAGS -u HWLOC_LIBS /bin/sh "$top_srcdir/configure" CC="$CC" --with-clang="$CLANG" --with-cuda=no --with-hip=no \
    --disable-dependency-tracking
}

@test "list --verbose names the libhwloc and says that it can load plugins" {
  grep -aq HWLOC_PLUGINS_PATH "$library" || skip "$library cannot load plugins"
  run_split "$tool" list --verbose --sim "$tiny"
  is "hwloc-gpucache: hwloc is $library, which can load plugins" "${errors%%$'\n'*}"
  # also on a machine without a GPU, and not if it is not asked for
  run_split "$tool" list --verbose
  is 3 "$status"
  has "$errors" "hwloc is $library"
  run_split "$tool" list
  has_not "$errors" "hwloc is"
}

@test "list --verbose says that a libhwloc cannot load plugins, and what to do" {
  make_library_without_plugins
  export LD_LIBRARY_PATH=$prefix/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  run_split "$tool" list --verbose --sim "$tiny"
  is 0 "$status"
  has "$errors" "hwloc is $prefix/lib/${library##*/}, which cannot load plugins"
  has "$errors" "use a hwloc that was configured with --enable-plugins"
}

@test "configure warns at its end of a libhwloc that cannot load plugins, and says what to do" {
  [ ! -e "$top_srcdir/config.status" ] || skip "the source tree is configured, so no other directory can be"
  make_library_without_plugins
  configure_with_it
  is 0 "$status"
  has "$output" "checking whether libhwloc can load plugins... no ($prefix/lib/libhwloc.so)"
  output=$(tail -n 15 <<<"$output")
  has "$output" "WARNING: this libhwloc cannot load plugins: $prefix/lib/libhwloc.so"
  has "$output" --enable-plugins
}

@test "configure does not warn of a libhwloc that can load plugins" {
  grep -aq HWLOC_PLUGINS_PATH "$library" || skip "$library cannot load plugins"
  # The run of configure that this build comes from. Its file is the one that the linker found.
  run sed -n '/: checking whether libhwloc can load plugins/{n;s/.*: result: //p}' "$top_builddir/config.log"
  [[ $output == "yes ("/*/libhwloc.* ]]
}
