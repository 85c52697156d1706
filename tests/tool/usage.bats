#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command line: what is understood, and what is refused in which words.

setup() {
  load setup.bash
  prepare
}

# refused WORDS ARGUMENT…: a sentence with these words, exit code 2, nothing on stdout.
refused() {
  local words=$1
  shift
  run_split "$tool" "$@"
  is 2 "$status"
  is '' "$output"
  has "$errors" "hwloc-gpucache: $words"
  has "$errors" "Try 'hwloc-gpucache --help'"
}

@test "wrong usage: one sentence, the way to help, exit 2" {
  refused "no command given"
  refused "unknown command 'frobnicate'" frobnicate
  refused "unknown or misused option '--frob'" list --frob
  refused "unknown or misused option '-q'" list -q
  refused "unknown or misused option '--force=yes'" measure --force=yes
  refused "an argument is missing after '--sim'" list --sim
  refused "an argument is missing after '--timeout'" measure --timeout
  refused "--sim needs names" list --sim ""
  refused "--sim needs names" list --sim a,,b
  refused "--sim needs names" list --sim ,a
  refused "--timeout needs a number" measure --timeout ten
  refused "--timeout needs a number" measure --timeout 0
  refused "--timeout needs a number" measure --timeout -1
  refused "--timeout needs a number" measure --timeout nan
  refused "--timeout needs a number" measure --timeout 1s
  refused "--timeout needs a number" measure --timeout ""
  refused "--only needs elements" measure --only ""
  refused "list takes no argument, but there is 'gpu0'" list gpu0
  refused "list has no option '--force'" --force list
  refused "list has no option '--timeout'" list --timeout 5
  refused "measure has no option '--json'" measure --json
  refused "show has no option '--no-store'" show --no-store
  refused "show has no option '--only'" show --only=L1Cache
  refused "purge has no option '--xml'" purge --xml
  refused "purge takes --all or names" purge --all gpu0
  refused "--json and --xml exclude each other" show --json --xml
}

@test "an unknown element is refused, and the known ones are listed" {
  refused "" measure --sim "$tiny" --only L1Cache,L9Cache
  has "$errors" L9Cache
  has "$errors" "L1Cache, "
  has "$errors" SharedMemory
}

@test "--help names every command and every option" {
  run_split "$tool" --help
  is 0 "$status"
  is '' "$errors"
  local word
  for word in list measure show purge --sim --only --force --no-store --timeout --json --xml --all \
    --verbose --help --version; do
    has "$output" "$word"
  done
  run "$tool" measure --help
  is 0 "$status"
  run "$tool" -h
  is 0 "$status"
}

@test "the manual page has what --help has" {
  local page word
  page=$(sed 's/^\.It Fl Fl /--/; s/ Fl Fl / --/g' "$top_srcdir/doc/hwloc-gpucache.1")
  for word in $("$tool" --help | grep -o -e '--[a-z-]*' | sort -u); do has "$page" "$word"; done
}

@test "--version says name, version and hwloc" {
  run_split "$tool" --version
  is 0 "$status"
  [[ ${lines[0]} =~ ^hwloc-gpucache\ [0-9]+\.[0-9]+ ]]
  [[ ${lines[1]} =~ hwloc\ [0-9]+\.[0-9]+ ]]
}

@test "options stand before or after the command, also where POSIXLY_CORRECT asks for less" {
  run "$tool" --sim "$tiny" list
  is 0 "$status"
  local before=$output
  run "$tool" list --sim "$tiny"
  is "$before" "$output"
  POSIXLY_CORRECT=1 run "$tool" list --sim "$tiny"
  is "$before" "$output"
}

@test "results that cannot be written are a failure" {
  run_split bash -c '"$0" list --sim "$1" >/dev/full' "$tool" "$tiny"
  is 1 "$status"
  has "$errors" "cannot write to the standard output: No space left on device"
  run_split bash -c '"$0" --help >&-' "$tool"
  is 1 "$status"
  has "$errors" "cannot write to the standard output"
}

@test "a closed stdout never becomes the descriptor of a record" {
  run bash -c '"$0" measure --sim "$1" >&- 2>&-' "$tool" "$tiny"
  is 1 "$status"
  "$LSTOPO" --of console -i "$records/sim-tiny.xml" >/dev/null
  has "$(tail -n 1 "$records/sim-tiny.xml")" "</topology>"
}
