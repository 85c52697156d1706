#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each fuzz target accepts its seeds, and variants of them.
status=0
for replay in "$top_builddir"/tests/fuzz/replay-*; do
  case $replay in *.*) continue ;; esac
  name=${replay##*/replay-}
  if "$replay" "$top_srcdir/tests/fuzz/corpus-$name"/* >"$name.replay" 2>&1; then
    echo "$name: $(wc -l <"$name.replay") seeds"
  else
    tail -n 30 "$name.replay"
    echo "$name: failed"
    status=1
  fi
  rm -f "$name.replay"
done
exit $status
