# SPDX-License-Identifier: BSD-3-Clause
# Loaded by .bats files.

# use_record NAME…: these simulated GPUs have the records that make has measured.
use_record() {
  local name from=${top_builddir:-$BATS_TEST_DIRNAME/../..}/tests/records
  mkdir -p -m 700 "$HWLOC_GPUCACHE_DIR"
  for name; do
    cp "$from/$name.xml" "$HWLOC_GPUCACHE_DIR/sim-$name.xml" || { cat "$from/$name.messages"; return 1; }
    chmod 600 "$HWLOC_GPUCACHE_DIR/sim-$name.xml"
  done
}
