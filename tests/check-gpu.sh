#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Can the tests of make check-gpu run here? If not, prints the reason and exits with 1.
gpus=/proc/driver/nvidia/gpus
if [ ! -d "$gpus" ]; then
  echo "check-gpu: SKIPPED, nothing was tested: no NVIDIA driver is loaded here (there is no $gpus)"
  exit 1
fi
set -- "$gpus"/*/information
if [ ! -r "$1" ]; then
  echo "check-gpu: SKIPPED, nothing was tested: the NVIDIA driver has no GPU ($gpus is empty)"
  exit 1
fi
for information in "$@"; do
  sed -n 's/^Model:[[:space:]]*/check-gpu: on /p' "$information"
done
