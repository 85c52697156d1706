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
while read -r _ dir type options _; do
  [ "$dir $type" = '/dev/shm tmpfs' ] || continue
  case ,$options, in
  *,noexec,* | *,ro,*) ;;
  *) [ "$(df -kP /dev/shm | awk 'NR == 2 { print $4 }')" -lt 1048576 ] || [ ! -w /dev/shm ] || found=/dev/shm ;;
  esac
done 2>/dev/null </proc/self/mounts
echo "$found"
