/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Loads topologies in a process that is limited in some way. Prints a line for each GPU: the number
 * of its elements and its status. Exit status 0: all loads succeeded and left nothing; 1: not so;
 * 77: the limit cannot be set here.
 *
 *   -d CALL=ERRNO   a system call fails (seccomp): clone, clone3, execve, fork, pidfd_open; fork is
 *                   a clone that copies the memory
 *   -r NAME=NUMBER  a resource limit, which is set after hwloc has loaded its plugins: as (bytes
 *                   beside those in use), fsize, nofile (descriptors that are left), nproc
 *   -c DIR          change the root directory
 *   -h              a handler of SIGCHLD that waits for all children
 *   -w              a thread that waits for all children
 *   -n NUMBER       that many loads; memory and descriptors must not grow after the first tenth
 *   -e              a thread that changes the environment, the locale and the working directory; all
 *                   loads must give the same status
 *   -t NUMBER       that many loads, for files that block: prints the threads that are left, and the
 *                   status of the machine or of a GPU in each load, and ends
 *   -p NUMBER       the same for loads in as many threads
 *   -z              no child may be left, not even a zombie that the load has inherited
 */
#include <hwloc.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77
#define MOST_GROWTH_KIB 2048

static int give_up(int status, const char *what)
{
  fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
  exit(status);
}

/* Denies a system call to this process and its children. */
static void deny(const char *word)
{
  static const struct {
    const char *name;
    unsigned number;
  } calls[] = {
      {"clone", SYS_clone}, {"clone3", SYS_clone3}, {"execve", SYS_execve},
      {"fork", SYS_clone},  {"pidfd_open", SYS_pidfd_open},
  };
  const char *equals = strchr(word, '=');
  const size_t length = equals ? (size_t)(equals - word) : 0;

  for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
    const bool copies = !strcmp(calls[i].name, "fork");
    const unsigned action =
        SECCOMP_RET_ERRNO | (equals && !strcmp(equals, "=ENOSYS") ? ENOSYS : EPERM);
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, copies ? 3 : 1),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_VM, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, action),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

    if (strlen(calls[i].name) != length || strncmp(calls[i].name, word, length))
      continue;
    if (!copies) {
      filter[2] = filter[4];
      filter[3] = filter[5];
      program.len = 4;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
      give_up(SKIPPED, "seccomp");
    return;
  }
  errno = EINVAL;
  give_up(2, word);
}

static unsigned count_in(const char *path)
{
  DIR *dir = opendir(path);
  unsigned count = 0;

  while (dir && readdir(dir))
    count++;
  if (dir)
    closedir(dir);
  return count;
}

/* The limit that leaves that many descriptors, whatever descriptors were inherited. */
static unsigned long limit_of_descriptors(unsigned long left)
{
  int descriptor = 0;

  for (; left > 0; descriptor++)
    left -= fcntl(descriptor, F_GETFD) < 0;
  while (fcntl(descriptor, F_GETFD) >= 0)
    descriptor++;
  return (unsigned long)descriptor;
}

/* A number of KiB from /proc/self/status, or 0. */
static unsigned long memory(const char *key)
{
  FILE *file = fopen("/proc/self/status", "r");
  unsigned long kib = 0;
  char line[256];

  while (file && fgets(line, sizeof(line), file))
    if (!strncmp(line, key, strlen(key)))
      kib = strtoul(line + strlen(key) + 1, NULL, 10);
  if (file)
    fclose(file);
  return kib;
}

static void limit(const char *word)
{
  const char *equals = strchr(word, '=');
  unsigned long value = equals ? strtoul(equals + 1, NULL, 10) : 0;
  struct rlimit limit;
  int resource;

  if (!strncmp(word, "as=", 3)) {
    resource = RLIMIT_AS;
    value += memory("VmSize:") << 10;
  } else if (!strncmp(word, "fsize=", 6)) {
    resource = RLIMIT_FSIZE;
  } else if (!strncmp(word, "nofile=", 7)) {
    resource = RLIMIT_NOFILE;
    value = limit_of_descriptors(value);
  } else {
    resource = RLIMIT_NPROC;
  }
  limit.rlim_cur = limit.rlim_max = value;
  if (setrlimit(resource, &limit))
    give_up(SKIPPED, word);
}

static void on_child(int signal)
{
  const int saved = errno;

  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0)
    ;
  errno = saved;
}

static void handle_children(void)
{
  struct sigaction action = {.sa_handler = on_child};

  if (sigaction(SIGCHLD, &action, NULL))
    give_up(2, "sigaction");
}

static void *wait_for_children(void *data)
{
  (void)data;
  for (;;)
    if (waitpid(-1, NULL, 0) < 0)
      usleep(200);
  return NULL;
}

static atomic_bool changing;

/* Values that libc reads, that the plugin reads, and that nobody reads. They are only replaced: if
 * variables are added, the environment may move under hwloc's own getenv(), too. */
static const char *const changed[] = {"LANGUAGE", "HSA_OVERRIDE_GFX_VERSION", "LIMITS_VALUE"};

static void *change_all(void *data)
{
  static const char *const locales[] = {"C", "de_DE.UTF-8", "C.UTF-8"};
  char value[4096];

  (void)data;
  for (unsigned i = 0; changing; i++) {
    memset(value, 'x', sizeof(value));
    value[i * 37 % sizeof(value)] = '\0';
    setenv(changed[i % 3], value, 1);
    setlocale(LC_ALL, locales[i % 3]);
    if (chdir(i % 2 ? "/" : "/proc"))
      give_up(2, "chdir");
  }
  return NULL;
}

static pthread_t start_changes(void)
{
  pthread_t thread;

  for (size_t i = 0; i < sizeof(changed) / sizeof(changed[0]); i++)
    setenv(changed[i], "", 1);
  changing = true;
  if (pthread_create(&thread, NULL, change_all, NULL))
    give_up(2, "pthread_create");
  return thread;
}

/* The plugin's calls of getenv come here. Its thread must not make any. */
static bool is_main(void)
{
  return syscall(SYS_gettid) == getpid();
}

char *secure_getenv(const char *name)
{
  if (changing && !is_main())
    give_up(1, "another thread calls secure_getenv");
  return getenv(name);
}

static unsigned count_descriptors(void)
{
  return count_in("/proc/self/fd");
}

static unsigned count_elements(hwloc_obj_t obj)
{
  unsigned count = obj->type == HWLOC_OBJ_OS_DEVICE && obj->subtype &&
                   hwloc_obj_get_info_by_name(obj, "lstopoStyle");

  for (hwloc_obj_t child = obj->io_first_child; child; child = child->next_sibling)
    count += count_elements(child);
  return count;
}

static void list(hwloc_topology_t topology)
{
  hwloc_obj_t obj = NULL;

  while ((obj = hwloc_get_next_pcidev(topology, obj))) {
    const char *status = hwloc_obj_get_info_by_name(obj, "GPUCacheStatus");

    if (status)
      printf("%u %s\n", count_elements(obj), status);
  }
}

/* Whether the first GPU has the same status as in the first load. */
static bool is_same(hwloc_topology_t topology)
{
  static char first[800];
  hwloc_obj_t obj = hwloc_get_next_pcidev(topology, NULL);
  const char *status = obj ? hwloc_obj_get_info_by_name(obj, "GPUCacheStatus") : NULL;

  if (!status)
    status = "none";
  if (!*first)
    snprintf(first, sizeof(first), "%s", status);
  if (strcmp(first, status))
    fprintf(stderr, "load: \"%s\" became \"%s\"\n", first, status);
  return !strcmp(first, status);
}

/* The number of loads that failed. */
static unsigned load(unsigned long loads)
{
  unsigned long before = 0, after;
  unsigned failed = 0, descriptors = 0;

  for (unsigned long i = 0; i < loads; i++) {
    hwloc_topology_t topology;

    if (i == loads / 10) {
      descriptors = count_descriptors();
      before = memory("VmRSS:");
    }
    if (hwloc_topology_init(&topology) < 0)
      return failed + 1;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    if (hwloc_topology_load(topology) < 0)
      failed++;
    else if (i == loads - 1)
      list(topology);
    if (changing && !is_same(topology))
      failed++;
    if (i == 0)
      hwloc_topology_check(topology);
    hwloc_topology_destroy(topology);
  }
  after = memory("VmRSS:");
  /* the values that were set stay allocated */
  if (loads > 1 && !changing && (descriptors != count_descriptors() || after > before + MOST_GROWTH_KIB)) {
    fprintf(stderr, "load: %u descriptors and %lu KiB became %u and %lu\n", descriptors, before,
            count_descriptors(), after);
    failed++;
  }
  return failed;
}

/* One load. Returns the status of the machine, or else of its first GPU. */
static void *load_late(void *data)
{
  const char *status;
  hwloc_topology_t topology;
  hwloc_obj_t gpu = NULL;
  char *text = NULL;

  (void)data;
  if (hwloc_topology_init(&topology) < 0)
    return NULL;
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  if (!hwloc_topology_load(topology)) {
    status = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "GPUCacheStatus");
    while (!status && (gpu = hwloc_get_next_pcidev(topology, gpu)))
      status = hwloc_obj_get_info_by_name(gpu, "GPUCacheStatus");
    text = strdup(status ? status : "no status");
  }
  hwloc_topology_destroy(topology);
  return text;
}

static int load_all_late(unsigned long loads, bool in_threads)
{
  pthread_t *threads = calloc(loads, sizeof(*threads));
  void **texts = calloc(loads, sizeof(*texts));

  for (unsigned long i = 0; i < loads; i++)
    if (!in_threads)
      texts[i] = load_late(NULL);
    else if (pthread_create(&threads[i], NULL, load_late, NULL))
      give_up(2, "pthread_create");
  for (unsigned long i = 0; in_threads && i < loads; i++)
    pthread_join(threads[i], &texts[i]);
  printf("%u threads\n", count_in("/proc/self/task") - 3); /* without ".", ".." and this one */
  for (unsigned long i = 0; i < loads; i++) {
    if (!texts[i])
      return 1;
    puts(texts[i]);
    free(texts[i]);
  }
  free(texts);
  free(threads);
  return 0;
}

int main(int argc, char **argv)
{
  unsigned long loads = 1;
  bool no_zombie = false;
  hwloc_topology_t first;
  pthread_t thread, changes = 0;
  int option, failed;

  /* It keeps the plugins loaded. */
  if (hwloc_topology_init(&first) < 0)
    return 1;
  while ((option = getopt(argc, argv, "d:r:c:ehwn:p:t:z")) >= 0) {
    switch (option) {
    case 'd': deny(optarg); break;
    case 'r': limit(optarg); break;
    case 'c':
      if (chroot(optarg) || chdir("/"))
        give_up(SKIPPED, "chroot");
      break;
    case 'e': changes = start_changes(); break;
    case 'h': handle_children(); break;
    case 'w':
      if (pthread_create(&thread, NULL, wait_for_children, NULL))
        give_up(2, "pthread_create");
      break;
    case 'n': loads = strtoul(optarg, NULL, 10); break;
    case 'p':
    case 't': return load_all_late(strtoul(optarg, NULL, 10), option == 'p');
    case 'z': no_zombie = true; break;
    default: return 2;
    }
  }
  failed = load(loads) > 0;
  if (changing) {
    changing = false;
    pthread_join(changes, NULL);
  }
  if (no_zombie && (waitpid(-1, NULL, WNOHANG) != -1 || errno != ECHILD)) {
    fprintf(stderr, "load: a child is left\n");
    failed = 1;
  }
  hwloc_topology_destroy(first);
  return failed;
}
