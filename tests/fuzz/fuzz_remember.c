/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the file of remembered texts. The input takes the place of the file, or, if it
 * begins with "+", of the entries of a file that is otherwise right. There, "@0", "@1" … are the
 * keys of this node, in the order in which a list of GPUs remembers their texts.
 */
#include "fuzz.h"
#include "node.h"
#include "tree.h"

#include "gpus/gpus.h"
#include "util/env.h"
#include "util/hash.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#define DIR_PATH "/run/user/hwloc-gpucache/"
#define FILE_PATH DIR_PATH "remembered"
#define FIRST_LINE "hwloc-gpucache remembered 1\n"
#define KEYS 2 /* PCI and the GPU */
#define KEY_DIGITS 16
/* Of entries, so that the file keeps all of them beside three new ones. */
#define MOST_BYTES (TREE_WRITTEN_BYTES - 4096)

static const char files[] =
    NODE_DRIVER NODE_GPU("17", NODE_UUID, "0") NODE_PCI("17") "=" DIR_PATH "other\n";
static const struct gc_env env = {.values = {[GC_ENV_XDG_RUNTIME_DIR] = "/run/user"}};
static char keys[KEYS][KEY_DIGITS + 1];
static struct gc_gpus real; /* as the files of the driver state them */

static void list(bool believe, struct gc_gpus *gpus)
{
  PROMISE(!(believe ? gc_gpus_list_known : gc_gpus_list)("", NULL, gpus));
}

static void prepare(void)
{
  const char *text, *at;
  size_t length;

  gc_env_use(&env);
  tree_add_files(files, sizeof(files) - 1);
  list(false, &real);
  text = at = tree_text(FILE_PATH, &length);
  PROMISE(real.count == 1 && text && !strncmp(text, FIRST_LINE, strlen(FIRST_LINE)));
  for (int i = 0; i < KEYS; i++) {
    /* a key is the first word of a line that has two further words, which are numbers */
    unsigned long seconds, bytes;
    int end = 0;

    at = strchr(at, '\n') + 1;
    PROMISE(sscanf(at, "%16s %lu %lu%n", keys[i], &seconds, &bytes, &end) == 3 && end);
    at += end + bytes;
  }
  PROMISE(tree_clear() == 0);
}

static bool alike(const struct gc_gpus *a, const struct gc_gpus *b)
{
  bool is = a->count == b->count;

  for (size_t i = 0; is && i < a->count; i++) {
    const struct gc_identity *one = &a->array[i].identity, *other = &b->array[i].identity;

    is = !strcmp(one->id, other->id) && !strcmp(one->model, other->model) &&
         !strcmp(one->driver, other->driver) && !strcmp(one->vbios, other->vbios) &&
         !strcmp(one->mig, other->mig) && !strcmp(a->array[i].problem, b->array[i].problem);
  }
  return is;
}

static void check(const struct gc_gpus *gpus)
{
  for (size_t i = 0; i < gpus->count; i++) {
    PROMISE(gc_id_ok(gpus->array[i].identity.id));
    PROMISE(is_one_line(gpus->array[i].problem) && is_one_line(gpus->array[i].identity.model));
    PROMISE(is_one_line(gpus->array[i].identity.driver));
    PROMISE(is_one_line(gpus->array[i].identity.vbios) && is_one_line(gpus->array[i].identity.mig));
  }
}

/* Makes a file of these entries. Returns its length; 0: it is too long. */
static size_t compose(const char *entries, size_t size, char file[TREE_WRITTEN_BYTES])
{
  size_t length = (size_t)sprintf(file, FIRST_LINE);

  for (size_t i = 0; i < size; i++) {
    if (length + KEY_DIGITS > MOST_BYTES)
      return 0;
    if (entries[i] == '@' && i + 1 < size && entries[i + 1] >= '0' && entries[i + 1] < '0' + KEYS)
      length += (size_t)sprintf(file + length, "%s", keys[entries[++i] - '0']);
    else
      file[length++] = entries[i];
  }
  return length + (size_t)sprintf(file + length, "end %016" PRIx64 "\n",
                                  gc_hash(GC_HASH_START, file, length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static char file[TREE_WRITTEN_BYTES];
  const bool has_entries = size && *data == '+';
  struct gc_gpus known, corrected;
  size_t length = size;

  if (!real.count)
    prepare();
  if (has_entries)
    length = compose((const char *)data + 1, size - 1, file);
  tree_add(FILE_PATH, strlen(FILE_PATH), has_entries ? file : (const char *)data, length);
  tree_add_files(files, sizeof(files) - 1);

  list(true, &known);
  check(&known);
  gc_gpus_free(&known);

  list(false, &corrected);
  PROMISE(alike(&corrected, &real));
  gc_gpus_free(&corrected);
  list(true, &corrected);
  PROMISE(alike(&corrected, &real));
  gc_gpus_free(&corrected);
  PROMISE(tree_clear() == 0);
  return 0;
}
