#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What documents repeat agrees with what it was copied from: the example of doc/use-lstopo.md with the record, the picture
# with the elements of the record, doc/results/structure.md and NEWS with the record, NEWS with the program; and the README is
# short.
tool=$(cd "${top_builddir:-.}" && pwd)/hwloc-gpucache
[ -x "$tool" ] || { echo "hwloc-gpucache is not built"; exit 77; }
cd "$top_srcdir" || exit 99
failed=0
sh doc/readme.sh --check "$tool" || failed=1
lines=$(wc -l <README.md)
[ "$lines" -le 100 ] || { echo "README.md has $lines lines, more than 100"; failed=1; }
# names of objects have no single quotes
sed -n 's/.*<object type="OSDev".* name="\([^"]*\)".*/\1/p' doc/results/structure/h200.xml >"$tool.names.$$"
trap 'rm -f "$tool.names.$$"' EXIT
[ -s "$tool.names.$$" ] || { echo "the record has no elements"; failed=1; }
while read -r name; do
  grep -q "> *[A-Za-z]* $name<" doc/results/structure/h200.svg ||
    { echo "doc/results/structure/h200.svg does not show $name: run doc/readme.sh TOOL"; failed=1; }
done <"$tool.names.$$"
# the H200's values in doc/results/structure.md are those of the record: ROW:ELEMENT KEY
while IFS=: read -r row of; do
  value=$("$tool" show --json --element "${of% *}" doc/results/structure/h200.xml |
    sed -n "s/^ *\"${of#* }\": \([0-9.]*\).*/\1/p" | head -n 1)
  sed -n "s/^| ${row} | \([^|]*\)|.*/ \1/p" doc/results/structure.md | grep -qF " ${value:-nothing} " ||
    { echo "doc/results/structure.md: '$row' of the H200 is not $value"; failed=1; }
done <<'END'
remote shared memory:SharedMemory RemoteLatencyCycles
first TLB:L1TLB MissPenaltyCycles
second TLB:L2TLB MissPenaltyCycles
L2. slices:L2Cache Slices
L2. reads from one slice:L2Cache SliceReadBytesPerCycle
L2. atomics:L2Cache NearAtomicLatencyCycles
L2. atomics:L2Cache FarAtomicLatencyCycles
shared memory:SharedMemory AtomicLatencyCycles
instruction cache:InstructionCache MissPenaltyCycles
END
# the first method that NEWS names is that of the newest version
method=$(sed -n 's/^#define GC_RECORD_METHOD "\(.*\)"/\1/p' src/record/elements.h)
told=$(sed -n 's/.*method is revision \([0-9]*\).*/\1/p' NEWS | head -n 1)
[ "$method" = "$told" ] || { echo "NEWS says that the method is revision $told, but it is $method"; failed=1; }
# the launches that NEWS names are those of the record, within 2 %
launches=$(sed -n 's/.*"GPUCacheMeasuringLaunches" value="\([0-9]*\)".*/\1/p' doc/results/structure/h200.xml)
told=$(sed -n 's/.*launches: some \([0-9]*\),\([0-9]*\) in all on an.*/\1\2/p' NEWS)
if [ -z "$launches" ] || [ -z "$told" ]; then
  echo "NEWS or doc/results/structure/h200.xml does not say how many launches measuring an H200 takes"
  failed=1
elif [ $((50 * (told - launches))) -gt "$launches" ] || [ $((50 * (launches - told))) -gt "$launches" ]; then
  echo "NEWS says $told launches, doc/results/structure/h200.xml $launches"
  failed=1
fi
exit $failed
