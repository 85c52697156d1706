#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# add-at-once.sh TABLE: adds the line "loads-at-once" to the header of a trace, from the table that
# at-once.py printed. A filter: the trace is the standard input.
awk -v table="$1" 'BEGIN {
  FS = "\t"
  while ((getline line <table) > 0) {
    split(line, field, "\t")
    at_once[field[1]] = field[2]
  }
}
$1 == "kernel" { # copy_fields_8 is a case of copy_fields; the longest name wins
  best = ""
  for (name in at_once)
    if (index($2, name) == 1 && length(name) > length(best)) best = name
  if ($2 ~ /_waiting$/) { best = $2; sub(/_32/, "", best) }
}
$1 == "origin" && at_once[best] > 0 { print "loads-at-once\t" at_once[best] }
{ print }'
