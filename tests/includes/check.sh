#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh [TREE]: reads every #include "..." of src/ and kernels/ and prints each that breaks a
# rule:
#
#   1. No file includes a file of a folder above its own. The table "order" says what is above.
#   2. A file or folder that the table "only" names is included only from the places in its line.
#   3. There are no circles. foo.c and foo.h of one folder are one unit. No unit includes itself
#      through others.
#
# Exit status: 0 no rule is broken; 1 one is; 2 wrong usage.

# Folders from the bottom to the top. A file may include files of its own folder and of folders in
# earlier lines. Folders in one line do not include each other; to allow that, give each a line of
# its own. A folder that is not listed is an error.
order='
kernels
src/util
src/record
src/stats src/model src/store src/gpus src/graft
src/predict/trace src/predict/distance
src/predict/model
src/predict/parameters
src/predict
src/device src/plugin
src/trace
src/measure/raw
src/measure/results
src/measure/core
src/measure/walk
src/measure/capacity src/measure/census src/measure/latency src/measure/geometry src/measure/topology src/measure/bandwidth src/measure/structure src/measure/host
src/measure/check
src/measure
src/measure/plan
src/tool
src/tool/print
src/tool/process
src/tool/gpus
src/tool/describe
src/tool/measure
src/tool/plot src/tool/sources
src/tool/page
src/tool/trace
src/tool/compare src/tool/doctor src/tool/export src/tool/list src/tool/predict src/tool/purge src/tool/report src/tool/show
src
'

# A file or folder, then the files and folders that may include it. The line of a file replaces that
# of its folder. kernels/ is device code; the host includes only args.h, the interface of the
# kernels, the order in which a census probes, and the records of a trace. The simulator compiles the kernels for the host.
only='
kernels           kernels src/device/sim_kernels.c
kernels/args.h    kernels src/device src/measure
kernels/census_order.h  kernels src/measure/census
kernels/trace.h   kernels src/trace
'

# Made by configure.
generated='config.h'

[ $# -le 1 ] || { echo "usage: $0 [TREE]" >&2; exit 2; }
cd "${1:-${top_srcdir:-.}}" || exit 2
files=$(find src kernels -name '*.[ch]' | LC_ALL=C sort) || exit 2
[ -n "$files" ] || { echo "check.sh: no C files in src and kernels of $PWD" >&2; exit 2; }
# shellcheck disable=SC2086 # no file name of the tree has a blank
ORDER=$order ONLY=$only GENERATED=$generated exec awk '
  BEGIN {
    split_words(ENVIRON["GENERATED"], generated)
    lines = split(ENVIRON["ORDER"], line, "\n")
    for (i = 1; i <= lines; i++) {
      n = split(line[i], word, " ")
      for (k = 1; k <= n; k++)
        level[word[k]] = i
    }
    lines = split(ENVIRON["ONLY"], line, "\n")
    for (i = 1; i <= lines; i++)
      if (split(line[i], word, " "))
        includers[word[1]] = line[i]
    for (i = 1; i < ARGC; i++)
      exists[ARGV[i]] = 1
  }

  /^[ \t]*#[ \t]*include[ \t]*"/ {
    name = $0
    sub(/^[^"]*"/, "", name)
    sub(/".*/, "", name)
    if (name in generated)
      next
    target = find(name)
    if (target == "")
      broken(FILENAME ":" FNR " includes \"" name "\", and there is no such file")
    else {
      check_order(FILENAME, target)
      check_only(FILENAME, target)
      add_edge(FILENAME, target)
    }
  }

  END {
    report_circles()
    if (!failed)
      printf "%d includes of %d files: none points upwards, and there is no circle\n", edges, ARGC - 1
    exit failed
  }

  function broken(text) { print text; failed = 1 }
  function split_words(text, set,   word, n) {
    n = split(text, word, " ")
    while (n)
      set[word[n--]] = 1
  }
  function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
  function unit(file) { sub(/\.[ch]$/, "", file); return file }

  # The compiler looks in the folder of the file, then where -I says.
  function find(name,   path) {
    path = folder(FILENAME) "/" name
    while (sub(/[^\/]+\/\.\.\//, "", path))
      ;
    if (path in exists) return path
    if (("src/" name) in exists) return "src/" name
    return name in exists ? name : ""
  }

  function check_order(file, target,   from, to) {
    from = folder(file)
    to = folder(target)
    if (!(from in level) || !(to in level)) {
      if (!unlisted[from in level ? to : from]++)
        broken((from in level ? to : from) " has no place in the order of folders (tests/includes/check.sh)")
    } else if (from != to && level[to] >= level[from])
      broken(file " includes " target ": " to " is " (level[to] > level[from] ? "above " : "beside ") from)
  }

  function check_only(file, target,   key, word, n, i, list) {
    key = target in includers ? target : folder(target)
    if (!(key in includers))
      return
    n = split(includers[key], word, " ")
    for (i = 2; i <= n; i++) {
      if (word[i] == file || index(file, word[i] "/") == 1)
        return
      list = list " " word[i]
    }
    broken(file " includes " target ", which only these may include:" list)
  }

  # For each pair of units one file that includes and one that is included, for the messages.
  function add_edge(file, target,   a, b) {
    edges++
    a = unit(file)
    b = unit(target)
    if (a == b || (a, b) in says)
      return
    says[a, b] = file " includes " target
    next_of[a, ++degree[a]] = b
    if (!(a in number)) { number[a] = ++units; unit_of[units] = a }
  }

  # The shortest circle through each edge, each circle once.
  function report_circles(   i, k, a, b, key) {
    for (i = 1; i <= units; i++)
      for (k = 1; k <= degree[a = unit_of[i]]; k++) {
        b = next_of[a, k]
        if (shortest(b, a)) {
          key = canonical(b, a)
          if (!reported[key]++)
            broken("circle: " says[a, b] chain(b, a))
        }
      }
  }

  # Breadth first from a to b; came[] keeps the way.
  function shortest(a, b,   queue, head, tail, u, k) {
    split("", came)
    queue[tail = 1] = a
    came[a] = ""
    for (head = 1; head <= tail; head++) {
      u = queue[head]
      if (u == b)
        return 1
      for (k = 1; k <= degree[u]; k++)
        if (!(next_of[u, k] in came)) {
          came[next_of[u, k]] = u
          queue[++tail] = next_of[u, k]
        }
    }
    return 0
  }
  function chain(a, b,   text) {
    for (; b != a; b = came[b])
      text = "; " says[came[b], b] text
    return text
  }
  # The units on that way in sorted order.
  function canonical(a, b,   list, n, i, k, swap, text) {
    for (; b != a; b = came[b])
      list[++n] = b
    list[++n] = a
    for (i = 2; i <= n; i++)
      for (k = i; k > 1 && list[k] < list[k - 1]; k--) {
        swap = list[k]; list[k] = list[k - 1]; list[k - 1] = swap
      }
    for (i = 1; i <= n; i++)
      text = text " " list[i]
    return text
  }
' $files
