# SPDX-License-Identifier: BSD-3-Clause
# The opposite of record.awk: from lines ELEMENT.KEY<TAB>VALUE (tests/data/values) to a record in hwloc
# XML. What record.awk leaves out is missing: dates, versions, reasons. For tests that need records of
# many GPUs and have no time to measure them, and for contrib/first-day.
BEGIN { FS = "\t" }
{
  at = index($1, ".")
  element = substr($1, 1, at - 1)
  key = substr($1, at + 1)
  if (key == "name") {
    name[element] = $2
    order[++count] = element
  } else if (key == "parent") {
    parent[element] = $2
  } else {
    if ($2 == "absent")
      $2 = "absent:the reason was not kept"
    info[element, ++infos[element]] = "<info name=\"" key "\" value=\"" $2 "\"/>"
  }
}

# i and k are local: the function calls itself
function print_object(element,   i, k) {
  print "<object type=\"OSDev\" gp_index=\"" 10 + ++printed "\" name=\"" name[element] "\" subtype=\"" element \
    "\" osdev_type=\"0\">"
  for (i = 1; i <= infos[element]; i++)
    print info[element, i]
  for (k = 1; k <= count; k++)
    if (parent[order[k]] == element)
      print_object(order[k])
  print "</object>"
}

END {
  set = "cpuset=\"0x1\" complete_cpuset=\"0x1\" "
  nodes = "nodeset=\"0x1\" complete_nodeset=\"0x1\" "
  print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">"
  print "<object type=\"Machine\" os_index=\"0\" " set "allowed_cpuset=\"0x1\" " nodes "allowed_nodeset=\"0x1\" gp_index=\"1\">"
  print "<object type=\"NUMANode\" os_index=\"0\" " set nodes "gp_index=\"3\" local_memory=\"1073741824\"/>"
  print "<object type=\"PU\" os_index=\"0\" " set nodes "gp_index=\"2\"/>"
  print_object("DeviceMemory")
  print "</object>\n</topology>"
}
