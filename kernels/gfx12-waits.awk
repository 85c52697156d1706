# SPDX-License-Identifier: BSD-3-Clause
# Adds waits to the assembly of gfx12 kernels. If a vector instruction has read a scalar register, a later
# reader of this register may see the old value, unless the code waits for the write of the new value (LLVM
# pull request 100067). clang inserts these waits from version 20 on. For older versions this filter adds a
# wait after every such write. These are more waits than necessary, but none is in measured code: inline
# assembly has waits of its own and stays as it is.

BEGIN { wait = "\ts_wait_alu depctr_sa_sdst(0) depctr_va_sdst(0) depctr_va_vcc(0)" }

/;APP/ || /;#ASMSTART/ { inside = 1 }
/;NO_APP/ || /;#ASMEND/ { inside = 0 }

# drop the hints about distances of dependent instructions: the added waits make them wrong
/^\ts_delay_alu / && !inside { next }

{ print }

# the offsets of an address computation are relative to its first instruction: add nothing before its last one
/^\ts_getpc_b64 / { bundle = 1 }
/^\ts_add_co_ci_u32 / { bundle = 0 }

!inside && !bundle && /^\t[sv]_[a-z0-9_]+ / && !/^\ts_(load|buffer_load|wait|cmp|cbranch|branch|barrier|sendmsg |nop|clause)/ {
  scalar = "(s[0-9]+|s\\[[0-9]+:[0-9]+\\]|vcc(_lo|_hi)?)(,|$)"
  if ($2 ~ "^" scalar || ($1 ~ /^v_/ && $3 ~ "^" scalar && $1 ~ /_co_|^v_div_scale/))
    print wait
}
