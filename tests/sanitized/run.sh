#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Under the name of an hwloc program: runs that program with the runtime of AddressSanitizer loaded
# first, as the sanitized plugin that it is going to load demands.
program=${0##*/}
PATH=$SANITIZER_WRAPPED_PATH
LD_PRELOAD=$SANITIZER_PRELOAD
export LD_PRELOAD
exec "$program" "$@"
