/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The machine code of a kernel, as nvdisasm prints it, and the paths through it. A trace with a
 * record for each access lacks the instructions in between; the code has them: those on the
 * shortest path from one access to the next.
 */
#ifndef GC_PREDICT_TRACE_CODE_H
#define GC_PREDICT_TRACE_CODE_H

#include "predict/trace/issue.h"
#include "predict/trace/opcode.h"
#include "predict/trace/registers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instead of the number of an instruction. */
#define GC_CODE_UNKNOWN UINT32_MAX     /* none of the code */
#define GC_CODE_ENTRY (UINT32_MAX - 1) /* before the first one */
#define GC_CODE_EXIT (UINT32_MAX - 2)  /* after any EXIT */

struct gc_code_path;

struct gc_code_instruction {
  uint32_t pc;
  struct gc_opcode opcode;
  struct gc_uses uses;
  bool continues;             /* the next instruction can follow */
  bool exits;                 /* it is an EXIT */
  bool tensor;                /* it copies a tensor (UTMALDG, UTMASTG ...): our traces have no record of it */
  bool recorded;              /* it cannot be executed without a record in the trace */
  uint32_t target;            /* of a jump or call; or GC_CODE_UNKNOWN */
  uint64_t label;             /* the same as the hash of its name; 0: none */
  struct gc_code_path *paths; /* those from here that were found */
};

struct gc_code_label {
  uint64_t hash;
  uint32_t at; /* the instruction after it */
};

/* Where the instructions from this one on come from. */
struct gc_code_source {
  uint32_t at;   /* number of the instruction */
  uint32_t line; /* from 1 */
  uint32_t file; /* where the name begins in gc_code.files */
};

#define GC_CODE_FILE 4096 /* bytes of a name, with the NUL */

/* All 0: no code. */
struct gc_code {
  struct gc_code_instruction *instructions;
  uint32_t count;
  size_t room;
  struct gc_code_label *labels;
  size_t label_count, label_room;
  struct gc_code_source *sources;
  size_t source_count, source_room;
  char *files; /* names, each ended by a NUL */
  size_t files_used, files_room;
  struct gc_code_path *from_entry;
  size_t path_count;
  uint32_t *queue, *before; /* of the search: one entry for each instruction */
};

/* Adds a line: an instruction, "0010 @!P0 LDG.E R4, [R2.64]", or a label, ".L_x_1:". 0; -EBADMSG
 * with the reason in *why (static); or -ENOMEM. */
int gc_code_read_line(struct gc_code *code, const char *text, const char **why);

/* Adds "12 /home/me/copy.cu": the source line of the instructions that follow. 0, -EBADMSG or
 * -ENOMEM likewise. */
int gc_code_read_source(struct gc_code *code, const char *text, const char **why);

/* The name of the file, printable and valid until the next change of code, and the line of an
 * instruction. NULL: not known. */
const char *gc_code_find_source(const struct gc_code *code, uint32_t pc, unsigned *line);

/* After the last line. 0 or -ENOMEM. */
int gc_code_finish(struct gc_code *code);

/* Removes all lines and paths. */
void gc_code_clear(struct gc_code *code);

/* The number of the instruction with this pc, or GC_CODE_UNKNOWN. */
uint32_t gc_code_find(const struct gc_code *code, uint32_t pc);

/* Finds the shortest path from an instruction (or the entry) to another one (or the exit). The path
 * has the instructions in between, and the EXIT if it leads to the exit. If both are the same
 * instruction, it is the shortest loop. 1: *path is valid until the next call; 0: there is no path; or -ENOMEM. */
int gc_code_find_path(struct gc_code *code, uint32_t from, uint32_t to,
                      const struct gc_code_path **path);

/* Issues the instructions of the path. 0 or the status of the visitor. */
int gc_code_issue_path(const struct gc_code *code, const struct gc_code_path *path,
                       struct gc_issue *issue);

/* Forgets all paths. */
void gc_code_forget_paths(struct gc_code *code);

#endif
