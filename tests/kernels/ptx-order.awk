# SPDX-License-Identifier: BSD-3-Clause
# Reads the PTX of the kernels. Reports an error unless the chase of each path has one timed load: clock, load of that
# path, comparison of the loaded value, exit that depends on it, clock; and unless all timed loads of other kernels
# are like that. -v expected="PATH ...": the PTX has chases of these paths.

function wrong(what) {
  printf "%s: line %d: %s\n", kernel, NR, what
  failures++
}

# The register that the load in this line writes; sets path. Empty: no load.
function loaded(line,   words) {
  split(line, words, /[ \t{},]+/)
  path = ""
  if (line ~ /^ld\.global\.(ca|cg|nc)\.u64 /)
    path = substr(line, 11, 2)
  else if (line ~ /^ld\.const\.u64 /)
    path = "constant"
  else if (line ~ /^ld\.shared\.u32 /)
    path = "shared"
  else if (line ~ /^atom\.global\.sys\.add\.u64 /)
    path = "system"
  else if (line ~ /^tex\.1d\.v4\.u32\.s32 /)
    path = "texture"
  return path == "" ? "" : words[2]
}

function timed_load(first, last,   at, register, compared) {
  at = first + 1
  register = loaded(block[at++])
  if (register == "")
    return wrong("the clock is not followed by a load")
  compared = register
  if (block[at] == "cvt.u32.u64 w, " register ";") {
    compared = "w"
    at++
  }
  if (block[at++] != "setp.eq.u32 p, " compared ", 0xffffffff;")
    return wrong("the loaded value is not compared")
  if (block[at++] != "@p exit;")
    return wrong("no exit depends on the comparison")
  if (at != last)
    return wrong("another instruction before the second clock read")
  if (kernel !~ /^gpu_chase_/)
    return
  if (kernel != "gpu_chase_" path)
    return wrong("a load of path " path)
  timed[path]++
}

/\.entry / {
  kernel = $3
  sub(/\(.*/, "", kernel)
}
/\.local/ { wrong("local memory") }
/\.shared / && !/\.extern/ { wrong("static shared memory") }
/begin inline asm/ { inside = 1; lines = clocks = 0; next }
/end inline asm/ {
  inside = 0
  if (clocks == 2)
    timed_load(clock[1], clock[2])
  next
}
inside {
  sub(/^[ \t]+/, "")
  block[++lines] = $0
  if (/%clock64;/)
    clock[++clocks] = lines
}
END {
  split(expected == "" ? "ca cg nc texture constant shared" : expected, paths, " ")
  for (p in paths)
    if (timed[paths[p]] != 1)
      wrong("path " paths[p] " has " timed[paths[p]] + 0 " timed loads in order")
  exit failures > 0
}
