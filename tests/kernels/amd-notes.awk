# SPDX-License-Identifier: BSD-3-Clause
# Reads "NAME BYTES" for all kernels and their argument structs, then the output of llvm-readelf --notes for a code
# object (-v processor=gfx942). The object must have these kernels and no others, arguments as the host passes
# them, no spills, no stack, no LDS but that of a launch, and waves as wide as in amdgcn.h.

function wrong(what) {
  printf "%s: %s: %s\n", processor, name, what
  failures++
}

function must_be(key, value) {
  if (values[key] != value)
    wrong(key " is '" values[key] "', not " value)
}

function check() {
  name = values[".name"]
  if (!(name in bytes))
    return wrong("no kernel of args.h")
  found[name] = 1
  must_be(".sgpr_spill_count", "0")
  must_be(".vgpr_spill_count", "0")
  must_be(".private_segment_fixed_size", "0")
  must_be(".group_segment_fixed_size", "0")
  if (".uses_dynamic_stack" in values) # from version 5 on
    must_be(".uses_dynamic_stack", "false")
  must_be(".wavefront_size", processor ~ /^gfx9/ ? "64" : "32")
  if (arguments < 1 || kind[1] != "by_value" || offset[1] != 0 || size[1] != bytes[name])
    wrong("its argument is " kind[1] " of " size[1] " bytes at " offset[1] ", not the struct of " bytes[name])
  if (values[".kernarg_segment_size"] < bytes[name] + 0)
    wrong("its arguments have " values[".kernarg_segment_size"] " bytes, the struct " bytes[name])
  for (i = 2; i <= arguments; i++)
    if (kind[i] !~ /^hidden_/ || offset[i] < bytes[name])
      wrong("another argument: " kind[i] " at " offset[i])
}

NR == FNR { bytes["gpu_" $1] = $2; next }
/^  - / {
  if (arguments)
    check()
  delete values
  arguments = 0
}
/^ +- \.offset:/ { offset[++arguments] = $3; next }
/^ +\.size:/ { size[arguments] = $2; next }
/^ +\.value_kind:/ { kind[arguments] = $2; next }
/^ +(- )?\.[a-z_]+:/ { sub(/^ +(- )?/, ""); key = $1; sub(/:$/, "", key); values[key] = $2 }
/^amdhsa.target:/ {
  target = $2
  if (target !~ "--" processor "$")
    wrong("the object is for " target)
}
END {
  if (arguments)
    check()
  for (name in bytes)
    if (!(name in found))
      wrong("is missing")
  exit failures > 0
}
