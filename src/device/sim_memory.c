/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory and textures of a simulated GPU. Simulated addresses lie far apart, with host memory
 * behind them. The host provides each page when it is first touched.
 */
#include "device/sim_memory.h"

#include "device/common.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define SIM(device) ((struct gc_sim_device *)(device))
#define HOST_ADDRESS 0x7e0000000000ull /* of memory of the simulated host */
#define ALIGNMENT (2ull << 20) /* of addresses; at least that much lies between two allocations */

void gc_sim_memory_init(struct gc_sim_device *sim)
{
  sim->next_address = GC_SIM_DEVICE_FIRST;
}

static uint64_t bytes_free(const struct gc_sim_device *sim)
{
  const uint64_t all = sim->facts->memory_bytes;
  const uint64_t used = sim->facts->memory_used + sim->counts.device_bytes;

  return used < all ? all - used : 0;
}

int gc_sim_memory(struct gc_device *device, uint64_t *free_bytes, uint64_t *total_bytes,
                  struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);

  *total_bytes = sim->facts->memory_bytes;
  *free_bytes = bytes_free(sim);
  return gc_sim_failed(sim, err);
}

/* Adds a region with memory behind it, and returns that memory; NULL: there is none. */
static void *add_region(struct gc_sim_device *sim, uint64_t base, uint64_t bytes, uint32_t node)
{
  struct gc_sim_region *grown = realloc(sim->regions, (sim->region_count + 1) * sizeof(*grown));
  void *host;

  if (!grown)
    return NULL;
  sim->regions = grown;
  host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
              0);
  if (host == MAP_FAILED)
    return NULL;
  grown[sim->region_count++] = (struct gc_sim_region){base, bytes, UINT64_MAX, node, host};
  return host;
}

int gc_sim_alloc(struct gc_device *device, uint64_t bytes, uint64_t *address, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  void *host;

  *address = 0;
  if (gc_sim_failed(sim, err))
    return -EIO;
  if (!bytes)
    return gc_fail(err, -EINVAL, "no bytes to allocate on the simulated %s", sim->name);
  if (bytes > bytes_free(sim))
    return gc_fail(err, -ENOMEM, "cannot allocate %llu bytes on the simulated %s: %llu are free",
                   (unsigned long long)bytes, sim->name,
                   (unsigned long long)bytes_free(sim));
  if (!(host = add_region(sim, sim->next_address, bytes, 0)))
    return gc_fail(err, -ENOMEM, "the host has no %llu bytes for the simulated %s",
                   (unsigned long long)bytes, sim->name);
  if (gc_model_map(sim->model, sim->next_address, bytes)) {
    munmap(host, bytes);
    sim->region_count--;
    return gc_fail(err, -ENOMEM, "no memory for the pages of the simulated %s", sim->name);
  }
  *address = sim->next_address;
  sim->next_address += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + ALIGNMENT;
  gc_count_alloc(&sim->counts, bytes);
  return 0;
}

void gc_sim_release(struct gc_device *device, uint64_t address)
{
  struct gc_sim_device *sim = SIM(device);

  for (size_t i = 0; i < sim->region_count; i++) {
    struct gc_sim_region *region = &sim->regions[i];

    if (region->base != address || !region->host)
      continue;
    gc_sim_rings_drop(&sim->rings, region->base, region->bytes);
    munmap(region->host, region->bytes);
    if (!region->node) {
      gc_model_unmap(sim->model, address);
      gc_count_release(&sim->counts, region->bytes);
    }
    *region = sim->regions[--sim->region_count];
    return;
  }
}

static int by_distance(const void *a, const void *b)
{
  const struct gc_host_node *x = a, *y = b;

  return x->distance < y->distance ? -1 : x->distance > y->distance;
}

int gc_sim_host_nodes(struct gc_device *device, struct gc_host_node nodes[GC_HOST_NODES_MAX],
                      uint32_t *count, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  struct gc_host_node all[GC_MODEL_HOSTS];
  uint32_t n = 0;

  for (unsigned i = 0; i < sim->facts->host_count; i++)
    if (!*sim->facts->hosts[i].peer)
      all[n++] = (struct gc_host_node){sim->facts->hosts[i].node, sim->facts->hosts[i].distance};
  qsort(all, n, sizeof(*all), by_distance);
  *count = n < GC_HOST_NODES_MAX ? n : GC_HOST_NODES_MAX;
  memcpy(nodes, all, *count * sizeof(*nodes));
  return gc_sim_failed(sim, err);
}

int gc_sim_alloc_on_node(struct gc_device *device, uint64_t bytes, uint32_t node,
                         uint64_t *address, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  unsigned i = 0;

  *address = 0;
  if (gc_sim_failed(sim, err))
    return -EIO;
  while (i < sim->facts->host_count &&
         (*sim->facts->hosts[i].peer || sim->facts->hosts[i].node != node))
    i++;
  if (i == sim->facts->host_count)
    return gc_fail(err, -EINVAL, "the simulated host has no NUMA node %u", node);
  if (sim->facts->hosts[i].full || !add_region(sim, HOST_ADDRESS, bytes, i + 1))
    return gc_fail(err, -ENOMEM, "NUMA node %u has too little free memory", node);
  *address = HOST_ADDRESS;
  return 0;
}

/* Whether the profile means this GPU; "*": all others. */
static bool is_peer(const struct gc_model_host *host, const struct gc_sim_device *peer)
{
  return !strcmp(host->peer, "*") || !strcmp(host->peer, peer->profile);
}

/* The model has the GPUs that this one reaches beside the NUMA nodes. */
int gc_sim_alloc_on_peer(struct gc_device *device, struct gc_device *peer, uint64_t bytes,
                         uint64_t *address, enum gc_peer_path *path, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  const struct gc_model_facts *facts = sim->facts;
  unsigned i = 0;

  *address = 0;
  *path = GC_PEER_BY_HOST;
  if (gc_sim_failed(sim, err))
    return -EIO;
  while (i < facts->host_count && !is_peer(&facts->hosts[i], SIM(peer)))
    i++;
  if (i == facts->host_count)
    return gc_fail(err, -ENOTSUP, "the profile of %s does not say how it reaches %s", sim->name,
                   SIM(peer)->profile);
  if (!add_region(sim, HOST_ADDRESS, bytes, i + 1))
    return gc_fail(err, -ENOMEM, "%s has too little free memory", SIM(peer)->name);
  *address = HOST_ADDRESS;
  *path = (enum gc_peer_path)facts->hosts[i].path;
  return 0;
}

int gc_sim_use(struct gc_device *device, struct gc_error *err)
{
  return gc_sim_failed(SIM(device), err);
}

/* The region of an address of the host; NULL: it is on the device. */
static const struct gc_sim_region *host_region(const struct gc_sim_device *sim, uint64_t address)
{
  for (size_t i = 0; i < sim->region_count; i++)
    if (sim->regions[i].node && address - sim->regions[i].base < sim->regions[i].bytes)
      return &sim->regions[i];
  return NULL;
}

int gc_sim_copy(struct gc_device *device, const struct gc_copy *copies, uint32_t n, double *ns,
                struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  uint64_t to_gpu = 0, from_gpu = 0;
  uint32_t node = 0;

  for (uint32_t i = 0; i < n; i++) {
    const struct gc_sim_region *from = host_region(sim, copies[i].from);
    const struct gc_sim_region *to = host_region(sim, copies[i].to);

    if (!from == !to)
      return gc_fail(err, -EINVAL, "a copy must be between the simulated %s and its host",
                     sim->name);
    *(from ? &to_gpu : &from_gpu) += (1 + copies[i].again) * copies[i].bytes;
    node = from ? from->node : to->node;
  }
  *ns = n ? gc_model_host_copy(sim->model, node - 1, to_gpu, from_gpu) : 0;
  return gc_sim_failed(sim, err);
}

static struct gc_sim_region *find_region(struct gc_sim_device *sim, uint64_t base)
{
  size_t i = 0;

  while (sim->regions[i].base != base)
    i++;
  return &sim->regions[i];
}

int gc_sim_alias(struct gc_device *device, uint64_t bytes, uint64_t span, uint64_t *address,
                 struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  int status;

  *address = 0;
  if (!sim->facts->aliases)
    return gc_fail(err, -ENOTSUP, "the simulated %s cannot map memory more than once", sim->name);
  if (sim->aliases || bytes < ALIGNMENT || bytes & (bytes - 1) || !span || span % bytes)
    return gc_fail(err, -EINVAL, "no %llu aliases of %llu bytes on the simulated %s",
                   (unsigned long long)(span / bytes), (unsigned long long)bytes, sim->name);
  sim->next_address = (sim->next_address + GC_ALIAS_ALIGNMENT - 1) & -GC_ALIAS_ALIGNMENT;
  if ((status = gc_sim_alloc(device, bytes, address, err)))
    return status;
  /* addresses follow each other, and the range is the last allocation so far */
  gc_model_unmap(sim->model, *address);
  if (gc_model_alias(sim->model, *address, bytes, span)) {
    gc_sim_release(device, *address);
    *address = 0;
    return gc_fail(err, -ENOMEM, "no memory for the pages of the simulated %s", sim->name);
  }
  find_region(sim, *address)->bytes = 0; /* none is mapped yet */
  sim->next_address += span;
  sim->aliases = *address;
  sim->alias_bytes = bytes;
  sim->alias_span = span;
  return 0;
}

int gc_sim_alias_until(struct gc_device *device, uint64_t end, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  struct gc_sim_region *region;

  if (gc_sim_failed(sim, err))
    return -EIO;
  if (!sim->aliases || end > sim->alias_span || end % sim->alias_bytes)
    return gc_fail(err, -EINVAL, "the simulated %s has no %llu aliased addresses", sim->name,
                   (unsigned long long)end);
  region = find_region(sim, sim->aliases);
  gc_sim_rings_write(&sim->rings, region->base, region->bytes); /* rings have no aliases */
  region->mask = sim->alias_bytes - 1;
  if (region->bytes < end)
    region->bytes = end;
  return 0;
}

void gc_sim_release_alias(struct gc_device *device)
{
  struct gc_sim_device *sim = SIM(device);

  if (!sim->aliases)
    return;
  find_region(sim, sim->aliases)->bytes = sim->alias_bytes; /* that of the host memory */
  gc_sim_release(device, sim->aliases);
  sim->aliases = 0;
}

/* The host's bytes behind a range; NULL with a message if it is not inside one allocation. */
static unsigned char *range(struct gc_sim_device *sim, uint64_t address, uint64_t bytes,
                            struct gc_error *err)
{
  for (size_t i = 0; i < sim->region_count; i++) {
    const struct gc_sim_region *region = &sim->regions[i];

    if (address >= region->base && address - region->base <= region->bytes &&
        bytes <= region->bytes - (address - region->base)) {
      gc_sim_rings_write(&sim->rings, address, bytes);
      return gc_sim_host(region, address);
    }
  }
  gc_fail(err, -EINVAL, "%llu bytes at 0x%llx are not inside an allocation on the simulated %s",
          (unsigned long long)bytes, (unsigned long long)address, sim->name);
  return NULL;
}

int gc_sim_upload(struct gc_device *device, uint64_t address, const void *from, size_t bytes,
                  struct gc_error *err)
{
  unsigned char *host;

  if (gc_sim_failed(SIM(device), err))
    return -EIO;
  host = range(SIM(device), address, bytes, err);
  if (host)
    memcpy(host, from, bytes);
  return host ? 0 : -EINVAL;
}

int gc_sim_download(struct gc_device *device, void *to, uint64_t address, size_t bytes,
                    struct gc_error *err)
{
  const unsigned char *host;

  if (gc_sim_failed(SIM(device), err))
    return -EIO;
  host = range(SIM(device), address, bytes, err);
  if (host)
    memcpy(to, host, bytes);
  return host ? 0 : -EINVAL;
}

int gc_sim_clear(struct gc_device *device, uint64_t address, size_t bytes, struct gc_error *err)
{
  unsigned char *host;

  if (gc_sim_failed(SIM(device), err))
    return -EIO;
  host = range(SIM(device), address, bytes, err);
  if (host)
    memset(host, 0, bytes);
  return host ? 0 : -EINVAL;
}

static int upload_constant(struct gc_sim_device *sim, uint32_t copy, size_t offset,
                           const void *from, size_t bytes, struct gc_error *err)
{
  if (gc_sim_failed(sim, err))
    return -EIO;
  if (!sim->facts->has_constant)
    return gc_fail(err, -ENOTSUP, "the simulated %s has no constant memory", sim->name);
  if (copy >= GC_COPIES_MAX)
    return gc_fail(err, -EINVAL, "there is no copy %u of the kernels: there are %d", copy,
                   GC_COPIES_MAX);
  if (offset > GPU_CONSTANT_BYTES || bytes > GPU_CONSTANT_BYTES - offset)
    return gc_fail(err, -EINVAL, "%zu bytes at %zu do not fit the %d bytes of constant memory",
                   bytes, offset, GPU_CONSTANT_BYTES);
  memcpy(sim->constants[copy] + offset, from, bytes);
  return 0;
}

int gc_sim_upload_constant(struct gc_device *device, size_t offset, const void *from, size_t bytes,
                           struct gc_error *err)
{
  return upload_constant(SIM(device), 0, offset, from, bytes, err);
}

int gc_sim_upload_constant_copy(struct gc_device *device, uint32_t copy, const void *from,
                                struct gc_error *err)
{
  return upload_constant(SIM(device), copy, 0, from, GPU_CONSTANT_BYTES, err);
}

static int make_texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint32_t texel,
                        uint64_t *texture, struct gc_error *err)
{
  struct gc_sim_device *sim = SIM(device);
  struct gc_sim_texture *grown;
  size_t i = 0;

  *texture = 0;
  if (gc_sim_failed(sim, err))
    return -EIO;
  if (!sim->facts->has_texture)
    return gc_fail(err, -ENOTSUP, "the simulated %s has no textures", sim->name);
  if (bytes < texel || bytes / texel > sim->facts->texture_texels || address % 512)
    return gc_fail(err, -EINVAL, "no texture of %llu bytes at 0x%llx on the simulated %s",
                   (unsigned long long)bytes, (unsigned long long)address, sim->name);
  if (!range(sim, address, bytes, err))
    return -EINVAL;
  while (i < sim->texture_count && sim->textures[i].bytes)
    i++;
  if (i == sim->texture_count) {
    grown = realloc(sim->textures, (i + 1) * sizeof(*grown));
    if (!grown)
      return gc_fail(err, -ENOMEM, "no memory for a simulated texture");
    sim->textures = grown;
    sim->texture_count++;
  }
  sim->textures[i] = (struct gc_sim_texture){address, bytes, texel};
  *texture = i + 1;
  return 0;
}

int gc_sim_texture(struct gc_device *device, uint64_t address, uint64_t bytes, uint64_t *texture,
                   struct gc_error *err)
{
  return make_texture(device, address, bytes, 4, texture, err);
}

int gc_sim_wide_texture(struct gc_device *device, uint64_t address, uint64_t bytes,
                        uint64_t *texture, struct gc_error *err)
{
  return make_texture(device, address, bytes, 16, texture, err);
}

void gc_sim_release_texture(struct gc_device *device, uint64_t texture)
{
  struct gc_sim_device *sim = SIM(device);

  if (texture && texture <= sim->texture_count)
    sim->textures[texture - 1] = (struct gc_sim_texture){0};
}

void gc_sim_memory_fini(struct gc_sim_device *sim)
{
  gc_sim_release_alias((struct gc_device *)sim);
  for (size_t i = 0; i < sim->region_count; i++)
    munmap(sim->regions[i].host, sim->regions[i].bytes);
  free(sim->regions);
  free(sim->textures);
}
