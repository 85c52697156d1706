/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Records from everything that a command line can name: the GPUs of this machine, record files,
 * other topologies as hwloc XML (each GPU in them), and directories of such files. For the commands
 * that use records and do not care where they come from.
 */
#ifndef GC_TOOL_SOURCES_SOURCES_H
#define GC_TOOL_SOURCES_SOURCES_H

#include "record/record.h"
#include "tool/tool.h"
#include "util/error.h"

struct gc_source {
  char *name;   /* for people: "gpu0" for a GPU of this machine; the path of a file, with ":gpu1" if
                   the file has several GPUs */
  char gpu[16]; /* the GPU in that topology: "gpu0" */
  struct gc_record *record; /* never NULL */
};

/* In the order of the command line; the files of a directory in the order of their names. Records
 * of files are not compared with the GPUs of this machine, and need not be current. */
struct gc_sources {
  struct gc_source *array;
  size_t count;
};

/* Frees the records and names. */
void gc_sources_free(struct gc_sources *sources);

/* Appends the GPUs in a file: a record, or any hwloc XML of version 2 or 3. 0, or a
 * negative errno with a sentence that names the file: -ENODATA if there is no GPU of ours in it. */
int gc_sources_add_file(struct gc_sources *sources, const char *path, struct gc_error *err);

/* Appends the GPUs of all files *.xml in a directory and in its subdirectories (one level: one for
 * each node). A file that cannot be used is reported on stderr in one sentence, and skipped; *bad
 * (may be NULL) is increased by the number of these files. 0; or a negative errno with a sentence:
 * the directory cannot be read, or -ENODATA if no file has a GPU. */
int gc_sources_add_directory(struct gc_sources *sources, const char *path, size_t *bad,
                             struct gc_error *err);

/* Receives a GPU of a directory; the source is freed afterwards. 0 or a negative errno. */
typedef int gc_sources_visitor(const struct gc_source *source, void *data);

/* Like gc_sources_add_directory, but visits the GPUs one by one, so that the records of a large
 * cluster need not be in memory together. A negative errno of the visitor ends the visit. */
int gc_sources_visit_directory(const char *path, gc_sources_visitor *visit, void *data, size_t *bad,
                               struct gc_error *err);

/* Fills sources from the arguments of the command (tool->words): files, directories and GPUs of
 * this machine; without arguments, all GPUs. Measures GPUs without a valid record, like "show".
 * GC_EXIT_DONE; or another exit code after a message. With another code than GC_EXIT_DONE, sources
 * has what could be read, possibly nothing. The caller always calls gc_sources_free. */
int gc_sources_of_words(const struct gc_tool *tool, struct gc_sources *sources);

#endif
