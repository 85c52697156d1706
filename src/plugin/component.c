/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component that hwloc loads: finds the GPUs, obtains their records, grafts them. It runs in
 * whatever process loads a topology, so it never prints unasked, never fails a load, touches no
 * vendor library and keeps no state.
 */
#include "graft/compat.h"
#include "graft/graft.h"
#include "plugin/plugin.h"

#include <stdlib.h>

/* Set while this thread is in here: whatever we call, a topology loaded inside of a load does not
 * bring us in again. */
static __thread bool inside;

/* The PCI device with this function of the GPU's bus id, or NULL; *parent: it, or else what hwloc has
 * closest to it, or NULL. */
static hwloc_obj_t find_device(hwloc_topology_t topology, const struct gc_gpu *gpu, unsigned func,
                               hwloc_obj_t *parent)
{
  hwloc_obj_t obj = gc_hwloc_pci_parent(topology, gpu->domain, gpu->bus, gpu->dev, func);

  *parent = obj;
  return obj && obj->type == HWLOC_OBJ_PCI_DEVICE && obj->attr->pcidev.domain == gpu->domain &&
                 obj->attr->pcidev.bus == gpu->bus && obj->attr->pcidev.dev == gpu->dev &&
                 obj->attr->pcidev.func == func
             ? obj
             : NULL;
}

/* The parent of a GPU's objects; *device is the GPU's own PCI device when the topology shows it. The
 * partitions of a GPU have functions that are none of PCI's: they are put under the first. */
static hwloc_obj_t find_place(hwloc_topology_t topology, const struct gc_gpu *gpu,
                              hwloc_obj_t *device)
{
  hwloc_obj_t parent, whole;

  *device = NULL;
  if (!gpu->has_pci)
    return hwloc_get_root_obj(topology);
  *device = find_device(topology, gpu, gpu->func, &parent);
  if (!*device && gpu->func && find_device(topology, gpu, 0, &whole))
    return whole;
  return parent ? parent : hwloc_get_root_obj(topology);
}

/* A person knows a simulated GPU by its id, a real one without a PCI device by its bus id. */
static void make_who(const struct gc_gpu *gpu, char *who, size_t size)
{
  if (gpu->has_pci)
    snprintf(who, size, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
  else
    snprintf(who, size, "%s", gpu->identity.id);
}

/* Whether these two have one PCI device; GPUs are listed in the order of their bus ids. */
static bool same_place(const struct gc_gpu *a, const struct gc_gpu *b)
{
  return a->has_pci && b->has_pci && a->domain == b->domain && a->bus == b->bus &&
         a->dev == b->dev && a->func == b->func;
}

static const char *measured_on(const struct gc_record *record)
{
  const char *when = gc_infos_get(&record->infos, "Measured");

  return when ? when : "an unknown date";
}

/* is_first: of those with its bus id, whose facts are also those of the PCI device. */
static void attach(hwloc_topology_t topology, const struct gc_gpu *gpu, bool is_first,
                   const struct gc_settings *settings, struct gc_outcome *outcome)
{
  const struct gc_record *record = outcome->record ? outcome->record : gpu->known;
  hwloc_obj_t device, parent = find_place(topology, gpu, &device);
  char who[80];
  int status;

  if (!is_first)
    device = NULL;
  if (record) {
    status = gc_graft_record(topology, parent, device, gpu->name, record, outcome->status);
  } else {
    make_who(gpu, who, sizeof(who));
    status = gc_graft_status(parent, device, who, outcome->status);
  }
  if (settings->verbose && outcome->record && !outcome->fresh && !outcome->failed)
    gc_plugin_say(gpu, "has a record, measured on %s", measured_on(outcome->record));
  else if (settings->verbose || (settings->failures && outcome->failed))
    gc_plugin_say(gpu, "%s", outcome->status);
  if (status < 0 && settings->failures)
    gc_plugin_say(gpu, "out of memory, not all of it is in the topology");
  gc_record_free(outcome->record);
}

static void discover_gpus(hwloc_topology_t topology, const struct gc_settings *settings)
{
  struct gc_outcome *outcomes;
  struct gc_gpus gpus;

  if (gc_gpus_list(settings->root, settings->sims, &gpus) < 0)
    return;
  outcomes = gpus.count ? calloc(gpus.count, sizeof(*outcomes)) : NULL;
  if (outcomes) {
    gc_plugin_obtain(&gpus, settings, outcomes);
    for (size_t i = 0; i < gpus.count; i++)
      attach(topology, &gpus.array[i], i == 0 || !same_place(&gpus.array[i - 1], &gpus.array[i]),
             settings, &outcomes[i]);
  }
  free(outcomes);
  gc_gpus_free(&gpus);
}

static int discover(struct hwloc_backend *backend, struct hwloc_disc_status *status)
{
  hwloc_topology_t topology = backend->topology;
  enum hwloc_type_filter_e filter = HWLOC_TYPE_FILTER_KEEP_NONE;
  struct gc_settings settings;

  (void)status;
  hwloc_topology_get_type_filter(topology, HWLOC_OBJ_OS_DEVICE, &filter);
  if (inside || filter == HWLOC_TYPE_FILTER_KEEP_NONE || !hwloc_topology_is_thissystem(topology))
    return 0;
  inside = true;
  gc_settings_read(&settings);
  if (settings.mode != GC_MODE_OFF)
    discover_gpus(topology, &settings);
  inside = false;
  return 0;
}

static struct hwloc_backend *instantiate(struct hwloc_topology *topology,
                                         struct hwloc_disc_component *component,
                                         unsigned excluded_phases, const void *data1,
                                         const void *data2, const void *data3)
{
  struct hwloc_backend *backend = gc_hwloc_backend(topology, component);

  (void)excluded_phases;
  (void)data1;
  (void)data2;
  (void)data3;
  if (backend)
    backend->discover = discover;
  return backend;
}

/* hwloc links it into a list of its own: not const. */
static struct hwloc_disc_component disc_component = {
    .name = "gpucache",
    .phases = HWLOC_DISC_PHASE_MISC, /* PCI and OS devices are all there by then */
    .excluded_phases = HWLOC_DISC_PHASE_GLOBAL,
    .instantiate = instantiate,
    .priority = 5, /* after whoever else adds devices in this phase */
    .enabled_by_default = 1,
};

static int init(unsigned long flags)
{
  return flags || hwloc_plugin_check_namespace("gpucache", "hwloc_backend_alloc") < 0 ? -1 : 0;
}

extern const struct hwloc_component hwloc_gpucache_component;
const struct hwloc_component hwloc_gpucache_component __attribute__((visibility("default"))) = {
    .abi = HWLOC_COMPONENT_ABI,
    .init = init,
    .type = HWLOC_COMPONENT_TYPE_DISC,
    .data = &disc_component,
};
