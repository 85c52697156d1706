/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What the child of doctor does: hwloc-gpucache doctor --probe WHAT, an internal option.
 */
#ifndef GC_TOOL_DOCTOR_PROBE_H
#define GC_TOOL_DOCTOR_PROBE_H

/* what: "topology" loads a topology with the filters of lstopo in the environment of the user, and
 * prints it as XML; "cuda" and "hip" load the vendor's library and call nothing in it;
 * "plugin:FILE" loads a plugin and prints its component ABI. GC_EXIT_DONE; GC_EXIT_FAILED after
 * the reason was printed to stdout; GC_EXIT_USAGE: unknown word. */
int gc_doctor_probe(const char *what);

#endif
