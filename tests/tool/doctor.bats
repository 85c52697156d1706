#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# doctor: each link of the chain is broken once. The finding of that link says so, with a remedy, and the exit status is 1.

setup_file() {
  load setup.bash
  BATS_TEST_TMPDIR=$BATS_FILE_TMPDIR prepare
  # one record for all tests
  export STORED=$BATS_FILE_TMPDIR/sim-tiny.xml
  use_record tiny
  cp -p "$records/sim-tiny.xml" "$STORED"
}

setup() {
  load setup.bash
  prepare
  gpu0=GPU-11111111-0000-0000-0000-000000000017
  read -ra cc <<<"$CC" # it may have options
  plugin=$top_builddir/src/plugin/.libs
  export HWLOC_PLUGINS_PATH=$plugin HWLOC_GPUCACHE_TOOL=$tool HWLOC_COMPONENTS=-x86
  mkdir -m 700 -p "$records"
  cp -p "$STORED" "$records/"
}

# doctor ARGUMENT…: the result is in $json, $status and $errors.
doctor() {
  run_split "$tool" doctor --json "$@"
  read_findings "$output"
}

# read_findings JSON: for finding and remedy. jq starts slowly, so it runs once.
read_findings() {
  json=$1
  findings=$(jq -r '.[] | [.link, .status + ": " + .found, .remedy] | @tsv' <<<"$json" 2>&1) || :
}

# finding LINK: its statuses and texts. remedy LINK: what to do.
finding() { awk -F '\t' -v link="$1" '$1 == link { print $2 }' <<<"$findings"; }
remedy() { awk -F '\t' -v link="$1" '$1 == link { print $3 }' <<<"$findings"; }

# broken LINK WORD REMEDY: the link is not ok, its texts contain these, and so does the text for people.
broken() {
  is 1 "$status"
  is '' "$errors"
  has "$(finding "$1")" "not ok: "
  has "$(finding "$1")" "$2"
  has "$(remedy "$1")" "$3"
  has "$(finding caches)" "not ok: "
}

# Each finding has all four members, and one that is not ok says what to do.
well_formed() {
  is true "$(jq 'length > 15 and all(keys == ["found", "link", "remedy", "status"] and
    (.status | IN("ok", "not ok", "not applicable")) and (.found | length > 0) and
    (.status != "not ok" or (.remedy | length > 0)))' <<<"$json")"
}

# The record of the simulated GPU becomes that of gpu0 of the node.
use_node_record() {
  sed -e "s/sim-tiny/$gpu0/; s/\(GPUCacheDriver\" value=\"\)[^\"]*/\1580.159.04/" \
    -e 's/\(GPUCacheVBIOS" value="\)[^"]*/\196.00.a5.00.1a/' "$STORED" >"$records/$gpu0.xml"
  chmod 600 "$records/$gpu0.xml"
}

@test "a chain that is ok: exit 0, and lstopo shows the caches" {
  doctor --sim "$tiny"
  is 0 "$status"
  is '' "$errors"
  well_formed
  is 0 "$(jq 'map(select(.status == "not ok")) | length' <<<"$json")"
  has "$(finding caches)" "gpu0: 5 elements in the topology; status: measured"
  has "$(finding "plugin file")" "$plugin/hwloc_gpucache.so"
  has "$(HWLOC_GPUCACHE_SIM=$tiny HWLOC_GPUCACHE=cached "$LSTOPO" --of console)" '(L1Cache) "gpu0-L1'
  # nothing was measured
  is "$(cat "$STORED")" "$(cat "$records/sim-tiny.xml")"
}

@test "the commands of hwloc in doc/install.md find the values" {
  unset HWLOC_FSROOT HWLOC_THISSYSTEM
  export HWLOC_GPUCACHE_SIM=$tiny HWLOC_GPUCACHE=cached
  local version script
  run_split hwloc-info os:all
  is 5 "$(grep -c '^ *info lstopoStyle = ' <<<"$output")"
  script=$(sed -n "s/^hwloc-info os:all | awk '\(.*\)'$/\1/p" "$top_srcdir/doc/install.md")
  [ -n "$script" ]
  is " info CapacityBytes = 8192" "$(awk "$script" <<<"$output")"
  run_split hwloc-info 'os=gpu0-L1 8KiB x4'
  has "$output" "info CapacityBytes = 8192"
  run_split "$LSTOPO" --of console --only osdev
  has "$output" '(L1Cache) "gpu0-L1 8KiB x4"'
  run_split "$LSTOPO" --of console -v
  has "$output" CapacityBytes=8192
  version=$("$LSTOPO" --version | sed 's/.* //')
  run_split hwloc-info 'os[L1Cache]:all'
  if [ "$(printf '2.10\n%s\n' "$version" | sort -V | head -n 1)" = 2.10 ]; then
    has "$output" "info CapacityBytes = 8192"
  else
    has "$errors$output" "invalid OS device subtype specification"
  fi
}

@test "as text: a line for each link, at most 100 columns unless a path is longer, and the result" {
  run_split "$tool" doctor --sim "$tiny"
  is 0 "$status"
  [[ ${lines[0]} =~ ^ok\ +libhwloc\ +this\ command\ uses ]]
  is "HWLOC_GPUCACHE_SIM=$tiny lstopo will show the caches." "${lines[-1]}"
  HWLOC_GPUCACHE=off run_split "$tool" doctor --sim "$tiny"
  is 1 "$status"
  has "$output" "to do: Run: unset HWLOC_GPUCACHE"
  has "${lines[-1]}" "lstopo will not show the caches of your GPUs; not ok: "
}

@test "on a narrow terminal only a word that is too long makes a line longer than the terminal" {
  command -v script >/dev/null || skip "script (package bsdutils) is missing"
  local columns text
  text=$("$tool" doctor --sim "$tiny" | tr -d ' \n')
  for columns in 40 60 80; do
    output=$(on_terminal "$columns" "$tool doctor --sim $tiny")
    is "$output" "$(COLUMNS=$columns "$tool" doctor --sim "$tiny")"
    # with 80 columns, such a word may be behind the name of its link, which has the first 37
    is '' "$(sed '$d' <<<"$output" | awk -v most="$columns" '
      length > most && split(most == 80 ? substr($0, 38) : $0, words, " ") > 1')"
    is '' "$(grep ' $' <<<"$output")"
    is "$text" "$(tr -d ' \n' <<<"$output")"
    # a command to copy
    is "HWLOC_GPUCACHE_SIM=$tiny lstopo will show the caches." "$(tail -n 1 <<<"$output")"
  done
}

@test "a path or a list with commas is not divided, and blanks around names do not become part of a command" {
  local dir=$records,with,many,commas columns
  cp -rp "$records" "$dir"
  for columns in 40 80 100; do
    HWLOC_GPUCACHE_DIR=$dir COLUMNS=$columns run_split "$tool" doctor --sim " $tiny , $small	"
    is 0 "$status"
    has "$output" "$dir"
    is "HWLOC_GPUCACHE_SIM=$tiny,$small lstopo will show the caches." "${lines[-1]}"
  done
}

@test "a GPU without a record: ok if the next load can measure it, and nothing is measured now" {
  rm "$records"/*
  doctor --sim "$tiny"
  is 0 "$status"
  has "$(finding record)" "not applicable: gpu0: there is no record yet"
  has "$(finding caches)" "nothing was found that prevents the next load from measuring"
  is '' "$(leftovers)"
  HWLOC_GPUCACHE=cached doctor --sim "$tiny"
  broken caches "HWLOC_GPUCACHE=cached forbids measuring" "hwloc-gpucache measure"
}

@test "two GPUs without a record: their states stand at the same object" {
  rm "$records"/*
  doctor --sim "$tiny,$top_srcdir/tests/tool/small"
  is 0 "$status"
  is 2 "$(finding caches | grep -c '^ok: gpu[01]: no valid record, and nothing was found that prevents')"
}

@test "no GPU" {
  doctor
  broken GPUs "no GPU: neither $BATS_TEST_TMPDIR/nothing/proc/driver/nvidia/gpus nor" "kernel driver"
  well_formed
}

@test "a simulated GPU with a long name that does not exist" {
  run_split "$tool" doctor --sim "$(printf 'x%.0s' {1..200})"
  is 1 "$status"
  has "$output" "'$(printf 'x%.0s' {1..40})'; available:"
}

@test "a plugin directory without the plugin, and one that does not exist" {
  mkdir "$BATS_TEST_TMPDIR/empty"
  HWLOC_PLUGINS_PATH=$BATS_TEST_TMPDIR/empty doctor --sim "$tiny"
  broken "plugin file" "hwloc_gpucache.so is in none of these directories" "HWLOC_PLUGINS_PATH="
  has "$(finding "plugin directories")" "ok: hwloc searches $BATS_TEST_TMPDIR/empty"
  HWLOC_PLUGINS_PATH=/nowhere doctor --sim "$tiny"
  broken "plugin directories" "hwloc searches /nowhere: no directory exists" "Set HWLOC_PLUGINS_PATH"
}

@test "a plugin that is garbage, and one that crashes when it is loaded" {
  mkdir "$BATS_TEST_TMPDIR/bad"
  head -c 5000 /dev/zero | tr '\0' x >"$BATS_TEST_TMPDIR/bad/hwloc_gpucache.so"
  HWLOC_PLUGINS_PATH=$BATS_TEST_TMPDIR/bad doctor --sim "$tiny"
  broken "plugin loads" "invalid ELF header" "Install the plugin again"
  has "$(finding "component ABI")" "not ok: "
  echo '__attribute__((constructor)) static void crash(void) { __builtin_trap(); }' >"$BATS_TEST_TMPDIR/crash.c"
  "${cc[@]}" -shared -fPIC -o "$BATS_TEST_TMPDIR/bad/hwloc_gpucache.so" "$BATS_TEST_TMPDIR/crash.c" || skip "no compiler"
  HWLOC_PLUGINS_PATH=$BATS_TEST_TMPDIR/bad doctor --sim "$tiny"
  [[ $(finding topology) =~ died\ of\ signal|ended\ with\ exit\ status ]] # a sanitizer catches the signal
  broken topology lstopo "if that fails, too, the reason is not this plugin"
}

@test "a plugin for another component ABI" {
  mkdir "$BATS_TEST_TMPDIR/old"
  echo 'struct { unsigned abi; char rest[100]; } hwloc_gpucache_component = { 42, "" };' >"$BATS_TEST_TMPDIR/old.c"
  "${cc[@]}" -shared -fPIC -o "$BATS_TEST_TMPDIR/old/hwloc_gpucache.so" "$BATS_TEST_TMPDIR/old.c" || skip "no compiler"
  HWLOC_PLUGINS_PATH=$BATS_TEST_TMPDIR/old doctor --sim "$tiny"
  broken "component ABI" "ABI 42 instead of" "Build the plugin with the hwloc that lstopo uses"
}

@test "a libhwloc that cannot load plugins" {
  [ "${SANITIZERS:-no}" = no ] || skip "lstopo is a wrapper"
  local library
  library=$("$tool" list --verbose --sim "$tiny" 2>&1 | sed -n 's/.*: hwloc is \([^,]*\),.*/\1/p')
  [ -r "$library" ] || skip "this build does not use a shared libhwloc"
  mkdir "$BATS_TEST_TMPDIR/lib"
  LC_ALL=C sed 's/HWLOC_PLUGINS_PATH/HWLOC_NOTHING_PATH/g' "$library" >"$BATS_TEST_TMPDIR/lib/${library##*/}"
  LD_LIBRARY_PATH=$BATS_TEST_TMPDIR/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} doctor --sim "$tiny"
  is 1 "$status"
  has "$(finding libhwloc)" "not ok: this command uses $BATS_TEST_TMPDIR/lib/${library##*/}"
  has "$(finding lstopo)" "which was built without support for plugins"
  has "$(remedy lstopo)" "--enable-plugins"
}

@test "HWLOC_COMPONENTS excludes the component" {
  local list
  for list in -gpucache -x86,-gpucache -gpucache:misc linux,stop; do
    HWLOC_COMPONENTS=$list doctor --sim "$tiny"
    broken HWLOC_COMPONENTS "HWLOC_COMPONENTS=$list excludes gpucache" "gpucache"
  done
  for list in gpucache,stop -x86,-gpucaches; do
    HWLOC_COMPONENTS=$list doctor --sim "$tiny"
    has "$(finding HWLOC_COMPONENTS)" "ok: HWLOC_COMPONENTS=$list does not exclude"
  done
}

@test "HWLOC_GPUCACHE=off" {
  HWLOC_GPUCACHE=off doctor --sim "$tiny"
  broken HWLOC_GPUCACHE "off: loads do nothing" "unset HWLOC_GPUCACHE"
}

@test "a topology that is not that of this system" {
  HWLOC_THISSYSTEM=0 doctor --sim "$tiny"
  broken "this system" "HWLOC_THISSYSTEM=0" "unset HWLOC_THISSYSTEM"
  unset HWLOC_THISSYSTEM
  doctor --sim "$tiny"
  broken "this system" "HWLOC_FSROOT=$HWLOC_FSROOT" "export HWLOC_THISSYSTEM=1"
  unset HWLOC_FSROOT HWLOC_COMPONENTS
  HWLOC_SYNTHETIC="pu:2" doctor --sim "$tiny"
  broken "this system" "HWLOC_SYNTHETIC=pu:2" "unset HWLOC_SYNTHETIC"
  "$LSTOPO" --of xml >"$BATS_TEST_TMPDIR/this.xml"
  HWLOC_XMLFILE=$BATS_TEST_TMPDIR/this.xml doctor --sim "$tiny"
  broken "this system" "HWLOC_XMLFILE=$BATS_TEST_TMPDIR/this.xml" "unset HWLOC_XMLFILE"
}

@test "a directory for records that cannot be written: only a GPU without a record is concerned" {
  chmod 500 "$records"
  run_split "${plain[@]}" "$tool" doctor --json --sim "$tiny"
  read_findings "$output"
  has "$(finding "record directory")" "not ok: no record can be stored: "
  has "$(remedy "record directory")" "HWLOC_GPUCACHE_DIR"
  is 0 "$status"
  chmod 700 "$records"
  rm "$records"/*
  chmod 500 "$records"
  run_split "${plain[@]}" "$tool" doctor --json --sim "$tiny"
  read_findings "$output"
  broken caches "no record can be stored" measure
}

@test "no HOME and no variable for records" {
  run_split env -u HOME -u HWLOC_GPUCACHE_DIR "$tool" doctor --json --sim "$tiny"
  read_findings "$output"
  broken "record directory" "XDG_CACHE_HOME or HOME" HWLOC_GPUCACHE_DIR
}

@test "a stale record, and an unreadable one" {
  use_node
  use_node_record
  sed -i 's/value="580.159.04"/value="570.1"/' "$records/$gpu0.xml"
  doctor
  broken record 'stale: ' "hwloc-gpucache measure gpu0"
  has "$(finding record)" 'driver "570.1"'
  echo garbage >"$records/$gpu0.xml"
  doctor
  broken record "gpu0: unreadable: " "hwloc-gpucache measure"
}

@test "a GPU with a record and one without: not all caches are shown" {
  use_node
  use_node_record
  doctor
  has "$(finding caches)" "ok: gpu0: 5 elements"
  broken caches "gpu1: not in the topology: the vendor's library cannot be loaded" measure
  broken "vendor library" "cannot load the CUDA driver" libcuda
  has "$(finding driver)" "ok: gpu0: nvidia 580.159.04"
}

@test "a stored failure: why, its age, and when it is tried again" {
  use_node
  "$tool" measure gpu0 >/dev/null 2>&1 || true
  [ -e "$records/$gpu0.failed" ]
  doctor
  broken "last failure" "gpu0: measuring failed 0 minutes ago (" "hwloc-gpucache measure gpu0"
  [[ $(finding "last failure") =~ loads\ try\ again\ from\ 20[0-9-]+T ]]
}

@test "CUDA_VISIBLE_DEVICES hides all GPUs, or one of two" {
  use_node
  use_node_record
  CUDA_VISIBLE_DEVICES= doctor
  has "$(finding "visible devices")" "not ok: gpu0: CUDA_VISIBLE_DEVICES is empty, which hides this GPU"
  has "$(remedy "visible devices")" "unset CUDA_VISIBLE_DEVICES"
  has "$(finding caches)" "ok: gpu0: 5 elements" # its record is shown nevertheless
  rm "$records/$gpu0.xml"
  CUDA_VISIBLE_DEVICES= doctor
  broken "visible devices" "gpu1: CUDA_VISIBLE_DEVICES is empty" "unset CUDA_VISIBLE_DEVICES"
  # a job that may use one of the GPUs
  use_node_record
  CUDA_VISIBLE_DEVICES=$gpu0 doctor
  is 0 "$status"
  has "$(finding caches)" "not applicable: gpu1: not in the topology: CUDA_VISIBLE_DEVICES is '$gpu0'"
}

@test "an AMD GPU: its driver and its device nodes" {
  "$top_srcdir/tests/data/amd-tree.sh" "$BATS_TEST_TMPDIR/amd" mi100 1 0000:c1:00.0
  use_tree "$BATS_TEST_TMPDIR/amd"
  doctor
  well_formed
  has "$(finding "device nodes")" "/dev/kfd"
}

@test "the command that a load starts is missing: only a GPU without a record is concerned" {
  HWLOC_GPUCACHE_TOOL=/nowhere/tool doctor --sim "$tiny"
  is 0 "$status"
  has "$(finding command)" "not ok: a load cannot start /nowhere/tool: No such file"
  rm "$records"/*
  HWLOC_GPUCACHE_TOOL=/nowhere/tool doctor --sim "$tiny"
  broken command "/nowhere/tool" HWLOC_GPUCACHE_TOOL
}

# fake_lstopo COMMAND: a script in PATH with that name.
fake_lstopo() {
  mkdir -p "$BATS_TEST_TMPDIR/bin"
  printf '#!/bin/sh\n%s\n' "$1" >"$BATS_TEST_TMPDIR/bin/lstopo"
  chmod +x "$BATS_TEST_TMPDIR/bin/lstopo"
}

@test "an lstopo that crashes, hangs or prints nonsense is a result" {
  local pid=$BATS_TEST_TMPDIR/pid leap="$SANITIZER_PRELOAD $top_builddir/tests/plugin/.libs/libleap.so"
  fake_lstopo 'kill -SEGV $$'
  PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --sim "$tiny"
  broken topology "died of signal 11" "not this plugin"
  # its 15 seconds pass when it has started
  [ -e "${leap##* }" ] || skip "${leap##* } is not built"
  fake_lstopo "echo \$\$ >'$pid'; exec sleep 300"
  LEAP=30 LEAP_AFTER=$pid LD_PRELOAD=$leap PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --sim "$tiny"
  broken topology "did not end within 15 s" "not this plugin"
  [ ! -e "/proc/$(cat "$pid")" ]
  fake_lstopo 'echo hello'
  PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --sim "$tiny"
  broken topology "printed what is not read: " "not this plugin"
  well_formed
}

# nested NUMBER: a topology with that many objects in each other.
nested() {
  local sets='cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"'
  printf '<?xml version="1.0"?>\n<topology version="2.0">\n'
  printf '<object type="Machine" os_index="0" %s allowed_cpuset="0x1" allowed_nodeset="0x1" gp_index="1">\n' "$sets"
  printf '<object type="NUMANode" os_index="0" %s gp_index="2" local_memory="1024"/>\n' "$sets"
  printf '<object type="PU" os_index="0" %s gp_index="3"/>\n' "$sets"
  yes '<object type="Misc" name="x">' | head -n "$1"
  yes '</object>' | head -n $(($1 + 1))
  printf '</topology>\n'
}

@test "libhwloc gets no objects that are nested so deeply that it crashes" {
  fake_lstopo "exec cat '$BATS_TEST_TMPDIR/nested.xml'"
  nested 60 >"$BATS_TEST_TMPDIR/nested.xml"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --sim "$tiny"
  has "$(finding topology)" "ok: "
  nested 200000 >"$BATS_TEST_TMPDIR/nested.xml"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --sim "$tiny"
  broken topology "printed what is not read: line 68: objects nested too deep" "not this plugin"
}

@test "no lstopo: this program loads the topology" {
  output=$(PATH=/nowhere "$tool" doctor --json --sim "$tiny")
  read_findings "$output"
  has "$(finding lstopo)" "not applicable: there is no lstopo in PATH"
  has "$(finding topology)" "ok: this program loads a topology"
  has "$(finding caches)" "ok: gpu0: 5 elements"
}

# A package like pyhwloc 3.0 in $modules: opens its own libhwloc with RTLD_GLOBAL, and replaces HWLOC_PLUGINS_PATH.
fake_pyhwloc() {
  local library
  [ -z "${SANITIZER_PRELOAD:-}" ] || skip "Python is not built with the sanitizers"
  python3 -c 'import ctypes' || skip "no python3"
  modules=$BATS_TEST_TMPDIR/modules
  own=$modules/pyhwloc/_lib/lib
  library=$(ldd "$tool" | awk '$1 ~ /^libhwloc/ { print $3 }')
  mkdir -p "$own/hwloc"
  cp -L "$library" "$own/libhwloc.so"
  echo 'from .topology import from_this_system' >"$modules/pyhwloc/__init__.py"
  cat >"$modules/pyhwloc/topology.py" <<'PY'
import ctypes, enum, os

lib = os.path.join(os.path.dirname(__file__), "_lib", "lib")
os.environ["HWLOC_PLUGINS_PATH"] = os.path.join(lib, "hwloc")
hwloc = ctypes.CDLL(os.path.join(lib, "libhwloc.so"), mode=ctypes.RTLD_GLOBAL)


class TypeFilter(enum.IntEnum):
    KEEP_IMPORTANT = 3


class ExportXmlFlags(enum.IntEnum):
    V2 = 2 if hwloc.hwloc_get_api_version() >= 0x30000 else 0


def get_api_version():
    version = hwloc.hwloc_get_api_version()
    return version >> 16, version >> 8 & 255, version & 255


class Topology:
    def __init__(self):
        self.handle = ctypes.c_void_p()
        assert not hwloc.hwloc_topology_init(ctypes.byref(self.handle))

    def set_io_types_filter(self, types):
        assert not hwloc.hwloc_topology_set_io_types_filter(self.handle, types)
        return self

    def __enter__(self):
        assert not hwloc.hwloc_topology_load(self.handle)
        return self

    def __exit__(self, *_):
        hwloc.hwloc_topology_destroy(self.handle)

    def export_xml_buffer(self, flags):
        text, length = ctypes.c_char_p(), ctypes.c_int()
        assert not hwloc.hwloc_topology_export_xmlbuffer(
            self.handle, ctypes.byref(text), ctypes.byref(length), ctypes.c_ulong(flags))
        return text.value.decode()


from_this_system = Topology
PY
}

@test "doctor --python: pyhwloc searches for plugins only beside its own libhwloc" {
  fake_pyhwloc
  export PYTHONPATH=$modules PYTHONDONTWRITEBYTECODE=1
  doctor --python --sim "$tiny"
  broken "plugin file" "hwloc_gpucache.so is in none of these directories" "$own/hwloc"
  has "$(finding pyhwloc)" "ok: $modules/pyhwloc uses $own/libhwloc.so (hwloc "
  has "$(finding pyhwloc)" "it sets HWLOC_PLUGINS_PATH=$own/hwloc"
  has "$(finding topology)" "not ok: pyhwloc in "
  is '' "$(finding lstopo)"
  well_formed
  ln -s "$plugin/hwloc_gpucache.so" "$own/hwloc"
  doctor --python --sim "$tiny"
  is 0 "$status"
  has "$(finding caches)" "ok: gpu0: 5 elements in the topology; status: measured"
  has "$("$tool" doctor --python --sim "$tiny")" "HWLOC_GPUCACHE_SIM=$tiny python3 with pyhwloc will show the caches."
}

@test "doctor --python: a plugin for another hwloc, and a libhwloc whose functions plugins do not find" {
  fake_pyhwloc
  export PYTHONPATH=$modules PYTHONDONTWRITEBYTECODE=1
  ln -s "$plugin/hwloc_gpucache.so" "$own/hwloc"
  sed -i 's/, mode=ctypes.RTLD_GLOBAL//' "$modules/pyhwloc/topology.py"
  doctor --python --sim "$tiny"
  broken "plugin loads" "undefined symbol: hwloc_" "copy it to $own/hwloc"
  rm "$own/hwloc/hwloc_gpucache.so"
  echo 'struct { unsigned abi; char rest[100]; } hwloc_gpucache_component = { 42, "" };' >"$BATS_TEST_TMPDIR/old.c"
  "${cc[@]}" -shared -fPIC -o "$own/hwloc/hwloc_gpucache.so" "$BATS_TEST_TMPDIR/old.c" || skip "no compiler"
  doctor --python --sim "$tiny"
  broken "component ABI" "the plugin was built for another hwloc" "Build the plugin with hwloc "
}

@test "doctor --python: no python3, no pyhwloc, and one in the working directory, which is not imported" {
  [ -z "${SANITIZER_PRELOAD:-}" ] || skip "Python is not built with the sanitizers"
  python3 -c '' || skip "no python3"
  mkdir "$BATS_TEST_TMPDIR/here"
  cd "$BATS_TEST_TMPDIR/here"
  echo 'open("imported", "w")' >pyhwloc.py
  PYTHONPATH= doctor --python --sim "$tiny"
  broken pyhwloc "cannot import pyhwloc: ended with exit status 1: ModuleNotFoundError" "first in PATH"
  [ ! -e imported ]
  json=$(PATH=/nowhere "$tool" doctor --json --python --sim "$tiny") && return 1
  read_findings "$json"
  has "$(finding pyhwloc)" "not ok: python3 cannot import pyhwloc: cannot be started: "
}

@test "a check that hangs in this process: what was found until then, exit 1" {
  [ "${SANITIZERS:-no}" = no ] || skip "the sanitizers must be the first library"
  # the time passes when the check hangs; without the limit, it would never end. The load of lstopo hangs before.
  local libs=$top_builddir/tests/plugin/.libs mark=$BATS_TEST_TMPDIR/mark
  [ -e "$libs/libleap.so" ] || skip "$libs/libleap.so is not built"
  HWLOC_GPUCACHE_TIMEOUT=0.5 LEAP=600 LEAP_AFTER=$mark BLOCK_MARK=$mark BLOCK_PATH=$records BLOCK_CALLS=rw \
    LD_PRELOAD="$libs/libblock.so $libs/libleap.so" run_split \
    timeout 300 "$tool" doctor --json --sim "$tiny" --timeout 100
  read_findings "$output"
  is 1 "$status"
  has "$errors" "not finished after 100 s"
  has "$(finding "record directory")" "not ok: this check did not end"
  has "$(remedy "record directory")" "hangs"
}

# harmful FLAG…: a program that is linked with these flags, in $harmful; whatever it names writes the file $ran.
harmful() {
  ran=$BATS_TEST_TMPDIR/ran harmful=$BATS_TEST_TMPDIR/harmful
  echo 'int main(void) { return 0; }' >"$BATS_TEST_TMPDIR/main.c"
  "${cc[@]}" -o "$harmful" "$BATS_TEST_TMPDIR/main.c" "$@"
}

@test "doctor PROGRAM runs nothing that the program names: not its interpreter, auditing libraries or libraries" {
  [ "${SANITIZERS:-no}" = no ] || skip "the libraries would need the sanitizers"
  local evil=$BATS_TEST_TMPDIR/evil name
  printf '#!/bin/sh\necho >%s\n' "$BATS_TEST_TMPDIR/ran" >"$evil"
  chmod +x "$evil"
  cat >"$evil.c" <<END
#include <fcntl.h>
__attribute__((constructor)) static void run(void) { open("$BATS_TEST_TMPDIR/ran", O_CREAT, 0600); }
unsigned la_version(unsigned version) { run(); return version; }
int evil(void) { return 0; }
static int (*resolve(void))(void) { run(); return evil; }
int indirect(void) __attribute__((ifunc("resolve")));
END
  "${cc[@]}" -shared -fPIC -o "$BATS_TEST_TMPDIR/libevil.so" "$evil.c" || skip "no compiler"
  for name in "-Wl,--dynamic-linker=$evil" "-Wl,--audit=$BATS_TEST_TMPDIR/libevil.so" \
    "-Wl,--no-as-needed -Wl,-z,now $BATS_TEST_TMPDIR/libevil.so"; do
    # shellcheck disable=SC2086 # several flags
    harmful $name
    LD_BIND_NOW=1 LD_WARN=1 doctor "$harmful" --sim "$tiny"
    has "$(finding program)" "not applicable: $harmful loads no libhwloc when it starts"
    [ ! -e "$ran" ]
  done
}

@test "doctor PROGRAM finds libhwloc by run paths, LD_LIBRARY_PATH and LD_PRELOAD, and says if it is not found" {
  local dir=$BATS_TEST_TMPDIR/origin
  mkdir -p "$dir/bin" "$dir/lib"
  echo 'int own(void) { return 0; }' >"$BATS_TEST_TMPDIR/lib.c"
  "${cc[@]}" -shared -fPIC -Wl,-soname,libhwloc.so.99 -o "$dir/lib/libhwloc.so.99" "$BATS_TEST_TMPDIR/lib.c" ||
    skip "no compiler"
  harmful -Wl,--no-as-needed "$dir/lib/libhwloc.so.99"
  doctor "$harmful" --sim "$tiny"
  has "$(finding program)" "cannot be examined: it needs libhwloc.so.99, which is not found"
  LD_LIBRARY_PATH=/nowhere:$dir/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} doctor "$harmful" --sim "$tiny"
  has "$(finding program)" "$harmful uses $dir/lib/libhwloc.so.99, which was built without support for plugins"
  for tags in --enable-new-dtags --disable-new-dtags; do
    # shellcheck disable=SC2016 # for the linker
    harmful -Wl,--no-as-needed "$dir/lib/libhwloc.so.99" "-Wl,$tags,-rpath,\$ORIGIN/../lib"
    mv "$harmful" "$dir/bin/program"
    doctor "$dir/bin/program" --sim "$tiny"
    has "$(finding program)" "uses $dir/bin/../lib/libhwloc.so.99, which"
  done
  harmful
  if [ "${SANITIZERS:-no}" = no ]; then
    LD_PRELOAD=$dir/lib/libhwloc.so.99 doctor "$harmful" --sim "$tiny"
    has "$(finding program)" "uses $dir/lib/libhwloc.so.99, which"
  fi
}

@test "doctor PROGRAM expands variables of run paths and reads LD_LIBRARY_PATH as the dynamic linker does" {
  local dir=$BATS_TEST_TMPDIR/tokens path used compared=0
  echo 'int own(void) { return 0; }' >"$BATS_TEST_TMPDIR/lib.c"
  mkdir -p "$dir/first"
  "${cc[@]}" -shared -fPIC -Wl,-soname,libhwloc.so.99 -o "$dir/first/libhwloc.so.99" "$BATS_TEST_TMPDIR/lib.c" ||
    skip "no compiler"
  cd "$dir"
  # each directory that a variable can stand for has a library
  for path in lib lib64 "lib/$(uname -m)-linux-gnu" "$(uname -m)" haswell '$LIBX' .; do
    mkdir -p "$path" && cp first/libhwloc.so.99 "$path/"
  done
  # shellcheck disable=SC2016 # for the linker
  for path in '$ORIGIN/$LIB' '${ORIGIN}/${LIB}' '$ORIGIN/$PLATFORM' '$ORIGIN/$LIBX' '$ORIGIN/${LIB'; do
    harmful -Wl,--no-as-needed first/libhwloc.so.99 "-Wl,-rpath,$path"
    mv "$harmful" "$dir/program"
    used=$(ldd "$dir/program" | sed -n 's/.*libhwloc.so.99 => \(\/.*\) (.*/\1/p')
    doctor "$dir/program" --sim "$tiny"
    if [ -n "$used" ]; then
      has "$(finding program)" "uses $used, which"
      compared=$((compared + 1))
    else
      has "$(finding program)" "it needs libhwloc.so.99, which is not found"
    fi
  done
  [ "$compared" -ge 3 ]
  # an empty directory is the working directory, also at the end of the list
  cd first
  harmful -Wl,--no-as-needed libhwloc.so.99
  for path in /nowhere: :/nowhere /nowhere::/nowhere; do
    LD_LIBRARY_PATH=$path run ldd "$harmful"
    has_not "$output" "not found"
    LD_LIBRARY_PATH=$path doctor "$harmful" --sim "$tiny"
    has "$(finding program)" "uses ./libhwloc.so.99, which"
  done
}

@test "doctor PROGRAM opens regular files only, also if the program needs others" {
  mkfifo "$BATS_TEST_TMPDIR/libfifo.so"
  echo 'int own(void) { return 0; }' >"$BATS_TEST_TMPDIR/lib.c"
  "${cc[@]}" -shared -fPIC -o "$BATS_TEST_TMPDIR/libplain.so" "$BATS_TEST_TMPDIR/lib.c" || skip "no compiler"
  harmful -Wl,--no-as-needed "$BATS_TEST_TMPDIR/libplain.so"
  rm "$BATS_TEST_TMPDIR/libplain.so"
  mv "$BATS_TEST_TMPDIR/libfifo.so" "$BATS_TEST_TMPDIR/libplain.so"
  # a writer at the FIFO would succeed if somebody opened it for reading
  (timeout 5 sh -c "echo >'$BATS_TEST_TMPDIR/libplain.so'" && echo opened >"$BATS_TEST_TMPDIR/opened") &
  doctor "$harmful" --sim "$tiny"
  has "$(finding program)" "loads no libhwloc when it starts"
  wait $! || true
  [ ! -e "$BATS_TEST_TMPDIR/opened" ]
  doctor "$BATS_TEST_TMPDIR" --sim "$tiny"
  has "$(finding program)" "cannot be examined: it cannot be read: Is a directory"
}

@test "doctor PROGRAM survives that another process cuts the program" {
  [ "${SANITIZERS:-no}" = no ] || skip "the sanitizers must be the first library"
  harmful || skip "no compiler"
  LD_PRELOAD=$top_builddir/tests/tool/.libs/libcut.so CUT=$harmful doctor "$harmful" --sim "$tiny"
  has "$(finding program)" "cannot be examined: it is no ELF program"
  is 0 "$(stat -c %s "$harmful")"
}

@test "an lstopo that prints without end is stopped at 64 MiB" {
  fake_lstopo 'exec yes 2>/dev/null'
  PATH=$BATS_TEST_TMPDIR/bin:$PATH doctor --sim "$tiny"
  broken topology "printed more than 64 MiB" "not this plugin"
}

@test "wrong arguments" {
  run_split "$tool" doctor one two
  is 2 "$status"
  has "$errors" "doctor takes one program, but there is also 'two'"
  run_split "$tool" doctor --force
  is 2 "$status"
  run_split "$tool" list --json
  is 2 "$status"
  doctor /nowhere/program
  is 1 "$status"
  has "$(finding program)" "not ok: there is no program '/nowhere/program'"
  # names of other things, which a path cannot be confused with
  mkdir -p "$BATS_TEST_TMPDIR/here/ls"
  cp "$STORED" "$BATS_TEST_TMPDIR/here/rec.xml"
  cd "$BATS_TEST_TMPDIR/here"
  doctor rec.xml --sim "$tiny"
  is 1 "$status"
  has "$(finding program)" "not ok: 'rec.xml' is a file here; doctor takes a program: a name in PATH, or a path"
  doctor ls --sim "$tiny"
  is 1 "$status"
  has "$(finding program)" "not ok: 'ls' is a directory here; doctor takes a program"
  has "$(remedy program)" "For the program $(type -P ls), give that path."
  doctor "$STORED" --sim "$tiny"
  has "$(finding program)" "cannot be examined: it is no ELF program"
}
