#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# An MPS server runs. measure opens the GPU past it: without another client it measures what it
# measures without a server; while another client is at work, it refuses, or measures after the
# client has ended. A record is never replaced by values that the other client disturbed.
tool=$top_builddir/hwloc-gpucache
neighbour=$top_builddir/tests/gpu/neighbour
through=$top_builddir/tests/gpu/.libs/libthroughmps.so
said=$HOME/said
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

PATH=$PATH:/usr/local/nvidia/bin
control=$(command -v nvidia-cuda-mps-control) || { echo "SKIPPED: there is no nvidia-cuda-mps-control"; exit 77; }
mode=$(nvidia-smi -i 0 --query-gpu=compute_mode --format=csv,noheader 2>/dev/null)
[ "$mode" = Default ] || { echo "SKIPPED: the compute mode is '$mode', not Default"; exit 77; }

# The server has pipes of its own, so that no other user's server is in the way.
mps=$(mktemp -d /tmp/mps.XXXXXX) || exit 1
mkdir "$mps/pipe" "$mps/log"
CUDA_MPS_PIPE_DIRECTORY=$mps/pipe CUDA_MPS_LOG_DIRECTORY=$mps/log
clients=
end() {
  for client in $clients; do kill "$client" 2>/dev/null; done
  wait
  echo quit | "$control" >/dev/null 2>&1
  rm -rf "$mps"
}
trap end EXIT

# begin SECONDS: starts a client that computes for so long, and returns once it is at work.
begin() {
  "$neighbour" compute "$1" >"$HOME/neighbour" 2>&1 &
  clients="$clients $!"
  while ! grep -q ready "$HOME/neighbour"; do
    kill -0 $! 2>/dev/null || { cat "$HOME/neighbour"; grep -q SKIPPED "$HOME/neighbour" && exit 77; exit 1; }
    sleep 0.05
  done
}

record() { cat "$HWLOC_GPUCACHE_DIR"/*.xml; }

# sources: which properties have a value, and which are absent.
sources() { record | sed -n 's/.*"\([A-Za-z0-9]*Source\)" value="\([a-z]*\).*/\1 \2/p'; }
# discrete: the values that are the same in every run.
discrete() { record | grep -E '"(LineBytes|FetchBytes|PerSM|Instances|Partitions|SharedWith)"'; }

"$tool" measure --force gpu0 >/dev/null || exit 1
sources >"$HOME/sources"
discrete >"$HOME/discrete"

export CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY
"$control" -d || { echo "SKIPPED: nvidia-cuda-mps-control does not start"; exit 77; }

# same WHEN: the record has what it had without a server.
same() {
  sources | diff "$HOME/sources" - || fail "$1: the record determines something else"
  discrete | diff "$HOME/discrete" - || fail "$1: values differ"
}

"$tool" measure --force gpu0 >/dev/null 2>"$said" || { cat "$said"; fail "refused although no client was at work"; }
same "a server without a client"

begin 12
echo "MPS servers: $(echo get_server_list | "$control")"
before=$(record)
if "$tool" measure --force gpu0 >/dev/null 2>"$said"; then
  echo "measured beside another client"
  same "beside another client"
else
  cat "$said"
  grep -q 'gpu0: the GPU is busy' "$said" || fail "no reason was given"
  [ "$before" = "$(record)" ] || fail "the old record was lost"
fi
wait

begin 2
"$tool" measure --force gpu0 >/dev/null 2>"$said" || { cat "$said"; fail "did not wait for 2 s"; }
same "after a client that ended"
wait

# Were the GPU opened through the server, measure would notice the other client by its effects: it
# refuses, or what it measures is right, and the rest is absent.
numbers() {
  sed -n -e 's/.*subtype="\([^"]*\)".*/@\1/p' \
    -e 's/.*"\([A-Za-z0-9]*\(CapacityBytes\|LatencyCycles\|PenaltyCycles\|BytesPerCycle\|GBps\)\)" value="\([^"]*\)".*/\1 \3/p' "$1" |
    awk '/^@/ { kind = substr($0, 2); next } !/^GPUCache/ { print kind "." $1, $2 }'
}
"$tool" measure --force --no-store --xml gpu0 >"$HOME/free.xml"
begin 10
if LD_PRELOAD=$through "$tool" measure --force --no-store --xml gpu0 >"$HOME/beside.xml" 2>"$said"; then
  numbers "$HOME/free.xml" >"$HOME/free"
  numbers "$HOME/beside.xml" | awk -v free="$HOME/free" '
    BEGIN { while ((getline <free) > 0) right[$1] = $2 }
    { seen++ }
    right[$1] && ($2 < 0.9 * right[$1] || $2 > 1.1 * right[$1]) { print $1 " is " $2 " instead of " right[$1]; bad++ }
    END { print seen + 0 " values through the server, " bad + 0 " wrong"; exit bad > 0 }' ||
    fail "values that another client has disturbed were published"
fi
cat "$said"
wait

# a client that waits for work holds no SM
(exec "$neighbour" memory 100000 6) >"$HOME/neighbour" 2>&1 &
clients="$clients $!"
while ! grep -q ready "$HOME/neighbour" && kill -0 $! 2>/dev/null; do sleep 0.05; done
"$tool" measure --force gpu0 >/dev/null 2>"$said" || { cat "$said"; fail "refused beside an idle client"; }
same "beside an idle client"
exit $failed
