#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Slurm prolog: makes sure that each GPU of the node has a valid record before the job starts. In
# slurm.conf:
#
#   Prolog=/etc/slurm/prolog.d/*        # a link to this script is one of these files
#   PrologFlags=Alloc                   # run it at allocation, not when the first step starts
#
# It is a Prolog and not a TaskProlog, because a Prolog runs as root, once for each job and node, and
# sees all GPUs of the node. So it can write the records of the site, which all users read. A
# TaskProlog runs as the user in each task, and sees only the GPUs of the job.
#
# If all records are valid, this takes milliseconds. A GPU that another job uses is not measured now;
# a later job's prolog tries again. This script always succeeds: Slurm drains a node whose prolog
# fails, and a missing record is no reason for that. The messages go to the system log.
#
# Variables, for a wrapper or for tests:
#   HWLOC_GPUCACHE_COMMAND   the command; default hwloc-gpucache
#   HWLOC_GPUCACHE_DIR       directory of records; default: that of the site
#   GPUCACHE_PROLOG_SECONDS  the longest time that a job waits for measuring; default 30
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
export PATH
command=${HWLOC_GPUCACHE_COMMAND:-hwloc-gpucache}

say() { logger -t hwloc-gpucache "$*" 2>/dev/null || printf 'hwloc-gpucache: %s\n' "$*" >&2; }

command -v "$command" >/dev/null || { say "the command $command is not installed on this node"; exit 0; }
: "${HWLOC_GPUCACHE_DIR:=$("$command" --version | sed -n 's/^records of the site: //p')}"
export HWLOC_GPUCACHE_DIR
install -d -m 755 "$HWLOC_GPUCACHE_DIR" || { say "cannot create $HWLOC_GPUCACHE_DIR"; exit 0; }

output=$("$command" measure --timeout "${GPUCACHE_PROLOG_SECONDS:-30}" 2>&1 >/dev/null)
case $? in
0 | 3) ;; # 3: the node has no GPU
*) say "$output" ;;
esac
# A new record is readable by its owner only.
find "$HWLOC_GPUCACHE_DIR" -maxdepth 1 -type f -name '*.xml' -exec chmod 644 {} +
exit 0
