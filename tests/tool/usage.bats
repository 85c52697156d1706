#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-3-Clause
# The command line: what is accepted, and the messages for what is not.

setup() {
  load setup.bash
  prepare
}

# refused WORDS ARGUMENT…: a message with these words, exit code 2, nothing on stdout.
refused() {
  local words=$1
  shift
  run_split "$tool" "$@"
  is 2 "$status"
  is '' "$output"
  has "$errors" "hwloc-gpucache: $words"
  has "$errors" "Try 'hwloc-gpucache --help'"
}

@test "wrong usage: one message, a hint at --help, exit 2" {
  refused "no command given"
  refused "unknown command 'frobnicate'" frobnicate
  refused "unknown or misused option '--frob'" list --frob
  refused "unknown option '-q'" list -q
  refused "unknown option '-j'" show -json
  refused "there is an option that is no ASCII letter" list -é
  refused "unknown or misused option '--force=yes'" measure --force=yes
  refused "an argument is missing after '--sim'" list --sim
  refused "an argument is missing after '--timeout'" measure --timeout
  refused "--sim needs names" list --sim ""
  refused "--sim needs names" list --sim a,,b
  refused "--sim needs names" list --sim ,a
  refused "--sim needs names" list --sim " "
  refused "--sim needs names" list --sim "a, ,b"
  refused "--timeout needs a number of seconds above 0 and up to 86400, not 'ten'" measure --timeout ten
  refused "--timeout needs a number of seconds above 0 and up to 86400, not '86401'" measure --timeout 86401
  "$tool" measure --timeout 86400 --sim "$tiny" --only SharedMemory
  refused "--timeout needs a number" measure --timeout 0
  refused "--timeout needs a number" measure --timeout -1
  refused "--timeout needs a number" measure --timeout nan
  refused "--timeout needs a number" measure --timeout 1s
  refused "--timeout needs a number" measure --timeout ""
  refused "--only needs elements" measure --only ""
  local step
  for step in 0 9999 -1 +3 3x abc ""; do
    refused "--resume needs the number of a step" measure --no-store --resume "$step" --sim "$tiny"
  done
  refused "--resume needs --no-store" measure --resume 3 --sim "$tiny"
  refused "list takes no argument, but there is 'gpu0'" list gpu0
  refused "list has no option '--force'" --force list
  refused "list has no option '--timeout'" list --timeout 5
  refused "measure has no option '--json'" measure --json
  refused "show has no option '--no-store'" show --no-store
  refused "show has no option '--only'" show --only=L1Cache
  refused "purge has no option '--xml'" purge --xml
  refused "purge takes --all or names" purge --all gpu0
  refused "--json and --xml exclude each other" show --json --xml
  # one of the two would do nothing
  refused "--replace and --no-store exclude each other" measure --sim "$tiny" --replace --no-store
  refused "--replace and --only exclude each other" measure --sim "$tiny" --only L1Cache --replace
  refused "--all and --sim exclude each other" purge --all --sim "$tiny"
}

@test "a simulated GPU that does not exist: the same message for all commands" {
  local command message
  for command in list show measure; do
    run_split "$tool" $command --sim nosuch
    is 3 "$status"
    is '' "$output"
    [ "$command" != list ] || message=$errors
    has "$message" "hwloc-gpucache: no simulated GPU is named 'nosuch'; available: "
    is "$message" "$errors"
  done
}

@test "--resume is for one GPU" {
  run_split "$tool" measure --no-store --resume 3 --sim "$tiny,mi210"
  is 2 "$status"
  is '' "$output"
  is "hwloc-gpucache: --resume needs one GPU, not 2" "$errors"
}

@test "an element that this GPU lacks is reported, and is a failure when it is the only one" {
  run_split "$tool" measure --only " ConstantL1Cache ,	LDS " --sim "$small"
  is 0 "$status"
  is "hwloc-gpucache: gpu0: this GPU has no LDS" "$errors"
  has "$output" ConstantL1Cache
  run_split "$tool" measure --only ConstantL1Cache,TextureCache --sim mi300x
  is 1 "$status"
  is '' "$output"
  is "hwloc-gpucache: gpu0: this GPU has no TextureCache, ConstantL1Cache" "$errors"
}

@test "an option with a list, given twice, is refused: the second list would replace the first" {
  refused "--element is given twice; write one list, separated by commas" show --element L1Cache --element L2Cache --sim "$tiny"
  refused "--only is given twice" measure --only L1Cache --sim "$tiny" --only L1Cache
  refused "--sim is given twice" list --sim h200 --sim h100
}

@test "an unknown element is refused, and the valid ones are listed" {
  refused "" measure --sim "$tiny" --only L1Cache,L9Cache
  has "$errors" L9Cache
  has "$errors" "L1Cache, "
  has "$errors" SharedMemory
}

@test "--help names every command and every option" {
  run_split "$tool" --help
  is 0 "$status"
  is '' "$errors"
  local word help=$output commands options
  commands=$("$tool" 2>&1 | sed -n 's/^hwloc-gpucache: no command given: //p' | sed 's/,\| or / /g')
  # only the command itself uses --resume and --probe
  has_not "$help" --resume
  has_not "$help" --probe
  options=$(sed -n '/^static const struct gc_option options/,/^};/s/.*[({]"\([a-z-]*\)",.*/--\1/p' \
    "$top_srcdir/src/main.c" | grep -vx -e --resume -e --probe)
  [ "$(wc -w <<<"$commands")" -ge 5 ]
  [ "$(wc -w <<<"$options")" -ge 12 ]
  for word in $commands; do [[ $help == *$'\n'"  $word "* ]] || is "a line of $word" "$help"; done
  for word in $options; do has "$help" "$word"; done
  run "$tool" measure --help
  is 0 "$status"
  run "$tool" -h
  is 0 "$status"
}

@test "--help fits a terminal: no line is longer, and the sentences of a column begin in it" {
  local columns
  for columns in 60 80; do
    COLUMNS=$columns run_split "$tool" --help
    is 0 "$status"
    [ "$(widest "$output")" -le $columns ]
    # a line that goes on is in the column of the sentences
    is '' "$(sed -n '/^Commands:/,/^$/s/^ / /p' <<<"$output" | grep -v -e '^  [a-z]' -e '^ *--' -e '^ \{21\}[^ ]')"
  done
  has "$output" "all commands:"
}

# Lines "command --option" for each option that --help has for a command: below the command itself,
# or below a line with the names of several commands.
options_of_help() {
  "$tool" --help | awk '
    /^Commands:/ { below = 1; next }
    /^all commands:$/ { several = every; below = 0; next }
    /^[a-z, ]*:$/ { several = $0; gsub(/,|:| and /, " ", several); below = 0; next }
    /^$/ { several = ""; next }
    below && /^  [a-z]/ { several = $1; every = every " " $1 }
    /^ +--/ { n = split(several, name, " "); for (i = 1; i <= n; i++) print name[i], $1 }' | sort
}

# The same from the synopsis of the manual page.
options_of_synopsis() {
  awk '
    /^\.Sh / { inside = $2 == "SYNOPSIS" }
    inside && /^\.Nm/ { command = ""; held = "" }
    inside {
      if ($1 == ".Cm") command = $2
      for (i = 1; i + 2 <= NF; i++)
        if ($i == "Fl" && $(i + 1) == "Fl") held = held " --" $(i + 2)
      n = split(command ? held : "", name, " ")
      for (i = 1; i <= n; i++) print command, name[i]
      if (command) held = ""
    }' "$1" | sort
}

@test "the manual page has every command and option that --help has" {
  local page=$top_builddir/doc/hwloc-gpucache.1 help word n=0
  help=$("$tool" --help)
  # lines with two blanks and a word, in the part about commands
  for word in $(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help"); do
    grep -qx "\.It Cm $word" "$page" || is ".It Cm $word" missing
    grep -qx "\.Cm $word" "$page" || is ".Cm $word in the synopsis" missing
    n=$((n + 1))
  done
  [ "$n" -ge 5 ]
  for word in $(grep -o -e '--[a-z][a-z-]*' <<<"$help" | sort -u); do
    grep -Eq "^\.It (Fl h , )?Fl Fl ${word#--}( |$)" "$page" || is ".It Fl Fl ${word#--}" missing
    n=$((n + 1))
  done
  [ "$n" -ge 17 ]
  # each command has the same options in both; --help and --version have lines of their own
  help=$(options_of_help | grep -v -e ' --help$' -e ' --version$')
  [ "$(wc -l <<<"$help")" -ge 40 ]
  is "$help" "$(options_of_synopsis "$page")"
}

@test "--version prints name, version, hwloc and the directory of the site's records" {
  run_split "$tool" --version
  is 0 "$status"
  [[ ${lines[0]} =~ ^hwloc-gpucache\ [0-9]+\.[0-9]+ ]]
  [[ ${lines[1]} =~ hwloc\ [0-9]+\.[0-9]+ ]]
  [[ ${lines[2]} =~ ^records\ of\ the\ site:\ /.+/cache/hwloc-gpucache$ ]]
}

@test "the manual page, the recipe of doc/site.md and list --verbose name the directory that is searched" {
  local page=$top_builddir/doc/hwloc-gpucache.1 site recipe dir
  "$tool" --version >"$BATS_TEST_TMPDIR/version"
  site=$(sed -n 's/^records of the site: //p' "$BATS_TEST_TMPDIR/version")
  grep -qxF ".It Pa $site/ID.xml" "$page"
  is '' "$(grep -E '@[a-z]+@|\$\{(localstate|data|pkgdata)dir\}' "$page")"
  run_split "$tool" list --verbose --sim "$tiny"
  is 0 "$status"
  is "hwloc-gpucache: records are read from $records, then from $site" "$(sed 1d <<<"$errors")"
  HWLOC_GPUCACHE_DIR='' HOME='' run_split "$tool" list --verbose --sim "$tiny"
  has "$errors" "no directory for records"
  has "$errors" "records are read from $site"
  # without a GPU, as on a login node
  run_split "$tool" list --verbose
  is 3 "$status"
  has "$errors" "records are read from $records, then from $site"
  has "$errors" "no GPU found"
  HWLOC_GPUCACHE_DIR='' XDG_CACHE_HOME=relative run_split "$tool" list --verbose
  has "$errors" "XDG_CACHE_HOME is ignored, because it is not absolute"
  has "$errors" "records are read from $HOME/.cache/hwloc-gpucache"
  XDG_CACHE_HOME=relative run_split "$tool" list --verbose
  has_not "$errors" XDG_CACHE_HOME
  # the line of the recipe with the directory
  recipe=$(grep '^dir=' "$top_srcdir/doc/site.md")
  PATH=$top_builddir:$PATH eval "$recipe"
  is "$site" "$dir"
}

@test "options may be before or after the command, also with POSIXLY_CORRECT" {
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
