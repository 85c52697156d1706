# SPDX-License-Identifier: BSD-3-Clause
# Reads the output of llvm-objdump for a code object (-v processor=gfx942). Reports an error unless
#
#   chase_*, census_*, marks_*, rounds, under_load   have one timed load: waits for everything; clock, wait; a load of that path with the
#              cache policy of this processor; wait; clock, wait; and nothing else
#              (chase_system: an atomic addition at the scope of the system)
#   stores_*   have one such timed load, behind the stores
#   visible    has loads with the cache policy of L2 only
#   pair, first_touch   have one such timed load for the vector L1, and one for the scalar L1
#   sharing_groups has such timed loads for the scalar L1, as often as the compiler repeats them
#   latency_*  has three chains of loads, warm, n and 2n, with nothing between load, wait and next load
#   outstanding, departure  loads in a loop without any wait, into one register, and waits behind it, between the clock reads
#   shares     has such loads once, in a loop, and a wait in front of a clock read
#   conflicts, lines_atomic   have such chains, too
#   atomics_*  have the operations of an iteration, and they return values
#   read_*, write_*, sweep   move the rows of an iteration with the loads and stores of that path, several at a time
#   scalar     no other scalar loads come in between, because they use the same cache
#   all        have no stack: no scratch, buffer or flat instructions; and there is a rule for each of them
#
# Which bits are right for which processor: doc/amd.md.

BEGIN {
  generation = processor ~ /^gfx9/ ? 9 : substr(processor, 4, 2) + 0
  clock = "^s_memtime s\\[[0-9]+:[0-9]+\\]$"
  around["9"] = "glc"
  around["10"] = "glc dlc"
  around["11"] = "glc"
  around["12"] = "scope:SCOPE_DEV"
  returned = generation == 12 ? "th:TH_ATOMIC_RETURN scope:SCOPE_DEV" : processor ~ /^gfx(94|95|9-4)/ ? "sc0" : "glc"
  returned_system = generation == 12 ? "th:TH_ATOMIC_RETURN scope:SCOPE_SYS" : processor ~ /^gfx(94|95|9-4)/ ? "sc0 sc1" : "glc"
  policy = processor ~ /^gfx(94|95|9-4)/ ? "sc1" : around[generation]
  lgkm = "s_waitcnt lgkmcnt(0)"
  wait_clock = lgkm
  wait["ca"] = wait["cg"] = "s_waitcnt vmcnt(0)"
  wait["scalar"] = wait["shared"] = wait["atomic_shared"] = lgkm
  wait["atomic"] = wait["system"] = wait["ca"]
  stores = generation == 9 ? "s_waitcnt vmcnt(0)" : "s_waitcnt_vscnt null, 0x0"
  if (generation >= 11)
    wait_clock = ""
  if (generation == 11)
    clock = "^s_getreg_b32 s[0-9]+, hwreg\\(HW_REG_SHADER_CYCLES, 0, 20\\)$"
  if (generation == 12) {
    clock = "^s_getreg_b32 s[0-9]+, hwreg\\(HW_REG_SHADER_CYCLES_LO\\)$"
    wait["ca"] = wait["cg"] = wait["atomic"] = wait["system"] = "s_wait_loadcnt 0x0"
    wait["scalar"] = "s_wait_kmcnt 0x0"
    wait["shared"] = wait["atomic_shared"] = "s_wait_dscnt 0x0"
    stores = "s_wait_storecnt 0x0"
  }
}

function wrong(what) {
  printf "%s: %s: %s\n", processor, kernel, what
  failures++
}

# Whether two registers or ranges of registers, v7 or v[7:8], overlap.
function overlap(one, other,   a, b) {
  split(one, a, /[^0-9]+/)
  split(other, b, /[^0-9]+/)
  if (substr(one, 1, 1) != substr(other, 1, 1))
    return 0
  return a[2] + 0 <= (b[3] == "" ? b[2] : b[3]) + 0 && b[2] + 0 <= (a[3] == "" ? a[2] : a[3]) + 0
}

# The path of a load of a chain, "" for other instructions; sets result and address.
function path_of(line,   words, rest) {
  split(line, words, /,? /)
  result = words[2]
  address = words[3]
  rest = line
  if (line ~ /^global_load_(dwordx2|b64) v\[[0-9:]+\], v\[[0-9:]+\], off/) {
    sub(/.* off ?/, "", rest)
    return rest == "" ? "ca" : rest == policy ? "cg" : "global with '" rest "'"
  }
  if (line ~ /^s_load_(dwordx2|b64) s\[[0-9:]+\], s\[[0-9:]+\], (0x0|null)$/)
    return "scalar"
  if (line ~ /^ds_(read|load)_b32 v[0-9]+, v[0-9]+$/)
    return "shared"
  if (line ~ /^ds_add_rtn_u32 v[0-9]+, v[0-9]+, v[0-9]+$/)
    return "atomic_shared"
  if (line ~ /^global_atomic_add_(x2|u64) v\[[0-9:]+\], v\[[0-9:]+\], v\[[0-9:]+\], off/) {
    sub(/.* off ?/, "", rest)
    if (kernel == "gpu_chase_system")
      return rest == returned_system ? "system" : "system with '" rest "'"
    return rest == returned ? "atomic" : "atomic with '" rest "'"
  }
  return ""
}

# Checks the timed load whose first clock read is in line `at`. Returns the line of the second one, or 0.
function timed_load(at,   path) {
  if (!is_quiet(at))
    return wrong("something may be in flight at the first clock read")
  if (wait_clock != "" && code[++at] != wait_clock)
    return wrong("the first clock read is not waited for")
  path = path_of(code[++at])
  if (path == "")
    return wrong("the clock is not followed by a load")
  if (!(path in wait))
    return wrong("a load of no path: " path)
  if (overlap(result, address))
    return wrong("a load into its own address")
  if (code[++at] != wait[path])
    return wrong("the load is not waited for")
  if (code[++at] !~ clock)
    return wrong("another instruction before the second clock read")
  if (wait_clock != "" && code[at + 1] != wait_clock)
    return wrong("the second clock read is not waited for")
  if (generation == 12 && code[at + 1] !~ /^s_wait_alu .*sa_sdst\(0\)/)
    return wrong("the result of the second clock read is not waited for")
  timed[path]++
  return at
}

# Whether everything is waited for in front of a line.
function is_quiet(at) {
  return code[at - 4] == wait["ca"] && code[at - 3] == stores && code[at - 2] == wait["shared"] && code[at - 1] == wait["scalar"]
}

# pauses: the kernel also reads the clock to let time pass; these readings are not behind all waits.
function check_timed_loads(expected, pauses,   at, second, path, paths) {
  for (path in wait)
    timed[path] = 0
  for (at = 1; at <= lines; at++)
    if (code[at] ~ clock && !(pauses && !is_quiet(at))) {
      second = timed_load(at)
      if (!second)
        return
      at = second
    }
  for (path in wait)
    if (timed[path] != (index(" " expected " ", " " path " ") > 0) &&
        !(kernel == "gpu_sharing_groups" && path == expected && timed[path] > 1))
      wrong(timed[path] " timed loads for path " path)
}

function check_chains(path, unroll,   at, next_, length_, previous, others, chains, clocks) {
  for (at = 1; at <= lines; at++) {
    if (code[at] ~ clock)
      clocks++
    if (path_of(code[at]) != path)
      continue
    others = 0
    for (length_ = 1; code[at + 1] == wait[path]; length_++) {
      previous = result
      # the compiler may put the loop counter here
      for (next_ = at + 2; code[next_] ~ /^(s_(add|sub|cmp|mov|cselect|lshl|delay|nop|wait_alu)|v_mov)/; next_++)
        ;
      if (path_of(code[next_]) != path || address != previous)
        break
      others += next_ - at - 2
      at = next_
    }
    if (length_ != unroll)
      return wrong("a chain of " length_ " loads")
    if (others > 4)
      return wrong(others " other instructions in a chain")
    chains++
  }
  if (chains != 3)
    wrong(chains + 0 " chains of loads, not three")
  # gfx11 also reads its short counter after each round of loads
  if (clocks != (generation == 11 ? 6 : 3))
    wrong(clocks + 0 " clock reads")
}

# An iteration of a bandwidth kernel has `count` instructions of this form, and no wait for all of them in between.
function check_rows(form, count, all,   at, seen) {
  for (at = 1; at <= lines; at++) {
    if (code[at] ~ form)
      seen++
    else if (seen > 0 && seen < count && code[at] == all)
      return wrong("loads are waited for one by one")
  }
  if (seen != count)
    wrong(seen + 0 " loads or stores in an iteration, not " count)
}

# Between two clock reads: a loop with one load of 4 bytes through L1. The first wait for loads is behind the loop.
# Nothing in between uses the register that the loads write.
function check_batch(   at, clocks, loads, load, loop, waited, words) {
  for (at = 1; at <= lines && clocks < 2; at++) {
    if (code[at] ~ clock)
      clocks++
    if (!clocks)
      continue
    if (code[at] ~ /^global_load_(dword|b32) v[0-9]+, v\[[0-9:]+\], off$/) {
      if (waited)
        return wrong("a load behind the wait")
      loads++
      load = at
      split(code[at], words, /,? /)
    } else if (loads && code[at] == wait["ca"])
      waited = at
    else if (loads && !waited && code[at] ~ /^s_wait(cnt vmcnt|_loadcnt)/)
      return wrong("loads are waited for one by one")
    else if (loads && !waited && code[at] ~ "[ ,]" words[2] "(,|$)")
      return wrong("the register of the loads is used: " code[at])
    else if (loads && !waited && code[at] ~ /^s_cbranch.* (3[3-9]|[4-6][0-9])[0-9][0-9][0-9]$/)
      loop = at
  }
  if (clocks != 2 || loads != 1 || !loop || !waited)
    wrong("no loop of loads between two clock reads")
}

# The same in a loop around both, which may begin anywhere in it: one load in a loop without any wait, and a
# wait in front of a clock read.
function check_repeated_batch(   at, loads, loop, waited) {
  for (at = 1; at <= lines; at++) {
    if (code[at] ~ /^global_load_(dword|b32) v[0-9]+, v\[[0-9:]+\], off$/)
      loads++
    else if (loads && !loop && code[at] ~ /^s_wait(cnt vmcnt|_loadcnt)/)
      return wrong("loads are waited for one by one")
    else if (loads && !loop && code[at] ~ /^s_cbranch.* (3[3-9]|[4-6][0-9])[0-9][0-9][0-9]$/)
      loop = at
    else if (code[at] ~ clock && (code[at - 1] == wait["ca"] || code[at - 2] == wait["ca"]))
      waited = at
  }
  if (loads != 1 || !loop || !waited)
    wrong("no loop of loads with a wait in front of a clock read")
}

# All vector loads go past the vector L1, and there is one.
function check_policy(   at, loads) {
  for (at = 1; at <= lines; at++)
    if (code[at] ~ /^global_load/) {
      loads++
      if (substr(code[at], length(code[at]) - length(policy)) != " " policy)
        return wrong("a load with another cache policy: " code[at])
    }
  if (!loads)
    wrong("no load")
}

# Only scalar loads of the path, from the first of these to the end of the loop of the last one. That end is a
# branch backwards.
function check_alone(own,   at, first, last) {
  for (at = 1; at <= lines; at++)
    if (code[at] ~ own) {
      first = first ? first : at
      last = at
    }
  while (last < lines && code[last] !~ /^s_c?branch[a-z0-9_]* (3[3-9]|[4-6][0-9])[0-9][0-9][0-9]$/)
    last++
  for (at = first; at < last; at++)
    if (code[at] ~ /^s_(buffer_)?load/ && code[at] !~ own)
      return wrong("another scalar load: " code[at])
}

function check(   at, what, path) {
  for (at = 1; at <= lines; at++)
    if (code[at] ~ /^(scratch|buffer|flat)_/)
      return wrong("a stack: " code[at])
  what = substr(kernel, 5)
  path = what
  sub(/.*_/, "", path)
  chain = "^s_load_(dwordx2|b64) s\\[[0-9:]+\\], s\\[[0-9:]+\\], (0x0|null)$"
  vector = "v\\[[0-9:]+\\], "
  if (what ~ /^(chase|census|marks)_/)
    check_timed_loads(path)
  else if (what == "rounds")
    check_timed_loads("cg")
  else if (what == "under_load") {
    check_timed_loads("cg", "with pauses")
    check_policy()
  } else if (what ~ /^stores_/)
    check_timed_loads(path, "with pauses")
  else if (what ~ /^(pair|first_touch)$/)
    check_timed_loads("ca scalar")
  else if (what == "sharing_groups")
    check_timed_loads("scalar")
  else if (what ~ /^latency_/)
    check_chains(substr(what, 9), 64)
  else if (what == "conflicts")
    check_chains("shared", 64)
  else if (what == "lines_atomic")
    check_chains("atomic", 8)
  else if (what == "atomics_cg")
    check_rows("^global_atomic_add(_u32)? v[0-9]+, v\\[[0-9:]+\\], v[0-9]+, off " returned "$", 8, wait["ca"])
  else if (what == "atomics_shared")
    check_rows("^ds_add_rtn_u32 v[0-9]+, v[0-9]+, v[0-9]+$", 8, wait["shared"])
  else if (what == "read_ca")
    check_rows("^global_load_(dwordx4|b128) " vector vector "off( offset:[0-9]+)?$", 8, wait["ca"])
  else if (what == "read_words")
    check_rows("^global_load_(dword|b32) v[0-9]+, " vector "off( offset:-?[0-9]+)?$", 8, wait["ca"])
  else if (what == "read_pairs")
    check_rows("^global_load_(dwordx2|b64) " vector vector "off( offset:-?[0-9]+)?$", 8, wait["ca"])
  else if (what == "read_cg")
    check_rows("^global_load_(dwordx2|b64) " vector vector "off( offset:[0-9]+)? " policy "$", 16, wait["cg"])
  else if (what == "sweep") {
    check_rows("^global_load_(dwordx2|b64) " vector vector "off( offset:[0-9]+)? " policy "$", 16, wait["cg"])
    check_rows("^global_store_(dwordx4|b128) " vector vector "off( offset:[0-9]+)?$", 8, stores)
  } else if (what == "read_shared")
    check_rows("^ds_(read|load)_b128 " vector "v[0-9]+( offset:[0-9]+)?$", 8, wait["shared"])
  else if (what == "read_scalar")
    check_rows("^s_load_(dwordx16|b512) s\\[[0-9:]+\\], s\\[[0-9:]+\\], (0x0|0x40|null)$", 2, lgkm)
  else if (what == "write_cg")
    check_rows("^global_store_(dwordx4|b128) " vector vector "off( offset:[0-9]+)?$", 8, stores)
  else if (what == "write_shared")
    check_rows("^ds_(write|store)_b128 v[0-9]+, v\\[[0-9:]+\\]( offset:[0-9]+)?$", 8, wait["shared"])
  else if (what == "outstanding" || what == "departure")
    check_batch()
  else if (what == "shares")
    check_repeated_batch()
  else if (what == "visible")
    check_policy()
  else if (what !~ /^(fill|touch|clock)$/)
    wrong("there is no rule for this kernel")
  if (what ~ /^(chase|latency|census|marks)_scalar$|^first_touch$|^pair$|^sharing_groups$/)
    check_alone(chain)
}

/<gpu_[a-z0-9_]+>:$/ {
  if (kernel != "")
    check()
  kernel = $0
  gsub(/^.*<|>:$/, "", kernel)
  kernels++
  lines = 0
  next
}
/^[ \t]+[a-z]/ {
  sub(/[ \t]*\/\/.*/, "")
  gsub(/^[ \t]+/, "")
  gsub(/[ \t]+/, " ")
  code[++lines] = $0
}
END {
  if (kernel != "")
    check()
  if (!kernels) {
    print processor ": no kernels"
    failures++
  }
  exit failures > 0
}
