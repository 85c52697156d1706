#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Prints the directory for temporary files of the tests: $TMPDIR if it is set; or else /dev/shm if it is a tmpfs
# with 1 GiB free from which programs can be started; or else /tmp. The tests write and remove a hundred thousand
# small files. On an ext4 without a journal, where the kernel keeps inodes of removed files for seconds, this took a
# quarter of all processor time.
if [ -n "$TMPDIR" ]; then
  echo "$TMPDIR"
  exit
fi
found=/tmp
while read -r _ dir type options _; do # if several are mounted there, the last one is visible
  case $dir,$type,$options, in
  /dev/shm,tmpfs,*,noexec,* | /dev/shm,tmpfs,ro,*) found=/tmp ;;
  /dev/shm,tmpfs,*) found=/dev/shm ;;
  /dev/shm,*) found=/tmp ;;
  esac
done 2>/dev/null </proc/self/mounts
if [ $found = /dev/shm ]; then
  free=$(df -kP /dev/shm | awk 'NR == 2 { print $4 }')
  [ -w /dev/shm ] && [ "${free:-0}" -ge 1048576 ] || found=/tmp
fi
echo $found
