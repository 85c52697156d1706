#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The commands in the documents, run one after the other as a new user would, on a simulated GPU. not_run() lists those
# that cannot be run here. The word after ``` says what a block of code has:
# - console: commands and what they print. "$ " begins a command and "> " continues it, "..." stands for any text.
# - sh: commands, possibly with comments. They must succeed.
# - text, c, python, tsv: no commands.
# The examples of the manual page count as sh. What commands print on stderr does not count: hwloc complains there about
# a machine without /sys.

doors=(doc/use-lstopo.md doc/write-a-program.md doc/tune-a-kernel.md doc/deploy.md)

setup() {
  load setup.bash
  prepare
  use_record h200 t1000
  export HWLOC_COMPONENTS=-x86 HWLOC_PLUGINS_PATH=$top_builddir/src/plugin/.libs HWLOC_GPUCACHE_TOOL=$tool
  export C_INCLUDE_PATH=$top_srcdir/include PYTHONPATH=$top_srcdir/contrib/python PYTHONDONTWRITEBYTECODE=1
  # what packages install
  mkdir "$BATS_TEST_TMPDIR/bin"
  ln -s "$tool" "$BATS_TEST_TMPDIR/bin/hwloc-gpucache"
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$LSTOPO")" >"$BATS_TEST_TMPDIR/bin/lstopo"
  chmod +x "$BATS_TEST_TMPDIR/bin/lstopo"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  read_not_run
}

# The first line of each command that is not run, without its comment. Every one of them is in a document.
not_run() {
  cat <<'LIST'
# install packages or change the system, as root
apt-get install gcc make pkg-config autoconf automake libtool \
sudo make install
systemd-tmpfiles --create hwloc-gpucache.conf
udevadm control --reload
systemctl daemon-reload
systemctl enable --now hwloc-gpucache
install -d -m 755 $dir
HWLOC_GPUCACHE_DIR=$dir hwloc-gpucache measure
chmod 644 $dir/*.xml
install -d -m 755 /run/hwloc-gpucache
# build this project, as was done before this test; .ci/run and contrib/quickstart use the same commands
contrib/quickstart show
contrib/quickstart check
contrib/quickstart packages
./autogen.sh
./autogen.sh && mkdir -p build/dev && cd build/dev
./autogen.sh && mkdir -p build/mi && cd build/mi
./configure
../../configure --enable-werror
../../configure && make -j"$(nproc)"
make
make -j4 CUBIN_ARCHS=90
make tests/gpu/chase-smoke
make check
make check TESTS=tests/unit/test_store
make check TESTS='tests/kernels/amd.sh tests/kernels/check_amd_images'
make check TESTS=tests/emulator/emulator.sh TINYGRAD=/where/tinygrad/is
make check TESTS= && tests/replay/replay --markdown
# record a program, which needs an NVIDIA GPU; tests/tracing has a stand-in, which also runs the one of README.md
hwloc-gpucache trace -- ./your-program its arguments
hwloc-gpucache predict your-program.trace
hwloc-gpucache predict -- ./your-program its arguments
hwloc-gpucache predict -- ./your-program
hwloc-gpucache predict -- ./rows
hwloc-gpucache predict --record h200.xml -- ./your-program
tests/gpu/trace.sh
tests/gpu/sample.sh
tests/gpu/torch.sh
# take minutes to hours
make check-fault check-fuzz check-threads
make check-calibration KIND=all SEED=2026 NOISE=2026 DRAWN=2000
tests/calibration/calibrate --earn FILE --kind all -n 600 -s 1 -t 1
tests/calibration/calibrate --earn PART --kind all -n 300 -s 1 -t 1
tests/calibration/calibrate --earn FILE --continue PART --kind all -n 300 -s 1 -t 1
for seed in 11 12 13; do
awk -f tests/calibration/summary.awk 11.tsv 12.tsv 13.tsv
# download the sources of other programs, or build these
./configure --enable-plugins --prefix=/opt/hwloc
make && sudo make install
git clone https://github.com/open-mpi/hwloc && cd hwloc
./autogen.sh && ./configure --enable-plugins --prefix=$HOME/hwloc3 && make install
cd ../hwloc-gpucache && mkdir -p build/hwloc3 && cd build/hwloc3
PKG_CONFIG_PATH=$HOME/hwloc3/lib/pkgconfig ../../configure && make src/plugin/hwloc_gpucache.la
cp src/plugin/.libs/hwloc_gpucache.so "$(python3 -c 'import os, pyhwloc; print(os.environ["HWLOC_PLUGINS_PATH"])')"
for version in 2.4.1 2.7.2 2.9.3 2.14.0; do
contrib/test-hwloc $HOME/hwloc/{2.4.1,2.7.2,2.9.3,2.14.0,3.0}
git clone https://github.com/accel-sim/accel-sim-framework
cd accel-sim-framework/util/tracer_nvbit
./install_nvbit.sh
export DYNAMIC_KERNEL_LIMIT_START=3 DYNAMIC_KERNEL_LIMIT_END=3
LD_PRELOAD=$PWD/tracer_tool/tracer_tool.so ./your-program
tracer_tool/traces-processing/post-traces-processing traces/kernelslist
pip install contrib/python
# need Spack, EasyBuild, MPI or a container that is not here
git -C spack-packages apply hwloc-gpucache/contrib/upstream/spack-hwloc-plugins.patch
eb --sourcepath=DIR --robot hwloc-gpucache-0.2.0-GCCcore-14.3.0.eb
module load hwloc-gpucache
ldd ./program | grep hwloc
HWLOC_COMPONENTS_VERBOSE=1 mpirun -n 1 ./program 2>&1 | grep gpucache
apptainer exec --nv -B /var/cache/hwloc-gpucache:/var/cache/hwloc-gpucache:ro image.sif lstopo
docker run --gpus all -v /var/cache/hwloc-gpucache:/var/cache/hwloc-gpucache:ro image lstopo
# need a program of the reader; tests/compat/late.bats has one
LD_PRELOAD=libhwloc.so.15 python3 program.py
# need a real GPU, mostly one of AMD; tests/tool/first-day.bats runs contrib/first-day with a simulated one
make check-gpu bench
make check-gpu-predict
make check-gpu-predict OUT=DIR
export LD_LIBRARY_PATH=/opt/rocm/lib
../../contrib/first-day
contrib/first-day --tool build/hwloc-gpucache
./hwloc-gpucache list
../../contrib/first-day --runs 2 --output partitions gpu3
time ./hwloc-gpucache measure --force --no-store --only LDS gpu0
ROCR_VISIBLE_DEVICES=2,1 ./hwloc-gpucache measure --force --no-store --only LDS gpu1
docker run --device /dev/kfd --device /dev/dri/renderD131 …
top_builddir=BUILD HWLOC_PLUGINS_PATH=BUILD/src/plugin/.libs tests/bench/together.sh 20 64
# need a node with several GPUs; tests/plugin/memattrs.bats and tests/tool/peers.bats have one
./best-node
./best-gpu 3
lstopo -v | grep GPUMemory
hwloc-gpucache measure --peers
lstopo --memattrs | grep -A4 ReadLatency
hwloc-info --filter io:important 'os=gpu1-Memory 80GiB' | grep HostReadGBps
lstopo --memattrs | grep -A4 ReadBandwidth
lstopo --distances | grep -A4 ReadBandwidth
lstopo --distances
# needs a thousand records
hwloc-gpucache compare thousand
LIST
}

read_not_run() {
  local line
  declare -gA omitted=()
  while IFS= read -r line; do
    [[ $line == '#'* ]] || omitted[$line]=0
  done < <(not_run)
}

# pattern TEXT: a pattern that matches only this text, with "..." as any text.
pattern() { sed 's/[][()*?|\\]/\\&/g; s/\.\.\./*/g' <<<"$1"; }

# check_command: runs $command in this shell, unless it is in not_run, and compares what it prints with $expected.
check_command() {
  local form first status=0
  [ -n "$command" ] || return 0
  first=${command%%$'\n'*}
  [[ ! $first =~ ' '+'# ' ]] || first=${first%%"${BASH_REMATCH[0]}"*}
  commands=$((commands + 1))
  if [ -n "${omitted[$first]:-}" ]; then
    omitted[$first]=1
    return 0
  fi
  runs=$((runs + 1))
  ! $only_read || return 0
  form=$(pattern "${expected%$'\n'}")
  eval "$command" >"$BATS_TEST_TMPDIR/printed" 2>"$BATS_TEST_TMPDIR/errors" </dev/null || status=$?
  output=$(cat "$BATS_TEST_TMPDIR/printed")
  # shellcheck disable=SC2053 # it is a pattern
  [ $status = 0 ] && [[ $output == $form ]] ||
    { printf 'in %s: %s\nended with %d and printed:\n%s\nnot:\n%s\n%s\n' "$page" "$command" $status "$output" "$expected" \
      "$(cat "$BATS_TEST_TMPDIR/errors")"; return 1; }
}

# add_line LINE: of a block of sh. Runs the command if this line completes it.
add_line() {
  [[ -n $command || $1 == [!#]* ]] || return 0
  command+=${command:+$'\n'}$1
  if [[ $1 != *'\' ]] && bash -n <<<"$command" 2>/dev/null; then
    check_command || return
    command=
  fi
}

# read_page PAGE: runs its commands, or with $only_read only marks those of not_run. Sets $commands, their number, and
# $runs, the number of those that are run.
read_page() {
  local page=$1 line block=none command='' expected=''
  commands=0 runs=0
  while IFS= read -r line <&3; do
    case $block:$line in
      none:'```console' | none:'```sh') block=${line#'```'} ;;
      none:'```'[a-z]*) block=other ;;
      none:'```'*) echo "$page: a block of code does not say what it has"; return 1 ;;
      none:.Bd*) block=mdoc ;;
      console:'```' | other:'```') check_command || return; command='' expected='' block=none ;;
      sh:'```' | mdoc:.Ed)
        [ -z "$command" ] || { echo "$page: this command does not end: $command"; return 1; }
        block=none ;;
      console:'$ '*) check_command || return; command=${line#'$ '} expected='' ;;
      console:'> '*) command+=$'\n'${line#'> '} ;;
      console:*) expected+=$line$'\n' ;;
      sh:*) expected=...; add_line "$line" || return ;;
      mdoc:*) expected=...; add_line "${line#'$ '}" || return ;;
      other:'$ '*) echo "$page: a command in a block of text: $line"; return 1 ;;
    esac
  done 3< <(sed -n '/^```/,/^```$/p; /^\.Bd/,/^\.Ed/p' "$page")
}

# run_page PAGE: in a directory that has what the page takes for granted.
run_page() {
  local here=$BATS_TEST_TMPDIR/here only_read=false file
  rm -rf "$here"
  mkdir -p "$here"/records/n1 "$here"/records/n2
  cp "$top_srcdir/doc/examples/gpucache-read.c" "$top_srcdir"/tests/data/traces/*.{g,traceg,xz} "$here"
  for file in h200 h100 old records/n1/gpu records/n2/gpu; do cp "$records/sim-h200.xml" "$here/$file.xml"; done
  block text doc/traces.md >"$here/FILE"
  ln -s "$(realpath "$top_srcdir")/doc" "$here/doc"
  cd "$here"
  read_page "$top_srcdir/$1"
}

# block LANGUAGE PAGE [FIRST]: the first one with this word, and with this at the begin of its first line.
block() {
  awk -v begin="\`\`\`$1" -v first="^${3:-}" '
    /^```/ { inside = 0 }
    starts && !found && $0 ~ first { inside = found = 1 }
    inside
    { starts = $0 == begin }' "$top_srcdir/$2"
}

# documents: those that have blocks of code.
documents() {
  (cd "$top_srcdir" && grep -l '^```' ./*.md doc/*.md doc/results/*.md doc/results/*/*.md contrib/*/*.md | sed 's|^\./||'
    echo doc/hwloc-gpucache.1.in)
}

@test "doc/use-lstopo.md" {
  run_page doc/use-lstopo.md
  [ "$commands" -gt 0 ]
}

@test "doc/write-a-program.md, whose example is the one in doc/examples" {
  pkg-config --exists hwloc && command -v jq python3 >/dev/null || skip "no pkg-config, jq or python3"
  [ -z "${SANITIZER_PRELOAD:-}" ] || skip "the example is not built with the sanitizers"
  is "$(sed '/^\/\*/,/\*\//d' "$top_srcdir/doc/examples/gpucache-read.c")" \
    "$(block c doc/write-a-program.md)"
  run_page doc/write-a-program.md
  [ "$commands" -gt 0 ]
}

@test "doc/tune-a-kernel.md" {
  command -v jq python3 >/dev/null || skip "no jq or python3"
  run_page doc/tune-a-kernel.md
  [ "$commands" -gt 0 ]
}

@test "doc/deploy.md" {
  run_page doc/deploy.md
  [ "$commands" -gt 0 ]
}

@test "the traces in doc/traces.md can be predicted" {
  cd "$BATS_TEST_TMPDIR"
  block tsv doc/traces.md >trace.tsv
  block text doc/traces.md blocksize >trace.trc
  "$tool" --sim h200 predict trace.tsv trace.trc
}

@test "the other documents" {
  command -v jq >/dev/null || skip "no jq"
  local page
  export HWLOC_GPUCACHE_SIM=h200
  for page in $(documents); do
    [[ " ${doors[*]} " == *" $page "* ]] || (run_page "$page")
  done
}

@test "what is not run is in a document, and doc/testing.md has the number of what is run" {
  local page only_read=true first unused=0 all=0 all_runs=0
  for page in $(documents); do
    read_page "$top_srcdir/$page"
    all=$((all + commands)) all_runs=$((all_runs + runs))
  done
  is "$all_runs of $all commands run" "$(grep -o '[0-9]* of [0-9]* commands run' "$top_srcdir/doc/testing.md")"
  for first in "${!omitted[@]}"; do
    [ "${omitted[$first]}" = 1 ] || { echo "in not_run, but in no document: $first"; unused=1; }
  done
  return $unused
}

# what read_page does with a page that has this text
reads() {
  printf '%s\n' "$@" >page.md
  run read_page page.md
}

@test "a command is noticed that prints something else, fails, does not end, or is where none is expected" {
  local only_read=false
  cd "$BATS_TEST_TMPDIR"
  reads '```console' '$ echo a; echo b; echo c' a ... c '$ echo "[x]*"' '[x]*' '```' '```sh' 'for i in 1 2; do # twice' '  echo' 'done' '```'
  is 0 "$status"
  reads '```console' '$ echo a; echo b; echo c' a c '```'
  is 1 "$status"
  reads '```console' '$ echo x' '[x]*' '```'
  is 1 "$status"
  reads '```console' '$ echo a; false' a '```'
  is 1 "$status"
  has "$output" "ended with 1"
  reads '```sh' 'sudo make install   # in the list' 'true' 'hwloc-gpucache no-such-command' '```'
  is 1 "$status"
  has "$output" "no-such-command"
  reads '```sh' 'echo a &&' '```'
  is 1 "$status"
  has "$output" "does not end"
  reads '```sh' true '```' '```' 'echo' '```'
  is 1 "$status"
  has "$output" "does not say"
  reads '```sh' true '```' '```text' '$ echo' '```'
  is 1 "$status"
  has "$output" "in a block of text"
}
