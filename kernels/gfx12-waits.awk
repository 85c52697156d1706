# SPDX-License-Identifier: BSD-3-Clause
# On gfx12 a scalar register that a vector instruction has once read may later be seen with its old value,
# unless the write of the new one is waited for (LLVM pull request 100067). clang knows that from version 20
# on. For older ones this filter reads their assembly and has every such write waited for, wherever it
# may be read: more than it takes, but nothing of it is in what is measured. Inline assembly does its own waiting.

BEGIN { wait = "\ts_wait_alu depctr_sa_sdst(0) depctr_va_sdst(0) depctr_va_vcc(0)" }

/;APP/ || /;#ASMSTART/ { inside = 1 }
/;NO_APP/ || /;#ASMEND/ { inside = 0 }

# how far apart dependent instructions are: no longer true, and only a hint
/^\ts_delay_alu / && !inside { next }

{ print }

# the address of something: the offsets count from the first of these instructions to the last
/^\ts_getpc_b64 / { bundle = 1 }
/^\ts_add_co_ci_u32 / { bundle = 0 }

!inside && !bundle && /^\t[sv]_[a-z0-9_]+ / && !/^\ts_(load|buffer_load|wait|cmp|cbranch|branch|barrier|sendmsg |nop|clause)/ {
  scalar = "(s[0-9]+|s\\[[0-9]+:[0-9]+\\]|vcc(_lo|_hi)?)(,|$)"
  if ($2 ~ "^" scalar || ($1 ~ /^v_/ && $3 ~ "^" scalar && $1 ~ /_co_|^v_div_scale/))
    print wait
}
