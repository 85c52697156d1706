/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The links of the chain: each is a function that adds one finding or several. doctor.c has the
 * table of them. A link never fails: what it cannot find out is a finding.
 */
#ifndef GC_TOOL_DOCTOR_LINKS_H
#define GC_TOOL_DOCTOR_LINKS_H

#include "gpus/gpus.h"
#include "tool/doctor/program.h"
#include "tool/doctor/topology.h"
#include "tool/tool.h"

#include <limits.h>

enum gc_link_status { GC_LINK_OK, GC_LINK_NOT_OK, GC_LINK_NOT_APPLICABLE };

struct gc_link_finding {
  const char *link; /* static */
  enum gc_link_status status;
  char found[900];
  char remedy[700]; /* empty: nothing is to be done */
};

/* Results of a link about one GPU that later links use. */
struct gc_patient {
  struct gc_gpu *gpu;
  char driver_problem[sizeof(
      ((struct gc_gpu *)0)->problem)]; /* why the driver cannot use it; empty: it can */
  bool no_library;          /* the vendor's library cannot be loaded */
  bool has_failed;          /* there is a valid note of a failed measurement */
};

struct gc_doctor {
  const struct gc_tool *tool;
  struct gc_gpus gpus;
  struct gc_patient *patients;   /* one for each GPU */
  char loader[PATH_MAX];         /* the path of lstopo, or of Python; empty: it is not in PATH */
  struct gc_program loader_uses; /* valid if loader is not empty; of Python: what pyhwloc uses */
  char pyhwloc_release[20];      /* the version of pyhwloc's hwloc, "3.0.0"; empty: not known */
  struct gc_loaded loaded;       /* the topology, as lstopo or pyhwloc loads it */
  bool no_command, no_dir;       /* a load cannot start the command; cannot store a record */
  bool program_fails;            /* the program of the command line cannot load plugins */
  bool is_shown;                 /* the result: lstopo or pyhwloc will show caches */
  const char *link;              /* the name of the present link */
  struct gc_link_finding *findings;
  size_t count;
};

/* Adds a finding of the present link. remedy: a sentence that says what to do; NULL: nothing. */
void gc_doctor_add(struct gc_doctor *doctor, enum gc_link_status status, const char *remedy,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* hwloc.c: the library, and the programs that load it */
void gc_link_libhwloc(struct gc_doctor *doctor);
void gc_link_lstopo(struct gc_doctor *doctor);
void gc_link_program(struct gc_doctor *doctor);
/* python.c: pyhwloc, if --python is given */
void gc_link_python(struct gc_doctor *doctor);
/* plugin.c: the file hwloc_gpucache.so */
void gc_link_directories(struct gc_doctor *doctor);
void gc_link_file(struct gc_doctor *doctor);
void gc_link_plugin(struct gc_doctor *doctor);
void gc_link_abi(struct gc_doctor *doctor);
/* settings.c: what the environment and programs switch off */
void gc_link_components(struct gc_doctor *doctor);
void gc_link_mode(struct gc_doctor *doctor);
void gc_link_this_system(struct gc_doctor *doctor);
void gc_link_filter(struct gc_doctor *doctor);
/* gpus.c: may this process measure them? */
void gc_link_gpus(struct gc_doctor *doctor);
void gc_link_driver(struct gc_doctor *doctor);
void gc_link_nodes(struct gc_doctor *doctor);
void gc_link_visible(struct gc_doctor *doctor);
void gc_link_vendor_library(struct gc_doctor *doctor);
/* records.c: what is stored, and whether more can be */
void gc_link_command(struct gc_doctor *doctor);
void gc_link_dir(struct gc_doctor *doctor);
void gc_link_site(struct gc_doctor *doctor);
void gc_link_record(struct gc_doctor *doctor);
void gc_link_failure(struct gc_doctor *doctor);
/* caches.c: the end of the chain */
void gc_link_load(struct gc_doctor *doctor);
void gc_link_caches(struct gc_doctor *doctor);

/* hwloc.c: whether the libhwloc of lstopo or pyhwloc (or of this program, if there is no lstopo) can
 * load plugins. */
enum gc_libhwloc gc_doctor_plugins(const struct gc_doctor *doctor);

#endif
