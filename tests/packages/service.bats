# SPDX-License-Identifier: BSD-3-Clause
# The systemd unit, the tmpfiles.d file and the udev rule. No systemd has to run.

setup() {
  unit=$top_builddir/data/systemd/hwloc-gpucache.service
  conf=$top_builddir/data/systemd/hwloc-gpucache.conf
  rule=$top_srcdir/data/systemd/60-hwloc-gpucache.rules
  site=$(sed -n 's/^Environment=HWLOC_GPUCACHE_DIR=//p' "$unit")
  installed=$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$unit")
  here=$BATS_TEST_TMPDIR
}

needs() { command -v "$1" >/dev/null || skip "$1 is not installed (Debian package $2)"; }

# The unit as it would be for a command that is installed at $HWLOC_GPUCACHE_TOOL.
with_this_command() { sed "s|$installed |$HWLOC_GPUCACHE_TOOL |" "$unit"; }

@test "service: systemd accepts the unit" {
  needs systemd-analyze systemd
  with_this_command >"$here/hwloc-gpucache.service"
  run systemd-analyze verify --man=no "$here/hwloc-gpucache.service"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output != *hwloc-gpucache* ]]
}

@test "service: that check notices an unknown option and a missing command" {
  needs systemd-analyze systemd
  { with_this_command; printf '[Service]\nProtectEverything=yes\n'; } >"$here/hwloc-gpucache.service"
  run systemd-analyze verify --man=no "$here/hwloc-gpucache.service"
  echo "$output"
  [[ $output == *ProtectEverything* ]]
  sed 's|^ExecStart=.*|ExecStart=/nowhere/hwloc-gpucache measure|' "$unit" >"$here/hwloc-gpucache.service"
  run systemd-analyze verify --man=no "$here/hwloc-gpucache.service"
  [ "$status" -ne 0 ]
}

@test "service: the unit and the tmpfiles.d file name the directory in which the plugin searches" {
  run "$HWLOC_GPUCACHE_TOOL" --version
  [[ $output == *"records of the site: $site"* ]]
  grep -Fqx "d $site 0755 root root -" "$conf"
  grep -Eq "^ReadWritePaths=-$site " "$unit"
}

@test "service: nothing hides the devices of the GPUs or stops CUDA from loading modules" {
  run grep -E '^(PrivateDevices|DevicePolicy|DeviceAllow|ProtectClock|ProtectKernelModules|MemoryDenyWriteExecute|CapabilityBoundingSet)=' "$unit"
  echo "$output"
  [ "$status" -eq 1 ]
}

# Runs the commands of the unit as systemd would: ExecStart; ExecStartPost if that has succeeded; then
# ExecStopPost whatever the status.
start_unit() {
  local command status=0
  command=$(with_this_command | sed -n 's/^ExecStart=//p')
  HWLOC_GPUCACHE_DIR=$here/site bash -c "$command" || status=$?
  command=$(with_this_command | sed -n 's/^ExecStartPost=-//p')
  [ $status -ne 0 ] || HWLOC_GPUCACHE_DIR=$here/site bash -c "$command" || true
  command=$(sed -n 's/^ExecStopPost=-//p' "$unit")
  bash -c "${command//"$site"/"$here/site"}"
  return $status
}

@test "service: its records can be read by all users and written by their owner only" {
  install -d -m 755 "$here/site"
  export HWLOC_GPUCACHE_SIM=$top_srcdir/tests/tool/tiny HWLOC_FSROOT=$here HWLOC_THISSYSTEM=1
  run start_unit
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(stat -c %a "$here"/site/sim-*.xml)" = 644 ]
  before=$(stat -c %y "$here"/site/sim-*.xml)
  run start_unit
  [[ $output == *"already measured"* ]]
  [ "$(stat -c %y "$here"/site/sim-*.xml)" = "$before" ]
}

@test "service: it also measures how several GPUs reach each other" {
  install -d -m 755 "$here/site"
  for gpu in a b; do
    cp "$top_srcdir/tests/tool/tiny" "$here/$gpu"
    printf '[peer *]\npath = nvlink\nlatency_ns = 900\nread_gbps = 300\nwrite_gbps = 300\ncopy_gbps = 300\n' \
      >>"$here/$gpu"
  done
  export HWLOC_GPUCACHE_SIM=$here/a,$here/b HWLOC_FSROOT=$here HWLOC_THISSYSTEM=1
  run start_unit
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(stat -c %a "$here"/site/node-*.xml)" = 644 ]
}

@test "service: a node without a GPU is a success" {
  install -d -m 755 "$here/site"
  export HWLOC_FSROOT=$here HWLOC_THISSYSTEM=1
  run start_unit
  echo "$output"
  [ "$status" -eq "$(sed -n 's/^SuccessExitStatus=//p' "$unit")" ]
}

@test "service: tmpfiles.d makes the directories" {
  needs systemd-tmpfiles systemd
  [ "$(id -u)" -eq 0 ] || skip "only root can make directories of root"
  mkdir "$here/root"
  run systemd-tmpfiles --create --root="$here/root" "$conf"
  echo "$output"
  [ "$(stat -c '%a %U' "$here/root$site")" = "755 root" ]
  [ "$(stat -c '%a %U' "$here/root/run/hwloc-gpucache")" = "755 root" ]
}

@test "service: the udev rule starts this unit" {
  wants=$(sed -n 's/.*ENV{SYSTEMD_WANTS}+="\([^"]*\)".*/\1/p' "$rule")
  [ "$wants" = "$(basename "$unit")" ]
}
