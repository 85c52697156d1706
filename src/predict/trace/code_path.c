/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The shortest paths through machine code. Each is searched once, breadth first, and kept as runs
 * of instructions that follow each other.
 */
#include "predict/trace/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Far more than a kernel has pairs of accesses; a bound for broken traces. */
#define MOST_PATHS ((size_t)1 << 16)

#define NOT_SEEN UINT32_MAX

struct run {
  uint32_t first, count;
  bool async;                   /* of copies that run beside the warp; count is 1 */
  struct gc_register_set needs; /* of all of them */
};

struct gc_code_path {
  struct gc_code_path *next; /* from the same instruction */
  uint32_t to;
  bool exists;
  size_t run_count;
  struct run runs[];
};

static void forget(struct gc_code_path **paths)
{
  while (*paths) {
    struct gc_code_path *path = *paths;

    *paths = path->next;
    free(path);
  }
}

void gc_code_forget_paths(struct gc_code *code)
{
  forget(&code->from_entry);
  for (uint32_t i = 0; i < code->count && code->path_count; i++)
    forget(&code->instructions[i].paths);
  code->path_count = 0;
}

/* Adds what can follow an instruction to the queue. */
static void add_next(struct gc_code *code, uint32_t at, uint32_t *end)
{
  const struct gc_code_instruction *instruction = &code->instructions[at];
  const uint32_t next[] = {instruction->continues ? at + 1 : GC_CODE_UNKNOWN, instruction->target};

  for (int i = 0; i < 2; i++)
    if (next[i] < code->count && code->before[next[i]] == NOT_SEEN) {
      code->before[next[i]] = at;
      code->queue[(*end)++] = next[i];
    }
}

/* The instruction at which the shortest path arrives, or GC_CODE_UNKNOWN. An access that would have
 * left a record is on no path. */
static uint32_t search(struct gc_code *code, uint32_t from, uint32_t to)
{
  uint32_t end = 0;

  memset(code->before, 0xff, code->count * sizeof(*code->before)); /* NOT_SEEN */
  if (from == GC_CODE_ENTRY) {
    code->before[0] = from;
    code->queue[end++] = 0;
  } else
    add_next(code, from, &end);
  for (uint32_t i = 0; i < end; i++) {
    const uint32_t at = code->queue[i];

    if (at == to || (to == GC_CODE_EXIT && code->instructions[at].exits))
      return at;
    if (!code->instructions[at].recorded)
      add_next(code, at, &end);
  }
  return GC_CODE_UNKNOWN;
}

/* Writes the instructions of the path that was found to the end of the queue. Their number. */
static uint32_t trace_back(struct gc_code *code, uint32_t from, uint32_t to, uint32_t arrived)
{
  uint32_t at = to == GC_CODE_EXIT ? arrived : code->before[arrived], count = 0;

  for (; at != from; at = code->before[at])
    code->queue[code->count - ++count] = at;
  return count;
}

static bool is_async(const struct gc_code *code, uint32_t at)
{
  return code->instructions[at].uses.async != GC_OPCODE_NO_ASYNC;
}

/* Does the instruction continue the run of the one before it? */
static bool continues_run(const struct gc_code *code, const uint32_t *at)
{
  return at[0] == at[-1] + 1 && !is_async(code, at[0]) && !is_async(code, at[-1]);
}

static struct gc_code_path *make_path(struct gc_code *code, uint32_t from, uint32_t to)
{
  const uint32_t arrived = search(code, from, to);
  const uint32_t count = arrived == GC_CODE_UNKNOWN ? 0 : trace_back(code, from, to, arrived);
  const uint32_t *found = code->queue + code->count - count;
  struct gc_code_path *path;
  struct run *run = NULL;
  size_t runs = count > 0;

  for (uint32_t i = 1; i < count; i++)
    runs += !continues_run(code, &found[i]);
  path = calloc(1, sizeof(*path) + runs * sizeof(*path->runs));
  if (!path)
    return NULL;
  path->to = to;
  path->exists = arrived != GC_CODE_UNKNOWN;
  for (uint32_t i = 0; i < count; i++) {
    if (!run || !continues_run(code, &found[i])) {
      run = &path->runs[path->run_count++];
      run->first = found[i];
      run->async = is_async(code, found[i]);
    }
    run->count++;
    gc_registers_add(&run->needs, &code->instructions[found[i]].uses.needs);
  }
  return path;
}

int gc_code_find_path(struct gc_code *code, uint32_t from, uint32_t to,
                      const struct gc_code_path **found)
{
  struct gc_code_path **paths, *path;

  if (from == GC_CODE_UNKNOWN || to == GC_CODE_UNKNOWN)
    return 0;
  if (code->path_count >= MOST_PATHS)
    gc_code_forget_paths(code);
  paths = from == GC_CODE_ENTRY ? &code->from_entry : &code->instructions[from].paths;
  for (path = *paths; path && path->to != to; path = path->next)
    ;
  if (!path) {
    path = make_path(code, from, to);
    if (!path)
      return -ENOMEM;
    path->next = *paths;
    *paths = path;
    code->path_count++;
  }
  *found = path;
  return path->exists;
}

/* Issues a run. What needs nothing that is under way is only counted. */
static int issue_run(const struct gc_code *code, const struct run *run, struct gc_issue *issue)
{
  uint32_t at = run->first, left = run->count;
  int status = 0;

  for (;
       left && !status && (run->async || gc_registers_meet(&issue->pending.registers, &run->needs));
       at++, left--) {
    gc_issue_uses(issue, &code->instructions[at].uses, false);
    status = gc_issue_others(issue, code->instructions[at].pc, 1);
  }
  return status || !left ? status : gc_issue_others(issue, code->instructions[at].pc, left);
}

int gc_code_issue_path(const struct gc_code *code, const struct gc_code_path *path,
                       struct gc_issue *issue)
{
  int status = 0;

  for (size_t i = 0; i < path->run_count && !status; i++)
    status = issue_run(code, &path->runs[i], issue);
  return status;
}
