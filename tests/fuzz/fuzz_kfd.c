/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Fuzz target: the tables of AMD's kernel driver for one GPU. The input has parts that end with an
 * empty line: the properties of the node, of its memory bank, and of its caches.
 */
#include "fuzz.h"
#include "tree.h"

#include "gpus/amd_tables.h"
#include "gpus/kfd.h"

#include <string.h>

static void add_files(const char *text, size_t size)
{
  for (unsigned part = 0; size; part++) {
    const char *end = memmem(text, size, "\n\n", 2);
    size_t length = end ? (size_t)(end - text) + 1 : size;
    char path[96];

    if (part < 2)
      snprintf(path, sizeof(path), GC_KFD_NODES "/1/%sproperties", part ? "mem_banks/0/" : "");
    else
      snprintf(path, sizeof(path), GC_KFD_NODES "/1/caches/%u/properties", part - 2);
    if (!tree_add(path, strlen(path), text, length))
      return;
    length += end != NULL;
    text += length;
    size -= length;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const struct gc_gpu gpu = {
      .vendor = GC_VENDOR_AMD, .identity = {.id = "amd-1"}, .has_pci = true, .kfd_node = 1};
  struct gc_record *tables = NULL;

  add_files((const char *)data, size);
  PROMISE(!gc_gpus_read_amd_tables("", &gpu, &tables));
  if (tables)
    PROMISE(tables->count > 0 && tables->count <= GC_RECORD_MAX_ELEMENTS);
  gc_record_free(tables);
  PROMISE(tree_clear() == 0);
  return 0;
}
