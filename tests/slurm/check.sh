#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
#
# make check-slurm: contrib/slurm on a real Slurm, with several nodes on this machine. Each node has a
# simulated GPU; that of the last node has a slow L2. Needs root and the Debian packages slurmctld,
# slurmd, slurm-client and munge. It uses none of their configurations and none of their services.
#
# All daemons run in namespaces of their own: they reach loopback only, and the kernel ends them with
# this script, however it ends.
#   FLEET_NODES    number of nodes, 4 unless set
#   FLEET_PROFILE  file name in data/sim, h100 unless set
set -euo pipefail

skip() { echo "check-slurm is skipped: $*"; exit 77; }
fail()
{
  echo "FAILED: $*"
  tail -n 20 "$work"/log/* "$work"/*.txt 2>/dev/null || :
  exit 1
}

nodes=${FLEET_NODES:-4}
profile=${FLEET_PROFILE:-h100}

if [ "${1:-}" != --inside ]; then
  [ "$(id -u)" -eq 0 ] || skip "only root can start the daemons of Slurm"
  for program in slurmctld slurmd munged srun sbatch sinfo unshare ip; do
    command -v "$program" >/dev/null ||
      skip "$program is not installed (Debian packages slurmctld slurmd slurm-client munge util-linux iproute2)"
  done
  unshare --net --pid --mount --uts --ipc --fork true 2>/dev/null || skip "this system forbids namespaces"
  work=$(mktemp -d)
  pid=
  trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null; rm -rf "$work"' EXIT
  trap 'exit 143' HUP INT TERM
  # unshare ends if this script ends, and the kernel ends all processes of the namespace with unshare
  setpriv --pdeathsig KILL -- \
    unshare --net --pid --mount --uts --ipc --fork --kill-child --mount-proc "$0" --inside "$work" &
  pid=$!
  status=0
  wait "$pid" || status=$?
  pid=
  exit $status
fi
work=$2

# getaddrinfo, which the daemons use, ignores IPv4 if there is no address but 127.0.0.1.
ip link set lo up
ip address add 192.0.2.1/32 dev lo
hostname fleet
mkdir -p "$work"/{etc,log,state,spool,munge,nodes,records}
chmod 755 "$work" # munged refuses a socket in a directory that others cannot reach
chmod 700 "$work/munge"

# The GPUs differ by the seed of their noise. The last one has an L2 that is 20 % slower.
names=()
for ((i = 1; i <= nodes; i++)); do
  names+=("n$i")
  mkdir -p "$work/nodes/n$i"
  sed "s/^seed = .*/seed = $((100 + i))/" "$top_srcdir/data/sim/$profile" >"$work/nodes/n$i/$profile"
done
bad=$work/nodes/n$nodes/$profile
awk '/^path/ { for (i = 1; i < NF; i++) if ($i == "L2") { more = int($(i + 1) / 5); $(i + 1) += more }
               for (i = 1; i < NF; i++) if ($i == "memory") $(i + 1) += more; more = 0 } { print }' \
  "$bad" >"$bad.new"
! cmp -s "$bad" "$bad.new" || fail "the profile of the bad GPU has no changed line"
mv "$bad.new" "$bad"

# What runs on a node, as prolog or as task, uses the node's GPU and records.
cat >"$work/node" <<END
export HWLOC_GPUCACHE_SIM=$profile HWLOC_GPUCACHE_SIM_PATH=$work/nodes/\$SLURMD_NODENAME
export HWLOC_GPUCACHE_DIR=$work/records/\$SLURMD_NODENAME HWLOC_FSROOT=$work/nodes HWLOC_THISSYSTEM=1
export HWLOC_GPUCACHE_COMMAND=$HWLOC_GPUCACHE_TOOL
END
cat >"$work/prolog" <<END
#!/bin/sh
. $work/node
date +"%s.%N \$SLURMD_NODENAME begins" >>$work/log/prolog
GPUCACHE_PROLOG_SECONDS=300 sh $top_srcdir/contrib/slurm/prolog.sh
date +"%s.%N \$SLURMD_NODENAME ends" >>$work/log/prolog
END
cat >"$work/command" <<END
#!/bin/sh
[ "\$1" = compare ] || . $work/node
exec $HWLOC_GPUCACHE_TOOL "\$@"
END
chmod 755 "$work/prolog" "$work/command"

cat >"$work/etc/slurm.conf" <<END
ClusterName=fleet
SlurmctldHost=fleet(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge.socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/log/slurmctld
SlurmdLogFile=$work/log/slurmd-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SlurmdParameters=config_overrides
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
Prolog=$work/prolog
PrologFlags=Alloc
BatchStartTimeout=120
MessageTimeout=60
NodeName=n[1-$nodes] NodeHostname=fleet NodeAddr=127.0.0.1 Port=[17001-$((17000 + nodes))] CPUs=1
PartitionName=all Nodes=ALL Default=YES State=UP
END
export SLURM_CONF=$work/etc/slurm.conf

dd if=/dev/urandom of="$work/munge/key" bs=1024 count=1 status=none
chmod 400 "$work/munge/key"
munged --force --origin=127.0.0.1 --socket="$work/munge.socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
  --log-file="$work/log/munged" --seed-file="$work/munge/seed"
slurmctld -f "$SLURM_CONF"
for name in "${names[@]}"; do
  mkdir -p "$work/spool/$name"
  slurmd -f "$SLURM_CONF" -N "$name"
done
idle() { [ "$(timeout 5 sinfo -h -t idle -o %D 2>/dev/null)" = "$nodes" ]; }
SECONDS=0
until idle; do
  [ $SECONDS -lt 60 ] || fail "the nodes do not come up"
  sleep 0.5
done
echo "ok: Slurm $(slurmd -V | sed 's/.* //') with $nodes nodes"

submit() # NAME: runs the job with the records in $work/NAME; its output is $work/NAME.txt
{
  status=0
  (cd "$work" && HWLOC_GPUCACHE_COMMAND=$work/command sbatch --wait --quiet --nodes="$nodes" --output="$work/$1.txt" \
    "$top_srcdir/contrib/slurm/fleet.sbatch" "$work/$1") || status=$?
}

begin=$(date +%s.%N)
submit first
echo "ok: first job: $(awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $begin }") s"
for name in "${names[@]}"; do
  [ "$(grep -c "$name ends" "$work/log/prolog")" = 1 ] || fail "no prolog ran on $name"
  [ "$(stat -c %a "$work/records/$name/sim-$profile.xml")" = 644 ] || fail "$name has no record of the site"
  [ -s "$work/first/$name/gpu0.xml" ] || fail "no record of $name was gathered"
done
echo "ok: the prolog has measured each node, and the job has gathered $(find "$work/first" -name '*.xml' | wc -l) records"
case $status in
1) ;;
*) fail "the job ended with status $status, not 1 (different)" ;;
esac
grep -q "n$nodes/gpu0" "$work/first.txt" || fail "compare does not name the GPU of n$nodes"
line=$(grep -n -m 1 "n[0-9]*/gpu0" "$work/first.txt")
[[ $line == *"n$nodes/gpu0"* ]] || fail "compare names another GPU before that of n$nodes: $line"
echo "ok: compare names the GPU with the slow L2 first, and the job ends with exit status 1:"
sed 's/^/    /' "$work/first.txt" | head -n 12

stat -c '%n %y' "$work"/records/*/*.xml >"$work/before"
submit second
stat -c '%n %y' "$work"/records/*/*.xml | cmp -s - "$work/before" || fail "the second job has measured again"
awk '{ if ($3 == "begins") begin[$2] = $1
       else if (++runs[$2] == 2 && $1 - begin[$2] > slowest) slowest = $1 - begin[$2] }
     END { printf "ok: second job: no GPU is measured; the slowest prolog took %.0f ms\n", 1000 * slowest }' "$work/log/prolog"

# A new driver makes a record stale: here, that of the first node.
sed -i 's/driver" value="[^"]*"/driver" value="0.0"/I' "$work/records/n1/sim-$profile.xml"
grep -q 'value="0.0"' "$work/records/n1/sim-$profile.xml" || fail "the record states no driver"
submit third
grep -q 'value="0.0"' "$work/records/n1/sim-$profile.xml" && fail "the stale record is still there"
[ "$(stat -c '%n %y' "$work"/records/*/*.xml | comm -23 - "$work/before" | wc -l)" = 1 ] ||
  fail "not exactly one node has measured again"
echo "ok: third job: the prolog has replaced the stale record of one node, and no other"
