/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An application for tests/fault/faults: loads a topology. Faults are injected while the plugin
 * runs, and only then. Afterwards everything in the process must be as it was. Exit status 1 and a
 * sentence on stderr otherwise.
 */
#include "inject.h"

#include <hwloc.h>
#include <hwloc/plugins.h>

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int failures;

static void __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
  va_list args;

  va_start(args, format);
  fprintf(stderr, "host: ");
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  failures++;
}

static void (*begin)(void), (*end)(void);
static unsigned (*leaks)(void);
static bool has_run;
static int (*discover)(struct hwloc_backend *, struct hwloc_disc_status *);
static struct hwloc_backend *(*instantiate)(struct hwloc_topology *, struct hwloc_disc_component *,
                                            unsigned, const void *, const void *, const void *);

/* Through dlsym, so that no fault is injected into these calls. */
static int count_threads(void)
{
  DIR *(*open)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_DEFAULT, "opendir");
  struct dirent *(*next)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_DEFAULT, "readdir");
  int (*close)(DIR *) = (int (*)(DIR *))dlsym(RTLD_DEFAULT, "closedir");
  DIR *dir = open("/proc/self/task");
  int count = -2;

  while (dir && next(dir))
    count++;
  if (dir)
    close(dir);
  return count;
}

/* The plugin's thread has ended, and is shown no more. */
static void wait_for_threads(void)
{
  for (int i = 0; i < 2000 && count_threads() > 1; i++)
    usleep(1000);
  if (count_threads() > 1)
    fail("a thread is left");
}

static int our_discover(struct hwloc_backend *backend, struct hwloc_disc_status *status)
{
  int result;

  if (begin)
    begin();
  result = discover(backend, status);
  if (end)
    end();
  return result;
}

static struct hwloc_backend *our_instantiate(struct hwloc_topology *topology,
                                             struct hwloc_disc_component *component,
                                             unsigned excluded, const void *a, const void *b,
                                             const void *c)
{
  struct hwloc_backend *backend;

  /* The plugin's thread works until it is needed. hwloc's own calls must not fail meanwhile. */
  if (begin)
    begin();
  backend = instantiate(topology, component, excluded, a, b, c);
  wait_for_threads();
  if (end)
    end();
  has_run = true;
  if (backend) {
    discover = backend->discover;
    backend->discover = our_discover;
  }
  return backend;
}

/* Puts our functions around those of the plugin, which hwloc has loaded. */
static void wrap_plugin(const char *path)
{
  void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  const struct hwloc_component *component =
      library ? dlsym(library, "hwloc_gpucache_component") : NULL;
  struct hwloc_disc_component *disc = component ? component->data : NULL;

  if (!disc) {
    fail("hwloc has not loaded %s", path);
    exit(1);
  }
  begin = (void (*)(void))dlsym(RTLD_DEFAULT, "inject_begin");
  end = (void (*)(void))dlsym(RTLD_DEFAULT, "inject_end");
  leaks = (unsigned (*)(void))dlsym(RTLD_DEFAULT, "inject_leaks");
  instantiate = disc->instantiate;
  disc->instantiate = our_instantiate;
}

/* The state that a load must not change. */
struct process {
  char descriptors[4096], environment[65536], directory[1024], locale[256];
  struct sigaction actions[65];
  sigset_t mask;
  mode_t umask;
  int subreaper, priority;
  char **environ;
};

static void look(struct process *p)
{
  DIR *dir = opendir("/proc/self/fd");
  struct dirent *entry;
  size_t length = 0;

  memset(p, 0, sizeof(*p));
  while (dir && (entry = readdir(dir))) {
    char target[128];
    ssize_t n = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target) - 1);

    if (n < 0 || atoi(entry->d_name) == dirfd(dir))
      continue;
    target[n] = '\0';
    length += (size_t)snprintf(p->descriptors + length, sizeof(p->descriptors) - length,
                               "%s -> %s, ", entry->d_name, target);
  }
  if (dir)
    closedir(dir);
  length = 0;
  for (char **variable = environ; variable && *variable; variable++)
    length += (size_t)snprintf(p->environment + length, sizeof(p->environment) - length, "%s\n",
                               *variable);
  p->environ = environ;
  if (!getcwd(p->directory, sizeof(p->directory)))
    fail("there is no working directory");
  snprintf(p->locale, sizeof(p->locale), "%s", setlocale(LC_ALL, NULL));
  for (int signal = 1; signal < 65; signal++)
    sigaction(signal, NULL, &p->actions[signal]);
  sigprocmask(SIG_SETMASK, NULL, &p->mask);
  p->umask = umask(0);
  umask(p->umask);
  prctl(PR_GET_CHILD_SUBREAPER, &p->subreaper);
  p->priority = getpriority(PRIO_PROCESS, 0);
}

static void compare(const struct process *a, const struct process *b)
{
  if (strcmp(a->descriptors, b->descriptors))
    fail("descriptors were %s now they are %s", a->descriptors, b->descriptors);
  if (strcmp(a->environment, b->environment) || a->environ != b->environ)
    fail("the environment has changed");
  if (strcmp(a->directory, b->directory))
    fail("the working directory has changed");
  if (strcmp(a->locale, b->locale))
    fail("the locale has changed");
  for (int signal = 1; signal < 65; signal++)
    if (a->actions[signal].sa_handler != b->actions[signal].sa_handler ||
        a->actions[signal].sa_flags != b->actions[signal].sa_flags)
      fail("the action of signal %d has changed", signal);
  for (int signal = 1; signal < 65; signal++)
    if (sigismember(&a->mask, signal) != sigismember(&b->mask, signal))
      fail("the mask of signal %d has changed", signal);
  if (a->umask != b->umask)
    fail("the umask has changed");
  if (a->subreaper != b->subreaper || a->priority != b->priority)
    fail("an attribute of the process has changed");
}

/* If the status of a GPU says that it was measured, it must have all its elements. */
static unsigned count_elements(hwloc_obj_t obj)
{
  unsigned count = obj->type == HWLOC_OBJ_OS_DEVICE && obj->subtype &&
                   hwloc_obj_get_info_by_name(obj, "lstopoStyle");

  for (hwloc_obj_t child = obj->io_first_child; child; child = child->next_sibling)
    count += count_elements(child);
  return count;
}

static void check_tree(hwloc_topology_t topology, unsigned elements)
{
  hwloc_obj_t obj = NULL;

  hwloc_topology_check(topology);
  while ((obj = hwloc_get_next_pcidev(topology, obj))) {
    const char *status = hwloc_obj_get_info_by_name(obj, "GPUCacheStatus");

    if (elements && status && !strcmp(status, "measured") &&
        count_elements(obj) != elements)
      fail("the status is \"measured\", but there are %u elements, not %u", count_elements(obj),
           elements);
  }
}

/* argv: the plugin; the number of elements of a GPU with a record, or 0: any. */
int main(int argc, char **argv)
{
  static struct process before, after;
  hwloc_topology_t topology;

  if (argc != 3 || hwloc_topology_init(&topology) < 0)
    return 2;
  wrap_plugin(argv[1]);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  look(&before);
  if (hwloc_topology_load(topology) < 0)
    fail("the load failed");
  else
    check_tree(topology, (unsigned)atoi(argv[2]));
  hwloc_topology_destroy(topology);
  wait_for_threads();
  look(&after);
  compare(&before, &after);
  if (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)
    fail("a child is left");
  if (!has_run)
    fail("the plugin did not run");
  if (leaks && leaks())
    fail("%u allocations are not freed", leaks());
  return failures ? 1 : 0;
}
