#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The commands of the pages to which the README leads, run one after the other as a new user would, on a simulated GPU.
# In a block that begins with ```console, "$ " begins a command and "> " continues it; the other lines are what it prints.
# "..." stands for any text. What they print on stderr does not count: hwloc complains there about a machine without /sys.

setup() {
  load setup.bash
  prepare
  use_record h200
  export HWLOC_COMPONENTS=-x86 HWLOC_PLUGINS_PATH=$top_builddir/src/plugin/.libs HWLOC_GPUCACHE_TOOL=$tool
  export C_INCLUDE_PATH=$top_srcdir/include PYTHONPATH=$top_srcdir/contrib/python PYTHONDONTWRITEBYTECODE=1
  # what packages install
  mkdir "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/here"
  ln -s "$tool" "$BATS_TEST_TMPDIR/bin/hwloc-gpucache"
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v "$LSTOPO")" >"$BATS_TEST_TMPDIR/bin/lstopo"
  chmod +x "$BATS_TEST_TMPDIR/bin/lstopo"
  PATH=$BATS_TEST_TMPDIR/bin:$PATH
  cp "$top_srcdir/doc/examples/gpucache-read.c" "$BATS_TEST_TMPDIR/here"
}

# pattern TEXT: a pattern that matches only this text, with "..." as any text.
pattern() { sed 's/[][()*?|\\]/\\&/g; s/\.\.\./*/g' <<<"$1"; }

# check_command: runs $command in this shell and compares what it prints with $expected.
check_command() {
  local form status=0
  [ -n "$command" ] || return 0
  form=$(pattern "${expected%$'\n'}")
  eval "$command" >"$BATS_TEST_TMPDIR/printed" 2>"$BATS_TEST_TMPDIR/errors" || status=$?
  commands=$((commands + 1))
  output=$(cat "$BATS_TEST_TMPDIR/printed")
  # shellcheck disable=SC2053 # it is a pattern
  [ $status = 0 ] && [[ $output == $form ]] ||
    { printf 'in %s: %s\nended with %d and printed:\n%s\nnot:\n%s\n%s\n' "$page" "$command" $status "$output" "$expected" \
      "$(cat "$BATS_TEST_TMPDIR/errors")"; return 1; }
}

# run_page PAGE: at least one command is there, and all of them print what the page says.
run_page() {
  local page=$top_srcdir/$1 line inside=false command='' expected='' commands=0
  cd "$BATS_TEST_TMPDIR/here"
  while IFS= read -r line <&3; do
    case $inside:$line in
      'false:```console') inside=true ;;
      'true:```') check_command || return; command='' expected='' inside=false ;;
      'true:$ '*) check_command || return; command=${line#'$ '} expected='' ;;
      'true:> '*) command+=$'\n'${line#'> '} ;;
      true:*) expected+=$line$'\n' ;;
    esac
  done 3<"$page"
  [ $commands -gt 0 ] || { echo "$page has no command"; return 1; }
}

@test "doc/use-lstopo.md" {
  run_page doc/use-lstopo.md
}

@test "doc/write-a-program.md, whose example is the one in doc/examples" {
  pkg-config --exists hwloc && command -v jq python3 >/dev/null || skip "no pkg-config, jq or python3"
  [ -z "${SANITIZER_PRELOAD:-}" ] || skip "the example is not built with the sanitizers"
  is "$(sed '/^\/\*/,/\*\//d' "$top_srcdir/doc/examples/gpucache-read.c")" \
    "$(sed -n '/^```c$/,/^```$/p' "$top_srcdir/doc/write-a-program.md" | sed '1d;$d')"
  run_page doc/write-a-program.md
}

@test "doc/tune-a-kernel.md" {
  command -v jq python3 >/dev/null || skip "no jq or python3"
  run_page doc/tune-a-kernel.md
}

@test "doc/deploy.md" {
  run_page doc/deploy.md
}

@test "a command that prints something else is noticed, and one that fails" {
  local page=page commands=0 command expected
  command='echo a; echo b; echo c' expected=$'a\n...\nc'
  check_command
  expected=$'a\nc'
  run check_command
  is 1 "$status"
  command='echo a; false' expected=a
  run check_command
  is 1 "$status"
  has "$output" "ended with 1"
  command='echo "[x]*"' expected='[x]*'
  check_command
  command='echo x' expected='[x]*'
  run check_command
  is 1 "$status"
}
