/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Header lines: a keyword and a value.
 */
#include "predict/trace/tsv_header.h"

#include "predict/trace/scan.h"

int gc_tsv_need_line(struct gc_trace *trace, const char **line, struct gc_error *err)
{
  int status;

  do
    status = gc_stream_line(trace->stream, line, err);
  while (status == 1 && **line == '#');
  return status
             ? status
             : gc_stream_bad(trace->stream, err, "there is no line \"end\": the file is truncated");
}

bool gc_tsv_ends_kernel(const char *line)
{
  return !strncmp(line, "kernel", 6) || !strncmp(line, "left-out", 8) || !strcmp(line, "end");
}

/* The numbers of the header, in the order of the bits of seen. */
static const struct {
  const char *key;
  uint64_t least, most;
  bool needed;
  unsigned version; /* of the file, at least */
} keys[] = {
    {"blocks", 1, UINT64_C(1) << 62, true, 1},
    {"threads", 1, GC_TRACE_BLOCK_THREADS, true, 1},
    {"warp", 32, 64, true, 1},
    {"registers", 0, 65536, false, 1},
    {"shared", 0, UINT64_C(1) << 32, false, 1},
    {"loads-at-once", 1, 1024, false, 1},
    {"carve-out", 0, 100, false, 1},
    {"stream", 1, UINT64_C(1) << 62, false, 1},
    {"launched-blocks", 1, UINT64_C(1) << 62, false, 2},
    {"launch", 1, UINT64_C(1) << 62, false, 2},
    {"process", 1, UINT64_C(1) << 31, false, 2},
    {"launches", 1, UINT64_C(1) << 40, false, 2},
};
enum {
  BLOCKS,
  THREADS,
  WARP,
  REGISTERS,
  SHARED,
  LOADS_AT_ONCE,
  CARVEOUT,
  STREAM,
  LAUNCHED_BLOCKS,
  LAUNCH,
  PROCESS,
  LAUNCHES,
  KEYS,
  ORIGIN = KEYS
};

static void store(struct gc_trace_launch *launch, int key, uint64_t value)
{
  switch (key) {
  case BLOCKS:
    launch->blocks = value;
    break;
  case THREADS:
    launch->threads_per_block = (unsigned)value;
    break;
  case WARP:
    launch->warp_threads = (unsigned)value;
    break;
  case REGISTERS:
    launch->registers_per_thread = (unsigned)value;
    break;
  case SHARED:
    launch->shared_bytes = value;
    break;
  case LOADS_AT_ONCE:
    launch->loads_at_once = (unsigned)value;
    break;
  case CARVEOUT:
    launch->prefers_carveout = true;
    launch->carveout = (unsigned)value;
    break;
  case STREAM:
    launch->stream = value;
    break;
  case LAUNCHED_BLOCKS:
    launch->launched_blocks = value;
    break;
  case LAUNCH:
    launch->in_program = value;
    break;
  case PROCESS:
    launch->process = value;
    break;
  default:
    launch->launches = value;
  }
}

/* "driver-load ADDRESS BYTES" or "driver-store ADDRESS BYTES". */
static int read_touched(struct gc_trace *trace, const char *line, bool stored, const char *value,
                        struct gc_trace_touched *touched, struct gc_error *err)
{
  struct gc_trace_range range = {.stored = stored};

  if (!scan_hex(&value, &range.address) || !scan_decimal(&value, &range.bytes) || *value ||
      !range.bytes || !gc_trace_is_global(range.address, 1) ||
      range.bytes > GC_TRACE_LOCAL - range.address)
    return gc_stream_bad(trace->stream, err,
                         "\"%.40s\": these must be an address of 57 bits and bytes", line);
  if (touched->count == GC_TRACE_MOST_TOUCHED)
    return gc_stream_bad(trace->stream, err, "the kernel has more than %d of \"driver-\"",
                         GC_TRACE_MOST_TOUCHED);
  touched->ranges[touched->count++] = range;
  return 0;
}

/* The field for "grid", "block" or "cluster". NULL: it is another word. */
static struct gc_trace_shape *find_shape(const char *word, size_t length,
                                         struct gc_trace_launch *launch)
{
  const struct {
    const char *key;
    struct gc_trace_shape *shape;
  } shapes[] = {{"grid", &launch->grid}, {"block", &launch->block}, {"cluster", &launch->cluster}};

  for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
    if (strlen(shapes[i].key) == length && !memcmp(shapes[i].key, word, length))
      return shapes[i].shape;
  return NULL;
}

/* "x y z". */
static int read_shape(struct gc_trace *trace, const char *line, const char *value,
                      struct gc_trace_shape *shape, struct gc_error *err)
{
  uint64_t extents[3];

  if (shape->x)
    return gc_stream_bad(trace->stream, err, "\"%.40s\": the kernel has two such lines", line);
  for (int i = 0; i < 3; i++)
    if (!scan_decimal(&value, &extents[i]) || !extents[i] || extents[i] > UINT32_MAX)
      return gc_stream_bad(trace->stream, err,
                           "\"%.40s\": this must be three numbers, 1 to 4294967295", line);
  if (*value)
    return gc_stream_bad(trace->stream, err, "\"%.40s\": this must be three numbers", line);
  *shape =
      (struct gc_trace_shape){(uint32_t)extents[0], (uint32_t)extents[1], (uint32_t)extents[2]};
  return 0;
}

static int read_key(struct gc_trace *trace, unsigned version, const char *line,
                    struct gc_trace_launch *launch, unsigned *seen, struct gc_error *err)
{
  const char *value = line, *word;
  struct gc_trace_shape *shape;
  uint64_t number;
  size_t length;
  int key;

  scan_word(&value, &word, &length);
  if (version > 1 && length == 11 && !memcmp(word, "driver-load", 11))
    return read_touched(trace, line, false, value, &launch->touched, err);
  if (version > 1 && length == 12 && !memcmp(word, "driver-store", 12))
    return read_touched(trace, line, true, value, &launch->touched, err);
  shape = find_shape(word, length, launch);
  if (shape)
    return read_shape(trace, line, value, shape, err);
  for (key = 0; key < KEYS; key++)
    if (version >= keys[key].version && strlen(keys[key].key) == length &&
        !memcmp(keys[key].key, word, length))
      break;
  if (key == KEYS && (length != 6 || memcmp(word, "origin", 6)))
    return gc_stream_bad(trace->stream, err, "\"%.40s\" is no line of a header", line);
  if (*seen & 1u << key)
    return gc_stream_bad(trace->stream, err, "the kernel has \"%.*s\" twice", (int)length, word);
  *seen |= 1u << key;
  if (key == ORIGIN) {
    gc_trace_copy_text(launch->origin, sizeof(launch->origin), value, strlen(value));
    return 0;
  }
  if (!scan_decimal(&value, &number) || *value || number < keys[key].least ||
      number > keys[key].most || (key == WARP && number != 32 && number != 64))
    return gc_stream_bad(trace->stream, err, "\"%.40s\": this must be a number, %llu %s %llu", line,
                         (unsigned long long)keys[key].least, key == WARP ? "or" : "to",
                         (unsigned long long)keys[key].most);
  store(launch, key, number);
  return 0;
}

/* Whether the shape, if there is one, has this number of blocks or threads. */
static bool is_possible(const struct gc_trace_shape *shape, uint64_t number)
{
  const uint64_t plane = (uint64_t)shape->x * shape->y;

  return !plane || (number % plane == 0 && number / plane == shape->z);
}

/* Whether the numbers agree. */
static int check_header(const struct gc_trace *trace, const struct gc_trace_launch *launch,
                        struct gc_error *err)
{
  if (launch->launched_blocks && launch->launched_blocks < launch->blocks)
    return gc_stream_bad(trace->stream, err,
                         "the header of the kernel above has fewer launched-blocks than blocks");
  if (!is_possible(&launch->grid,
                   launch->launched_blocks ? launch->launched_blocks : launch->blocks))
    return gc_stream_bad(trace->stream, err,
                         "the grid in the header of the kernel above has another number of blocks");
  if (!is_possible(&launch->block, launch->threads_per_block))
    return gc_stream_bad(
        trace->stream, err,
        "the block in the header of the kernel above has another number of threads");
  return 0;
}

/* Whether the line is one of those that follow the header. */
static bool ends_header(unsigned version, const char *line)
{
  return gc_tsv_ends_kernel(line) ||
         (version == 1 ? *line >= '0' && *line <= '9'
                       : !strncmp(line, "code ", 5) || !strncmp(line, "source ", 7) ||
                             !strncmp(line, "accesses ", 9));
}

int gc_tsv_read_header(struct gc_trace *trace, unsigned version, struct gc_trace_launch *launch,
                       struct gc_error *err)
{
  unsigned seen = 0;
  const char *line;
  int status;

  for (;;) {
    status = gc_tsv_need_line(trace, &line, err);
    if (status < 0)
      return status;
    if (ends_header(version, line))
      break;
    status = read_key(trace, version, line, launch, &seen, err);
    if (status)
      return status;
  }
  gc_stream_unread(trace->stream);
  for (int key = 0; key < KEYS; key++)
    if (keys[key].needed && !(seen & 1u << key))
      return gc_stream_bad(trace->stream, err, "the header of the kernel above has no line \"%s\"",
                           keys[key].key);
  return check_header(trace, launch, err);
}
