/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads a topology as an application would and does with it what applications do. Its arguments are
 * steps, done in order (see the table at the end); the first one that fails ends it with a sentence
 * and status 1. Some steps prepare an awkward process to load in; "load" loads; others look at the
 * topology or at what the load did to this process.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <hwloc/gpucache.h>
#include <inttypes.h>
#include <locale.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUBTYPES "DeviceMemory L2Cache L1Cache ConstantL15Cache SharedMemory"

struct state {
  hwloc_topology_t topology; /* not loaded before the step "load" */
  pid_t child;
  unsigned descriptors; /* open just before the load */
};

static int fail(const char *what)
{
  fprintf(stderr, "topo-check: %s\n", what);
  return -1;
}

static int filter(struct state *s, hwloc_obj_type_t type, enum hwloc_type_filter_e how)
{
  return hwloc_topology_set_type_filter(s->topology, type, how);
}

static int io_important(struct state *s)
{
  return hwloc_topology_set_io_types_filter(s->topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
}

/* The program wants neither distances nor memory attributes. */
static int plain(struct state *s)
{
#if HWLOC_API_VERSION >= 0x00020800
  return hwloc_topology_set_flags(s->topology, HWLOC_TOPOLOGY_FLAG_NO_DISTANCES |
                                                   HWLOC_TOPOLOGY_FLAG_NO_MEMATTRS);
#else
  (void)s;
  return 0;
#endif
}

/* Prints how many distances and values of ReadBandwidth the topology has. */
static int count_attributes(struct state *s)
{
  hwloc_memattr_id_t id;
  unsigned distances = 0, targets = 0;
  int unused;

  unused = hwloc_distances_get(s->topology, &distances, NULL, 0, 0);
  if (!hwloc_memattr_get_by_name(s->topology, "ReadBandwidth", &id))
    unused = hwloc_memattr_get_targets(s->topology, id, NULL, 0, &targets, NULL, NULL);
  (void)unused;
  printf("%u distances, %u targets\n", distances, targets);
  fflush(stdout);
  return 0;
}

static int io_all(struct state *s)
{
  return hwloc_topology_set_io_types_filter(s->topology, HWLOC_TYPE_FILTER_KEEP_ALL);
}

/* As most applications with a face do. */
static int own_locale(struct state *s)
{
  (void)s;
  return setlocale(LC_ALL, "") ? 0 : fail("there is no such locale");
}

static int no_pci(struct state *s)
{
  return filter(s, HWLOC_OBJ_PCI_DEVICE, HWLOC_TYPE_FILTER_KEEP_NONE) ||
         filter(s, HWLOC_OBJ_BRIDGE, HWLOC_TYPE_FILTER_KEEP_NONE);
}

static int no_os(struct state *s)
{
  return filter(s, HWLOC_OBJ_OS_DEVICE, HWLOC_TYPE_FILTER_KEEP_NONE);
}

static unsigned count_entries(const char *path)
{
  DIR *dir = opendir(path);
  unsigned count = 0;

  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count;
}

static unsigned count_descriptors(void)
{
  return count_entries("/proc/self/fd");
}

/* Hundreds of descriptors that would be inherited. */
static int stray_descriptors(struct state *s)
{
  (void)s;
  for (int i = 0; i < 300; i++)
    if (open("/dev/null", O_RDWR) < 0)
      return fail("cannot open descriptors");
  return 0;
}

static int closed_streams(struct state *s)
{
  (void)s;
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  return 0;
}

static int ignore_sigchld(struct state *s)
{
  (void)s;
  return signal(SIGCHLD, SIG_IGN) == SIG_ERR;
}

static int no_zombies(struct state *s)
{
  struct sigaction action = {.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDWAIT};

  (void)s;
  return sigaction(SIGCHLD, &action, NULL);
}

static int ignore_and_block_signals(struct state *s)
{
  sigset_t all;

  (void)s;
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  sigfillset(&all);
  return sigprocmask(SIG_SETMASK, &all, NULL);
}

/* A child of our own that is over, and waits to be reaped by us, when the load happens. */
static int own_child(struct state *s)
{
  siginfo_t info;

  s->child = fork();
  if (s->child == 0)
    _exit(42);
  return s->child < 0 || waitid(P_PID, (id_t)s->child, &info, WEXITED | WNOWAIT);
}

static int own_child_is_there(struct state *s)
{
  int status;

  if (waitpid(s->child, &status, 0) != s->child || !WIFEXITED(status) || WEXITSTATUS(status) != 42)
    return fail("the load took our own child's exit status");
  return 0;
}

static int no_children(struct state *s)
{
  (void)s;
  if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
    return fail("the load left a child behind");
  return 0;
}

/* hwloc itself keeps one as long as the topology lives. */
static int no_descriptors(struct state *s)
{
  hwloc_topology_destroy(s->topology);
  if (hwloc_topology_init(&s->topology) < 0)
    return -1;
  if (count_descriptors() != s->descriptors)
    return fail("the load left a descriptor open");
  return 0;
}

/* The kernel may show a thread for a moment after it has ended. */
static int no_threads(struct state *s)
{
  const unsigned alone = 3; /* with . and .. */

  hwloc_topology_destroy(s->topology);
  if (hwloc_topology_init(&s->topology) < 0)
    return -1;
  for (int i = 0; count_entries("/proc/self/task") != alone; i++) {
    if (i == 500)
      return fail("the load left a thread");
    usleep(10000);
  }
  return 0;
}

static int load(struct state *s)
{
  s->descriptors = count_descriptors();
  if (hwloc_topology_load(s->topology) < 0)
    return fail("hwloc_topology_load failed");
  return 0;
}

static void *load_in_thread(void *failed)
{
  hwloc_topology_t topology;

  if (hwloc_topology_init(&topology) < 0)
    return failed;
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (hwloc_topology_load(topology) < 0 || !hwloc_gpucache_get_next_gpu(topology, NULL)) {
    hwloc_topology_destroy(topology);
    return failed;
  }
  hwloc_topology_check(topology);
  hwloc_topology_destroy(topology);
  return NULL;
}

static int load_in_threads(struct state *s)
{
  pthread_t threads[4];
  void *failed = NULL, *result;

  for (int i = 0; i < 4; i++)
    if (pthread_create(&threads[i], NULL, load_in_thread, s))
      abort();
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], &result);
    if (result)
      failed = result;
  }
  return failed ? fail("a load in one of four threads did not show the GPUs") : 0;
}

/* Cancels a thread while it waits for the tool. hwloc may end the thread later. */
static int load_in_cancelled_thread(struct state *s)
{
  pthread_t thread;

  if (pthread_create(&thread, NULL, load_in_thread, s))
    abort();
  usleep(1000000);
  pthread_cancel(thread);
  pthread_join(thread, NULL);
  return 0;
}

static int check(struct state *s)
{
  hwloc_topology_check(s->topology); /* aborts */
  return 0;
}

/* One line per OS device of the plugin: "depth subtype name". */
static int list(struct state *s)
{
  hwloc_obj_t obj = NULL;

  while ((obj = hwloc_get_next_osdev(s->topology, obj))) {
    int depth = 0;

    if (!obj->subtype || !strstr(SUBTYPES, obj->subtype))
      continue;
    for (hwloc_obj_t up = obj->parent; up && up->type == HWLOC_OBJ_OS_DEVICE; up = up->parent)
      depth++;
    printf("%d %s %s\n", depth, obj->subtype, obj->name);
  }
  fflush(stdout);
  return 0;
}

/* Flux, PMIx and MPI count OS devices of types GPU and CoProc, and go by names and backends:
 * tests/unit/test_selection.c has their rules. */
static int no_accelerator(struct state *s)
{
  static const char *const taken[] = {"cuda", "nvml", "rsmi", "opencl", "ze", "card", "dax"};
  hwloc_obj_t obj = NULL;
  const char *backend;
  unsigned seen = 0;

  while ((obj = hwloc_get_next_osdev(s->topology, obj))) {
    if (!obj->subtype || !strstr(SUBTYPES, obj->subtype))
      continue;
    seen++;
#if HWLOC_API_VERSION >= 0x00030000
    if (obj->attr->osdev.types != HWLOC_OBJ_OSDEV_MEMORY)
#else
    if (obj->attr->osdev.type != HWLOC_OBJ_OSDEV_BLOCK)
#endif
      return fail("an element is not of the type of a memory");
    backend = hwloc_obj_get_info_by_name(obj, "Backend");
    if (!backend || strcmp(backend, "GPUCache"))
      return fail("the Backend of an element is not GPUCache");
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
      if (!strncmp(obj->name, taken[i], strlen(taken[i])))
        return fail(obj->name);
  }
  return seen ? 0 : fail("there is no element");
}

static int same_xml(const char *a, const char *b, const char *what)
{
  if (!a || !b || strcmp(a, b))
    return fail(what);
  return 0;
}

static char *export(hwloc_topology_t topology)
{
  char *xml = NULL;
  int length;

  return hwloc_topology_export_xmlbuffer(topology, &xml, &length, 0) < 0 ? NULL : xml;
}

static int duplicate(struct state *s)
{
  hwloc_topology_t copy;
  char *a, *b = NULL;
  int status;

  if (hwloc_topology_dup(&copy, s->topology) < 0)
    return fail("hwloc_topology_dup failed");
  hwloc_topology_check(copy);
  a = export(s->topology);
  b = export(copy);
  status = same_xml(a, b, "a duplicate differs");
  hwloc_free_xmlbuffer(s->topology, a);
  hwloc_free_xmlbuffer(copy, b);
  hwloc_topology_destroy(copy);
  return status;
}

/* Export, import, export: the second is the first. */
static int xml(struct state *s)
{
  hwloc_topology_t copy;
  char *a = export(s->topology), *b;
  int status;

  if (!a || hwloc_topology_init(&copy) < 0)
    return fail("cannot export");
  hwloc_topology_set_io_types_filter(copy, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_flags(copy, HWLOC_TOPOLOGY_FLAG_IMPORT_SUPPORT);
  if (hwloc_topology_set_xmlbuffer(copy, a, (int)strlen(a) + 1) < 0 ||
      hwloc_topology_load(copy) < 0)
    return fail("what was exported cannot be imported");
  hwloc_topology_check(copy);
  b = export(copy);
  status = same_xml(a, b, "what was imported exports differently");
  hwloc_free_xmlbuffer(copy, b);
  hwloc_topology_destroy(copy);
  hwloc_free_xmlbuffer(s->topology, a);
  return status;
}

static int restrict_to_first(struct state *s)
{
  hwloc_bitmap_t set =
      hwloc_bitmap_dup(hwloc_get_obj_by_type(s->topology, HWLOC_OBJ_PU, 0)->cpuset);
  int status = hwloc_topology_restrict(s->topology, set, HWLOC_RESTRICT_FLAG_REMOVE_CPULESS);

  hwloc_bitmap_free(set);
  if (status < 0)
    return fail("hwloc_topology_restrict failed");
  return check(s);
}

/* The names of mapped files that a GPU vendor's library would have. */
static int no_vendor_library(struct state *s)
{
  static const char *const words[] = {"libcuda", "libnvidia", "libamdhip", "libhsa", "librocm"};
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352];
  int status = 0, plugin = 0;

  (void)s;
  while (maps && fgets(line, sizeof(line), maps)) {
    plugin |= strstr(line, "hwloc_gpucache.so") != NULL;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
      if (strstr(line, words[i]))
        status = fail(line);
  }
  if (maps)
    fclose(maps);
  return plugin ? status : fail("the plugin is not even loaded");
}

static void print_flat(const char *name, hwloc_obj_t obj)
{
  const char *source = hwloc_gpucache_get_source(obj, "GPUCacheL1CapacityBytes");
  uint64_t bytes, sms;
  double confidence;

  if (!hwloc_gpucache_get_u64(obj, "GPUCacheL1CapacityBytes", &bytes) &&
      !hwloc_gpucache_get_u64(obj, HWLOC_GPUCACHE_SMS, &sms) && source &&
      !hwloc_gpucache_get_confidence(obj, "GPUCacheL1CapacityBytes", &confidence))
    printf("%s %" PRIu64 " %s %g %" PRIu64 "\n", name, bytes, source, confidence, sms);
}

/* Prints the flat values that <hwloc/gpucache.h> finds from OS devices of other components and
 * from PCI devices. */
static int flat(struct state *s)
{
  hwloc_obj_t obj = NULL;
  char name[32];

  while ((obj = hwloc_get_next_osdev(s->topology, obj)))
    if (strncmp(obj->name, "gpu", 3))
      print_flat(obj->name, obj);
  while ((obj = hwloc_get_next_pcidev(s->topology, obj))) {
    snprintf(name, sizeof(name), "%02x:%02x.%x", obj->attr->pcidev.bus, obj->attr->pcidev.dev,
             obj->attr->pcidev.func);
    print_flat(name, obj);
  }
  return 0;
}

static const struct step {
  const char *name;
  int (*run)(struct state *s);
} steps[] = {
    {"io-important", io_important},
    {"io-all", io_all},
    {"plain", plain},
    {"count-attributes", count_attributes},
    {"own-locale", own_locale},
    {"no-pci", no_pci},
    {"no-os", no_os},
    {"stray-descriptors", stray_descriptors},
    {"closed-streams", closed_streams},
    {"ignore-sigchld", ignore_sigchld},
    {"no-zombies", no_zombies},
    {"ignore-and-block-signals", ignore_and_block_signals},
    {"own-child", own_child},
    {"load", load},
    {"load-in-threads", load_in_threads},
    {"load-in-cancelled-thread", load_in_cancelled_thread},
    {"own-child-is-there", own_child_is_there},
    {"no-children", no_children},
    {"no-vendor-library", no_vendor_library},
    {"check", check},
    {"list", list},
    {"flat", flat},
    {"no-accelerator", no_accelerator},
    {"dup", duplicate},
    {"xml", xml},
    {"restrict", restrict_to_first},
    {"no-threads", no_threads},         /* the topology is gone then */
    {"no-descriptors", no_descriptors}, /* the last one, for the same reason */
};

int main(int argc, char **argv)
{
  struct state s = {.child = -1};
  int status = hwloc_topology_init(&s.topology);

  for (int i = 1; status == 0 && i < argc; i++) {
    const struct step *step = NULL;

    for (size_t k = 0; k < sizeof(steps) / sizeof(steps[0]); k++)
      if (!strcmp(argv[i], steps[k].name))
        step = &steps[k];
    status = step ? step->run(&s) : fail("no such step");
    if (status)
      fprintf(stderr, "topo-check: failed at step %s\n", argv[i]);
  }
  hwloc_topology_destroy(s.topology);
  return status ? 1 : 0;
}
