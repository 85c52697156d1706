# SPDX-License-Identifier: BSD-3-Clause
# Prints a record (hwloc XML, as "hwloc-gpucache measure --xml" writes it) as lines
# ELEMENT.KEY<TAB>VALUE. Left out is what differs between two measurements of the same GPU, or
# between two versions with the same values: date, version, cost, the hash of a simulated GPU's
# profile, and the wording of reasons.
function attribute(name,   text) {
  text = $0
  if (!sub(".* " name "=\"", "", text))
    return ""
  sub(/".*/, "", text)
  return text
}

/<object / && attribute("subtype") != "" {
  depth++
  element[depth] = attribute("subtype")
  while (seen[element[depth]]++)
    element[depth] = element[depth] "+" # a second one
  print element[depth] ".name\t" attribute("name")
  print element[depth] ".parent\t" element[depth - 1]
  if (/\/>/)
    depth--
  next
}
/<\/object>/ && depth { depth-- }

depth && /<info / {
  key = attribute("name")
  value = attribute("value")
  if (key ~ /^(Backend|GPUCache(Measured|Measuring.*|Version|VBIOS))$/)
    next
  sub(/^absent:.*/, "absent", value)
  print element[depth] "." key "\t" value
}
