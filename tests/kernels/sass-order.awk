# SPDX-License-Identifier: BSD-3-Clause
# Reads the output of nvdisasm -c. Between the two clock reads of each chase kernel must be a load of its path, a
# comparison of the loaded register, and an exit that depends on the comparison, in this order.
BEGIN {
  load["ca"] = "^LDG.E.64.(STRONG.SM|STRONG.CTA)"
  load["cg"] = "^LDG.E.64.STRONG.GPU"
  load["nc"] = "^LDG.E.64.CONSTANT"
  load["texture"] = "^TLD"
  load["constant"] = "^LDC.64"
  load["shared"] = "^LDS"
}
/^\.text\.gpu_/ {
  path = ""
  if (/^\.text\.gpu_chase_/) {
    path = substr($0, 17)
    sub(/:.*/, "", path)
  }
  seen = ""
}
path != "" && /\/\*[0-9a-f]+\*\// {
  sub(/^[^\/]*\/\*[0-9a-f]+\*\/[ \t]*/, "")
  if (/SR_CLOCKLO/) {
    if (!/^CS2U?R/) seen = seen " late"
    seen = seen " clock"
    if (seen == " clock load compare exit clock") done[path] = 1
    register = ""
    inside = 1
  } else if (seen ~ /clock$/ && $0 ~ load[path]) {
    seen = seen " load"
    # TLD has RZ in front of its destination.
    match($0, / R[0-9]+/)
    register = substr($0, RSTART + 1, RLENGTH - 1)
  } else if (seen ~ /load$/ && /^ISETP/ && $0 ~ "[ ,]" register "[,.]")
    seen = seen " compare"
  else if (seen ~ /compare$/ && /^@!?P[0-9] EXIT/)
    seen = seen " exit"
}
END {
  for (p in load)
    if (!done[p]) {
      print "chase_" p ": no timed load in order"
      failures++
    }
  exit failures > 0
}
