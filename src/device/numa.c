/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * NUMA nodes and their memory, from sysfs and the kernel's calls. libnuma would be another
 * dependency for four calls.
 */
#define _GNU_SOURCE
#include "device/numa.h"

#include "gpus/tree.h"
#include "util/number.h"

#include <errno.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NODES "/sys/devices/system/node"
#define NVIDIA "/proc/driver/nvidia/gpus"
#define NUMBERS 1024 /* most nodes of a kernel */
#define WORD (8 * sizeof(unsigned long))
#define HUGE ((uint64_t)2 << 20)

struct node_set {
  unsigned long word[NUMBERS / WORD];
};

static bool has(const struct node_set *set, uint64_t node)
{
  return node < NUMBERS && set->word[node / WORD] >> node % WORD & 1;
}

/* The first line of the file ROOT/path. False: there is none. */
static bool read_line(const char *root, const char *path, char *line, int size)
{
  char full[PATH_MAX];
  FILE *file = (size_t)snprintf(full, sizeof(full), "%s%s", root, path) < sizeof(full)
                   ? fopen(full, "re")
                   : NULL;
  const bool read = file && fgets(line, size, file);

  if (file)
    fclose(file);
  if (read)
    line[strcspn(line, "\n")] = '\0';
  return read;
}

/* A list of the form "0-3,8". */
static bool read_set(const char *root, const char *path, struct node_set *set)
{
  char line[4096];
  const char *at = line;
  uint64_t first, last;

  memset(set, 0, sizeof(*set));
  if (!read_line(root, path, line, sizeof(line)))
    return false;
  while ((at = gc_number_digits(at, &first))) {
    last = first;
    if (*at == '-' && !(at = gc_number_digits(at + 1, &last)))
      return false;
    for (uint64_t node = first; node <= last && node < NUMBERS; node++)
      set->word[node / WORD] |= 1ul << node % WORD;
    at += *at == ',';
  }
  return true;
}

/* Distances from the node of the GPU; GC_HOST_NEAREST for all of them if it is not known. */
static void read_distances(const char *root, const char *bus_id, const struct node_set *online,
                           uint32_t distance[NUMBERS])
{
  char path[PATH_MAX], line[8 * NUMBERS];
  const char *at = line;
  uint64_t own, value;

  for (unsigned node = 0; node < NUMBERS; node++)
    distance[node] = GC_HOST_NEAREST;
  snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/numa_node", bus_id);
  if (!read_line(root, path, line, sizeof(line)) || !gc_number_whole(line, &own)) /* or -1 */
    return;
  snprintf(path, sizeof(path), NODES "/node%llu/distance", (unsigned long long)own);
  if (!read_line(root, path, line, sizeof(line)))
    return;
  for (unsigned node = 0; node < NUMBERS; node++)
    if (has(online, node)) {
      at += strspn(at, " ");
      if (!(at = gc_number_digits(at, &value)))
        return;
      distance[node] = (uint32_t)value;
    }
}

/* Takes out the nodes that are the memory of a GPU: numa_status of a coherent one says "Node:  1",
 * of another one "Node:  -1". */
static void drop_gpus(const char *root, struct node_set *memory)
{
  DIR *dir = gc_gpus_open_dir(root, NVIDIA);
  struct dirent *entry;

  while (dir && (entry = readdir(dir))) {
    char path[64], line[64];
    unsigned node;

    snprintf(path, sizeof(path), NVIDIA "/%.20s/numa_status", entry->d_name);
    if (read_line(root, path, line, sizeof(line)) && sscanf(line, "Node: %9u", &node) == 1 &&
        node < NUMBERS)
      memory->word[node / WORD] &= ~(1ul << node % WORD);
  }
  if (dir)
    closedir(dir);
}

static int by_distance(const void *a, const void *b)
{
  const struct gc_host_node *x = a, *y = b;

  return x->distance != y->distance ? (x->distance > y->distance) - (x->distance < y->distance)
                                    : (x->number > y->number) - (x->number < y->number);
}

void gc_numa_nodes(const char *root, const char *bus_id,
                   struct gc_host_node nodes[GC_HOST_NODES_MAX], uint32_t *count)
{
  static struct gc_host_node all[NUMBERS];
  static uint32_t distance[NUMBERS];
  struct node_set online, memory, allowed = {{0}};
  size_t n = 0;

  nodes[0] = (struct gc_host_node){0, GC_HOST_NEAREST};
  *count = 1;
  if (!read_set(root, NODES "/online", &online) || !read_set(root, NODES "/has_memory", &memory))
    return;
  drop_gpus(root, &memory);
  if (*root || syscall(SYS_get_mempolicy, NULL, allowed.word, (unsigned long)NUMBERS, NULL,
                       MPOL_F_MEMS_ALLOWED))
    allowed = memory;
  read_distances(root, bus_id, &online, distance);
  for (uint32_t node = 0; node < NUMBERS; node++)
    if (has(&memory, node) && has(&allowed, node))
      all[n++] = (struct gc_host_node){node, distance[node]};
  qsort(all, n, sizeof(*all), by_distance);
  *count = n < GC_HOST_NODES_MAX ? (uint32_t)n : GC_HOST_NODES_MAX;
  memcpy(nodes, all, *count * sizeof(*nodes));
}

/* Whether all of the memory is on the node. */
static bool is_on(const unsigned char *memory, uint64_t bytes, uint32_t node)
{
  for (uint64_t at = 0; at < bytes; at += HUGE) {
    int there = 0;

    if (syscall(SYS_get_mempolicy, &there, NULL, 0ul, memory + at, MPOL_F_NODE | MPOL_F_ADDR))
      return errno == ENOSYS && node == 0; /* a kernel without NUMA */
    if ((uint32_t)there != node)
      return false;
  }
  return true;
}

int gc_numa_map(uint64_t bytes, uint32_t node, void **out, struct gc_error *err)
{
  const long page = sysconf(_SC_PAGESIZE);
  struct node_set wanted = {{0}};
  unsigned char *raw, *memory;
  uint64_t before;

  *out = NULL;
  if (node >= NUMBERS)
    return gc_fail(err, -EINVAL, "no NUMA node has the number %u", node);
  raw = mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED)
    return gc_fail(err, -ENOMEM, "cannot map %llu bytes of host memory", (unsigned long long)bytes);
  before = -(uint64_t)(uintptr_t)raw & (HUGE - 1);
  memory = raw + before;
  if (before)
    munmap(raw, before);
  munmap(memory + bytes, HUGE - before);
  /* Large pages are pinned in half the time. The node is only preferred: if it has no free memory,
   * a process that is bound to it would be killed. */
  madvise(memory, bytes, MADV_HUGEPAGE);
  wanted.word[node / WORD] = 1ul << node % WORD;
  syscall(SYS_mbind, memory, bytes, MPOL_PREFERRED, wanted.word, (unsigned long)NUMBERS, 0u);
  for (uint64_t at = 0; at < bytes; at += (uint64_t)page)
    *(volatile unsigned char *)(memory + at) = 0;
  if (!is_on(memory, bytes, node)) {
    munmap(memory, bytes);
    return gc_fail(err, -ENOMEM, "NUMA node %u has too little free memory", node);
  }
  *out = memory;
  return 0;
}

void gc_numa_unmap(void *memory, uint64_t bytes)
{
  munmap(memory, bytes);
}
