#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A wrapper with the name of an hwloc program: runs that program and loads the runtime of
# AddressSanitizer first, because a plugin built with the sanitizers needs it.
program=${0##*/}
PATH=$SANITIZER_WRAPPED_PATH
case " $LD_PRELOAD " in *" $SANITIZER_PRELOAD "*) ;; *) LD_PRELOAD="$SANITIZER_PRELOAD $LD_PRELOAD" ;; esac
export LD_PRELOAD
exec "$program" "$@"
