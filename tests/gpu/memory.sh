#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Another program has allocated almost all memory of the GPU. measure determines what is possible,
# and gives the reason for everything else. What it determines is right.
tool=$top_builddir/hwloc-gpucache
neighbour=$top_builddir/tests/gpu/neighbour
said=$HOME/said
failed=0

fail() {
  echo "FAILED: $*"
  failed=1
}

taker=
trap '[ -z "$taker" ] || kill "$taker" 2>/dev/null' EXIT

# take MIB: starts a program that allocates all memory but so much.
take() {
  "$neighbour" memory "$1" 30 >"$HOME/neighbour" 2>&1 &
  taker=$!
  while ! grep -q ready "$HOME/neighbour"; do
    kill -0 "$taker" 2>/dev/null || { cat "$HOME/neighbour"; grep -q SKIPPED "$HOME/neighbour" && exit 77; exit 1; }
    sleep 0.05
  done
  head -1 "$HOME/neighbour"
}

leave() {
  kill "$taker" 2>/dev/null
  wait "$taker" 2>/dev/null
  taker=
}

# list FILE: prints lines "<subtype> <key> <value>".
list() {
  sed -n -e 's/.*subtype="\([^"]*\)".*/@\1/p' -e 's/.*<info name="\([^"]*\)" value="\([^"]*\)".*/\1 \2/p' "$1" |
    awk '/^@/ { kind = substr($0, 2); next } !/^(GPUCache|Measur|lstopo)/ { print kind, $0 }'
}

value() { list "$1" | sed -n "s/^$2 $3 //p"; }
# absent FILE: the properties that are absent, with their reasons.
# The pages that are left use the sets of L2 unevenly: it may have no capacity, and then no line and
# what needs that. Its policy follows from bandwidths.
absent() {
  list "$1" | grep 'Source absent' |
    grep -Ev '^L2Cache (Capacity|Line|WriteAllocate|WritePolicy)Source ' | sort
}

"$tool" measure --force --no-store --xml gpu0 >"$HOME/whole.xml" || exit 1
absent "$HOME/whole.xml" >"$HOME/whole"

# all_but MIB ELEMENT.PROPERTY...: measures with so much free memory; only these may be absent.
all_but() {
  take "$1"
  "$tool" measure --force --no-store --xml gpu0 >"$HOME/little.xml" 2>"$said" || { cat "$said"; fail "$1 MiB: refused"; }
  # The reason may be another one if the property is absent with all memory, too.
  absent "$HOME/little.xml" | awk 'NR == FNR { had[$1, $2]; next } !(($1, $2) in had)' "$HOME/whole" - >"$HOME/more"
  cat "$HOME/more"
  shift
  while read -r kind key why; do
    case " $* " in
    *" $kind.${key%Source} "*) ;;
    *) fail "$kind $key is absent: $why" ;;
    esac
    echo "$why" | grep -q 'needs [0-9]* MiB of free GPU memory, [0-9]* MiB may be used' ||
      fail "$kind $key: the reason is '$why'"
  done <"$HOME/more"
  # The pages that are left use the sets of the L2 unevenly: 6 % less was seen for such a reason. Or they
  # use them more evenly than those of all memory: then they may fill the share of a partition.
  share=$(value "$HOME/whole.xml" L2Cache NominalBytes)
  share=$((share / $(value "$HOME/whole.xml" L2Cache Partitions | grep . || echo 1)))
  for pair in L2Cache.CapacityBytes L2Cache.LatencyCycles DeviceMemory.LatencyCycles L1Cache.CapacityBytes; do
    kind=${pair%.*} key=${pair#*.}
    a=$(value "$HOME/whole.xml" "$kind" "$key") b=$(value "$HOME/little.xml" "$kind" "$key")
    echo "$kind $key: $a with all memory, ${b:-absent} with little"
    least=0.95 most=$a
    [ "$pair" != L2Cache.CapacityBytes ] || least=0.9 most=$share
    [ -z "$b" ] || awk -v a="$a" -v b="$b" -v least=$least -v most="$most" \
      'BEGIN { exit b < least * a || (b > 1.05 * a && b > most) }' ||
      fail "$kind $key differs"
  done
  leave
}

for mib in 2700 1700; do
  all_but $mib DeviceMemory.Read DeviceMemory.Write DeviceMemory.LatencyUnderLoad L2Cache.SurvivalCurve
done
exit $failed
