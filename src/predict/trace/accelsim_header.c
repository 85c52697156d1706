/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Header lines: "-key = value". Unknown keys are ignored, because newer tracers add some; an
 * unknown version is an error.
 */
#include "predict/trace/accelsim.h"
#include "predict/trace/scan.h"

#include <errno.h>
#include <stdio.h>

struct target {
  struct gc_accelsim_header *header;
  struct gc_trace_launch *launch;
  char nvbit_text[22];
  uint64_t capability;
};

/* (x,y,z), each from 1 to its limit. */
static bool read_dim(const char *text, const uint64_t most[3], uint64_t dim[3])
{
  for (int i = 0; i < 3; i++) {
    if (*text++ != "(,,"[i])
      return false;
    scan_blanks(&text);
    if (!scan_digits(&text, &dim[i]) || !dim[i] || dim[i] > most[i])
      return false;
    scan_blanks(&text);
  }
  return *text++ == ')' && scan_gap(&text) && !*text;
}

static struct gc_trace_shape shape_of(const uint64_t dim[3])
{
  return (struct gc_trace_shape){(uint32_t)dim[0], (uint32_t)dim[1], (uint32_t)dim[2]};
}

/* A number up to most, decimal or, after "0x", hexadecimal. */
static bool read_number(const char *text, uint64_t most, uint64_t *value)
{
  const bool hex = text[0] == '0' && (text[1] | 0x20) == 'x';

  return (hex ? scan_hex(&text, value) : scan_decimal(&text, value)) && !*text && *value <= most;
}

static bool read_name(const char *text, struct target *target)
{
  gc_trace_copy_text(target->launch->name, sizeof(target->launch->name), text, strlen(text));
  return *text;
}

static bool read_grid(const char *text, struct target *target)
{
  static const uint64_t most[3] = {INT32_MAX, 65535, 65535};
  uint64_t *grid = target->header->grid;

  if (!read_dim(text, most, grid))
    return false;
  target->launch->grid = shape_of(grid);
  target->launch->blocks = target->header->blocks = grid[0] * grid[1] * grid[2];
  return true;
}

static bool read_block(const char *text, struct target *target)
{
  static const uint64_t most[3] = {GC_TRACE_BLOCK_THREADS, GC_TRACE_BLOCK_THREADS,
                                   GC_TRACE_BLOCK_THREADS};
  uint64_t dim[3];

  if (!read_dim(text, most, dim) || dim[0] * dim[1] * dim[2] > GC_TRACE_BLOCK_THREADS)
    return false;
  target->header->threads = (unsigned)(dim[0] * dim[1] * dim[2]);
  target->header->warps = (target->header->threads + GC_ACCELSIM_LANES - 1) / GC_ACCELSIM_LANES;
  target->launch->block = shape_of(dim);
  target->launch->threads_per_block = target->header->threads;
  return true;
}

static bool read_shared(const char *text, struct target *target)
{
  return read_number(text, INT32_MAX, &target->launch->shared_bytes);
}

static bool read_registers(const char *text, struct target *target)
{
  uint64_t registers;

  if (!read_number(text, 65536, &registers))
    return false;
  target->launch->registers_per_thread = (unsigned)registers;
  return true;
}

static bool read_capability(const char *text, struct target *target)
{
  return read_number(text, 9999, &target->capability);
}

static bool read_shared_base(const char *text, struct target *target)
{
  return read_number(text, GC_TRACE_LOCAL - GC_ACCELSIM_WINDOW, &target->header->shared_base);
}

static bool read_local_base(const char *text, struct target *target)
{
  return read_number(text, GC_TRACE_LOCAL - GC_ACCELSIM_WINDOW, &target->header->local_base);
}

static bool read_nvbit(const char *text, struct target *target)
{
  gc_trace_copy_text(target->nvbit_text, sizeof(target->nvbit_text), text, strlen(text));
  return *text;
}

static bool read_version(const char *text, struct target *target)
{
  uint64_t version;

  if (!read_number(text, UINT32_MAX, &version))
    return false;
  target->header->version = (unsigned)version;
  return true;
}

static bool read_lineinfo(const char *text, struct target *target)
{
  uint64_t on;

  if (!read_number(text, 1, &on))
    return false;
  target->header->lineinfo = on;
  return true;
}

static const struct {
  const char *key;
  bool (*read)(const char *text, struct target *target);
  bool needed;
} keys[] = {
    {"kernel name", read_name, true},
    {"grid dim", read_grid, true},
    {"block dim", read_block, true},
    {"shmem", read_shared, false},
    {"nregs", read_registers, false},
    {"binary version", read_capability, false},
    {"shmem base_addr", read_shared_base, false},
    {"local mem base_addr", read_local_base, false},
    {"nvbit version", read_nvbit, false},
    {"accelsim tracer version", read_version, true},
    {"enable lineinfo", read_lineinfo, false},
};
#define KEYS (sizeof(keys) / sizeof(*keys))

/* One line that begins with '-'. seen has a bit for each key. */
static int read_key(struct gc_stream *stream, const char *line, struct target *target,
                    unsigned *seen, struct gc_error *err)
{
  const char *equals = strstr(line, " ="), *value;

  if (!equals)
    return gc_stream_bad(stream, err, "the header line \"%.60s\" has no \" =\"", line);
  value = equals + 2;
  scan_blanks(&value);
  for (size_t i = 0; i < KEYS; i++)
    if (strlen(keys[i].key) == (size_t)(equals - line - 1) &&
        !memcmp(keys[i].key, line + 1, strlen(keys[i].key))) {
      if (*seen & 1u << i)
        return gc_stream_bad(stream, err, "the header has \"-%s\" twice", keys[i].key);
      *seen |= 1u << i;
      if (!keys[i].read(value, target))
        return gc_stream_bad(stream, err, "\"%.60s\" is no value for \"-%s\"", value, keys[i].key);
    }
  return 0;
}

static int finish(struct gc_stream *stream, struct target *target, unsigned seen,
                  struct gc_error *err)
{
  struct gc_trace_launch *launch = target->launch;
  const bool nvbit = *target->nvbit_text;
  char capability[36] = "";

  for (size_t i = 0; i < KEYS; i++)
    if (keys[i].needed && !(seen & 1u << i))
      return gc_stream_bad(stream, err, "the header above has no line \"-%s = ...\"", keys[i].key);
  if (target->header->version < 3 || target->header->version > 6)
    return gc_stream_bad(stream, err,
                         "the header above has tracer version %u; this program reads 3 to 6",
                         target->header->version);
  launch->warp_threads = GC_ACCELSIM_LANES;
  launch->registers = true;
  if (target->capability)
    snprintf(capability, sizeof(capability), "%scompute capability %u.%u", nvbit ? ", " : "",
             (unsigned)target->capability / 10, (unsigned)target->capability % 10);
  snprintf(launch->origin, sizeof(launch->origin), "%s%s%s", nvbit ? "NVBit " : "",
           target->nvbit_text, capability);
  return 0;
}

int gc_accelsim_read_header(struct gc_stream *stream, struct gc_accelsim_header *header,
                            struct gc_trace_launch *launch, struct gc_error *err)
{
  struct target target = {.header = header, .launch = launch};
  unsigned seen = 0;
  const char *line;
  int status;

  memset(header, 0, sizeof(*header));
  while ((status = gc_stream_line(stream, &line, err)) == 1) {
    if (*line == '-')
      status = read_key(stream, line, &target, &seen, err);
    else if (*line != '#')
      return gc_stream_bad(stream, err,
                           "here must be \"#BEGIN_TB\"; if this is a .trace file, convert it with "
                           "post-traces-processing of Accel-Sim");
    else if (!strncmp(line, "#BEGIN_TB", 9)) {
      gc_stream_unread(stream);
      return finish(stream, &target, seen, err);
    } /* other comments name the columns */
    if (status < 0)
      return status;
  }
  return status < 0 ? status
                    : gc_stream_bad(stream, err, "the file ends in the header: it is truncated");
}
