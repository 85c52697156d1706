/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#include "inject.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Beside errno values: the call does a part of its work, or works and then reports an error. */
#define SHORT (-1)

static struct inject *shared;
static atomic_bool counting;

/* Whether this is libc, a sanitizer or this library. */
static bool is_excluded(const char *file)
{
  static const char *const excluded[] = {"/libc.so",  "/ld-linux",     "linux-vdso",
                                         "/libasan",  "libclang_rt",   "/libubsan",
                                         "/libtsan",  "/libpthread.so", "libinject",
                                         "/libm.so",  "/libgcc_s.so",  "/libdl.so"};

  for (size_t i = 0; i < sizeof(excluded) / sizeof(excluded[0]); i++)
    if (strstr(file, excluded[i]))
      return true;
  return false;
}

/* How often this call stack was seen before. */
static uint8_t seen_before(void)
{
#define SLOTS (1u << 16)
  static _Atomic uint64_t hashes[SLOTS];
  static _Atomic uint8_t counts[SLOTS];
  void *stack[12];
  int depth = backtrace(stack, 12);
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  uint32_t slot;

  for (int i = 2; i < depth; i++)
    hash = (hash ^ (uintptr_t)stack[i]) * UINT64_C(0x100000001b3);
  hash |= 1;
  for (slot = (uint32_t)(hash >> 40) % SLOTS; hashes[slot] && hashes[slot] != hash;)
    slot = (slot + 1) % SLOTS;
  hashes[slot] = hash;
  return counts[slot] < 255 ? counts[slot]++ : 255;
#undef SLOTS
}

/* The program or library of the innermost frame that is not of this library, of libc, or of a
 * sanitizer. */
static void name_object(void *const *stack, int depth, char *name)
{
  Dl_info info;

  for (int i = 0; i < depth; i++) {
    const char *file = dladdr(stack[i], &info) ? info.dli_fname : "unknown";

    if (is_excluded(file))
      continue;
    snprintf(name, INJECT_NAME, "%s", strrchr(file, '/') ? strrchr(file, '/') + 1 : file);
    return;
  }
}

/* Notes where a signal comes from that ends the program, and then lets it do so. */
static struct sigaction before[65];
static void crash(int number, siginfo_t *info, void *context)
{
  void *stack[64];
  const int depth = backtrace(stack, 64);

  (void)info;
  (void)context;
  name_object(stack, depth, shared->crashed);
  if (shared->trace) {
    fprintf(stderr, "inject: signal %d\n", number);
    backtrace_symbols_fd(stack, depth, STDERR_FILENO);
  }
  sigaction(number, &before[number], NULL); /* a sanitizer's */
  raise(number);
}

static void watch_crashes(void)
{
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL};
  struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_SIGINFO};

  for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
    sigaction(numbers[i], &action, &before[numbers[i]]);
}

/* Counts this call. Returns whether it fails, and how: an errno value or SHORT. */
static int fails(const char *name, const int *how, unsigned variants)
{
  const int saved = errno;
  uint64_t number;
  void *stack[32];
  int depth;

  if (!counting)
    return 0;
  number = __atomic_add_fetch(&shared->calls, 1, __ATOMIC_RELAXED);
  if (!shared->at) {
    if (number <= INJECT_MOST_CALLS) {
      shared->plan[number - 1].variants = (uint8_t)variants;
      shared->plan[number - 1].seen = seen_before();
    }
    errno = saved;
    return 0;
  }
  if (number != shared->at || shared->variant >= variants)
    return 0;
  snprintf(shared->name, sizeof(shared->name), "%s", name);
  depth = backtrace(stack, 32);
  name_object(stack, depth, shared->caller);
  if (shared->trace) {
    fprintf(stderr, "inject: call %llu, %s, fails (%s)\n", (unsigned long long)number, name,
            how[shared->variant] == SHORT ? "in part" : strerror(how[shared->variant]));
    backtrace_symbols_fd(stack, depth, STDERR_FILENO);
  }
  errno = how[shared->variant] == SHORT ? saved : how[shared->variant];
  return how[shared->variant];
}

/* Allocations of the window: an open hash table. */
#define MOST_LIVE (1u << 16)
static void *live[MOST_LIVE];
static pthread_mutex_t live_lock = PTHREAD_MUTEX_INITIALIZER;
#define GONE ((void *)1)

static unsigned slot_of(const void *address)
{
  return (unsigned)(((uintptr_t)address >> 4) * 2654435761u) % MOST_LIVE;
}

static void *note(void *address)
{
  unsigned slot = slot_of(address);

  if (!address || !counting)
    return address;
  pthread_mutex_lock(&live_lock);
  while (live[slot] && live[slot] != GONE)
    slot = (slot + 1) % MOST_LIVE;
  live[slot] = address;
  pthread_mutex_unlock(&live_lock);
  return address;
}

static bool forget(const void *address)
{
  unsigned slot = slot_of(address);
  bool known;

  if (!address)
    return false;
  pthread_mutex_lock(&live_lock);
  while (live[slot] && live[slot] != address)
    slot = (slot + 1) % MOST_LIVE;
  known = live[slot] != NULL;
  if (known)
    live[slot] = GONE;
  pthread_mutex_unlock(&live_lock);
  return known;
}

unsigned inject_leaks(void)
{
  unsigned count = 0;

  for (unsigned i = 0; i < MOST_LIVE; i++)
    count += live[i] && live[i] != GONE;
  if (shared)
    shared->leaks = count;
  return count;
}

static void hook_free(void *address)
{
  forget(address);
  free(address);
}

static void *hook_realloc(void *old, size_t size)
{
  static const int how[] = {ENOMEM};
  bool known;
  void *new;

  if (fails("realloc", how, 1))
    return NULL;
  known = forget(old);
  new = realloc(old, size);
  if (!new && size) {
    if (known)
      note(old);
    return NULL;
  }
  return note(new);
}

/* A function that fails with errno and this result. */
#define HOW(...) ((const int[]){__VA_ARGS__}), sizeof((const int[]){__VA_ARGS__}) / sizeof(int)
/* A library that passes NULL to strdup after an earlier failure crashes there, as without this hook:
 * the sanitizer must not report it here. */
#define ALLOCATOR(name, parameters, arguments)                                                     \
  __attribute__((no_sanitize("undefined"))) static void *hook_##name parameters                    \
  {                                                                                                \
    return fails(#name, HOW(ENOMEM)) ? NULL : note(name arguments);                                \
  }
#define CALL(type, name, parameters, arguments, result, ...)                                       \
  static type hook_##name parameters                                                               \
  {                                                                                                \
    return fails(#name, HOW(__VA_ARGS__)) ? result : name arguments;                               \
  }
/* A function that returns the errno value. */
#define RETURNS(name, parameters, arguments, ...)                                                  \
  static int hook_##name parameters                                                                \
  {                                                                                                \
    const int saved = errno, how = fails(#name, HOW(__VA_ARGS__));                                 \
                                                                                                   \
    errno = saved;                                                                                 \
    return how ? how : name arguments;                                                             \
  }
/* A function that transfers bytes: it may transfer fewer. */
#define TRANSFER(name, parameters, part, whole, ...)                                               \
  static ssize_t hook_##name parameters                                                            \
  {                                                                                                \
    int how = size > 1 ? fails(#name, HOW(SHORT, __VA_ARGS__)) : fails(#name, HOW(__VA_ARGS__));   \
                                                                                                   \
    return how == SHORT ? name part : how ? -1 : name whole;                                       \
  }
/* A function that releases something: it does so, and then reports an error. */
#define RELEASE(name, type, ...)                                                                   \
  static int hook_##name(type what)                                                                \
  {                                                                                                \
    int how = fails(#name, HOW(__VA_ARGS__)), result = name(what);                                 \
                                                                                                   \
    if (how)                                                                                       \
      errno = how;                                                                                 \
    return how ? -1 : result;                                                                      \
  }

ALLOCATOR(malloc, (size_t size), (size))
ALLOCATOR(calloc, (size_t count, size_t size), (count, size))
ALLOCATOR(strdup, (const char *text), (text))
ALLOCATOR(strndup, (const char *text, size_t most), (text, most))
ALLOCATOR(aligned_alloc, (size_t alignment, size_t size), (alignment, size))

CALL(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, EMFILE, EACCES)
CALL(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL, ENOMEM)
CALL(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL, ENOMEM)
CALL(char *, fgets, (char *text, int size, FILE *file), (text, size, file), NULL, EIO)
CALL(DIR *, opendir, (const char *path), (path), NULL, EMFILE, EACCES)
CALL(DIR *, fdopendir, (int fd), (fd), NULL, ENOMEM)
CALL(struct dirent *, readdir, (DIR * dir), (dir), NULL, EIO)
CALL(int, stat, (const char *path, struct stat *into), (path, into), -1, EACCES, EIO)
CALL(int, lstat, (const char *path, struct stat *into), (path, into), -1, EACCES, EIO)
CALL(int, fstat, (int fd, struct stat *into), (fd, into), -1, EIO)
CALL(int, fstatat, (int at, const char *path, struct stat *into, int flags),
     (at, path, into, flags), -1, EACCES, ESTALE)
CALL(int, access, (const char *path, int mode), (path, mode), -1, EACCES, EIO)
CALL(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), -1,
     EACCES, EIO)
CALL(ssize_t, readlinkat, (int at, const char *path, char *text, size_t size),
     (at, path, text, size), -1, EACCES)
CALL(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, EROFS, EDQUOT)
CALL(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), -1, EROFS, ENOSPC)
CALL(int, rmdir, (const char *path), (path), -1, EBUSY)
CALL(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), -1, EIO, EACCES)
CALL(int, linkat, (int from, const char *old, int to, const char *new, int flags),
     (from, old, to, new, flags), -1, EPERM, EMLINK)
CALL(int, rename, (const char *old, const char *new), (old, new), -1, EIO, ENOSPC)
CALL(int, renameat, (int from, const char *old, int to, const char *new), (from, old, to, new), -1,
     EIO, ENOSPC)
CALL(int, fchmod, (int fd, mode_t mode), (fd, mode), -1, EPERM)
CALL(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), -1, EPERM)
CALL(int, flock, (int fd, int how), (fd, how), -1, ENOLCK, EINTR, EOPNOTSUPP)
CALL(int, fsync, (int fd), (fd), -1, EIO, EINVAL)
CALL(int, fdatasync, (int fd), (fd), -1, EIO)
CALL(int, ftruncate, (int fd, off_t length), (fd, length), -1, EFBIG)
CALL(int, fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length), -1, ENOSPC,
     EOPNOTSUPP, EINTR)
CALL(off_t, lseek, (int fd, off_t offset, int from), (fd, offset, from), -1, EINVAL)
CALL(int, pipe2, (int ends[2], int flags), (ends, flags), -1, EMFILE, ENFILE)
CALL(int, dup2, (int old, int new), (old, new), -1, EMFILE)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), -1, ENOSYS, EMFILE)
CALL(void *, mmap, (void *at, size_t size, int protection, int flags, int fd, off_t offset),
     (at, size, protection, flags, fd, offset), MAP_FAILED, ENOMEM)
CALL(int, mprotect, (void *at, size_t size, int protection), (at, size, protection), -1, ENOMEM)
CALL(int, poll, (struct pollfd * fds, nfds_t count, int ms), (fds, count, ms), -1, EINTR, ENOMEM)
CALL(pid_t, waitpid, (pid_t pid, int *status, int options), (pid, status, options), -1, EINTR)
CALL(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
     (type, id, info, options), -1, EINTR)
CALL(pid_t, fork, (void), (), -1, EAGAIN, ENOMEM)

RETURNS(posix_memalign, (void **into, size_t alignment, size_t size), (into, alignment, size),
        ENOMEM)
RETURNS(posix_spawn,
        (pid_t * pid, const char *path, const posix_spawn_file_actions_t *actions,
         const posix_spawnattr_t *attributes, char *const argv[], char *const env[]),
        (pid, path, actions, attributes, argv, env), EAGAIN, ENOMEM, ENOENT, EPERM)
RETURNS(posix_spawn_file_actions_init, (posix_spawn_file_actions_t * actions), (actions), ENOMEM)
RETURNS(posix_spawn_file_actions_adddup2,
        (posix_spawn_file_actions_t * actions, int old, int new), (actions, old, new), ENOMEM)
RETURNS(posix_spawn_file_actions_addopen,
        (posix_spawn_file_actions_t * actions, int fd, const char *path, int flags, mode_t mode),
        (actions, fd, path, flags, mode), ENOMEM)
RETURNS(posix_spawn_file_actions_addclose, (posix_spawn_file_actions_t * actions, int fd),
        (actions, fd), ENOMEM)
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
RETURNS(posix_spawn_file_actions_addclosefrom_np,
        (posix_spawn_file_actions_t * actions, int from), (actions, from), ENOMEM)
#endif
RETURNS(posix_spawnattr_init, (posix_spawnattr_t * attributes), (attributes), ENOMEM)
RETURNS(pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *data),
        (thread, attributes, start, data), EAGAIN)

TRANSFER(read, (int fd, void *bytes, size_t size), (fd, bytes, 1), (fd, bytes, size), EINTR, EIO)
TRANSFER(pread, (int fd, void *bytes, size_t size, off_t at), (fd, bytes, 1, at),
         (fd, bytes, size, at), EINTR, EIO)
TRANSFER(write, (int fd, const void *bytes, size_t size), (fd, bytes, size / 2), (fd, bytes, size),
         EINTR, ENOSPC, EIO)
TRANSFER(pwrite, (int fd, const void *bytes, size_t size, off_t at), (fd, bytes, size / 2, at),
         (fd, bytes, size, at), EINTR, EIO)

RELEASE(close, int, EIO)
RELEASE(closedir, DIR *, EIO)
RELEASE(fclose, FILE *, ENOSPC)
RELEASE(fflush, FILE *, ENOSPC)

static int hook_asprintf(char **text, const char *format, ...)
{
  va_list args;
  int length;

  if (fails("asprintf", HOW(ENOMEM)))
    return -1;
  va_start(args, format);
  length = vasprintf(text, format, args);
  va_end(args);
  note(length < 0 ? NULL : *text);
  return length;
}

static int hook_vasprintf(char **text, const char *format, va_list args)
{
  int length;

  if (fails("vasprintf", HOW(ENOMEM)))
    return -1;
  length = vasprintf(text, format, args);
  note(length < 0 ? NULL : *text);
  return length;
}

static int hook_open(const char *path, int flags, ...)
{
  va_list args;
  mode_t mode;

  va_start(args, flags);
  mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
  va_end(args);
  return fails("open", HOW(EMFILE, EACCES, EINTR)) ? -1 : open(path, flags, mode);
}

static int hook_openat(int at, const char *path, int flags, ...)
{
  va_list args;
  mode_t mode;

  va_start(args, flags);
  mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(args, mode_t) : 0;
  va_end(args);
  return fails("openat", HOW(EMFILE, EIO, ESTALE, EINTR)) ? -1 : openat(at, path, flags, mode);
}

static int hook_fcntl(int fd, int command, ...)
{
  va_list args;
  void *argument;

  va_start(args, command);
  argument = va_arg(args, void *);
  va_end(args);
  return fails("fcntl", HOW(EMFILE, ENOLCK)) ? -1 : fcntl(fd, command, argument);
}

static long hook_syscall(long number, ...)
{
  long a[6];
  va_list args;

  va_start(args, number);
  for (int i = 0; i < 6; i++)
    a[i] = va_arg(args, long);
  va_end(args);
  return fails("syscall", HOW(ENOSYS, EPERM))
             ? -1
             : syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static void patch_all(void);

/* A library that is opened later imports functions, too. */
static void *hook_dlopen(const char *path, int flags)
{
  void *library = dlopen(path, flags);

  patch_all();
  return library;
}

#define HOOK(name) {#name, (void *)hook_##name}
static const struct hook {
  const char *name;
  void *replacement;
} hooks[] = {
    HOOK(access), HOOK(aligned_alloc), HOOK(asprintf), HOOK(calloc), HOOK(close), HOOK(closedir),
    HOOK(dlopen), HOOK(dup2), HOOK(faccessat), HOOK(fallocate), HOOK(fchmod), HOOK(fchown),
    HOOK(fclose), HOOK(fcntl), HOOK(fdatasync), HOOK(fdopen), HOOK(fdopendir), HOOK(fflush),
    HOOK(fgets), HOOK(flock), HOOK(fopen), HOOK(fork), HOOK(free), HOOK(fstat), HOOK(fstatat),
    HOOK(fsync), HOOK(ftruncate), HOOK(linkat), HOOK(lseek), HOOK(lstat), HOOK(malloc),
    HOOK(memfd_create), HOOK(mkdir), HOOK(mkdirat), HOOK(mmap), HOOK(mprotect), HOOK(open),
    HOOK(open_memstream), HOOK(openat), HOOK(opendir), HOOK(pipe2), HOOK(poll),
    HOOK(posix_memalign), HOOK(posix_spawn), HOOK(posix_spawn_file_actions_addclose),
#ifdef HAVE_POSIX_SPAWN_FILE_ACTIONS_ADDCLOSEFROM_NP
    HOOK(posix_spawn_file_actions_addclosefrom_np),
#endif
    HOOK(posix_spawn_file_actions_adddup2), HOOK(posix_spawn_file_actions_addopen),
    HOOK(posix_spawn_file_actions_init), HOOK(posix_spawnattr_init), HOOK(pread),
    HOOK(pthread_create), HOOK(pwrite), HOOK(read), HOOK(readdir), HOOK(readlinkat), HOOK(realloc),
    HOOK(rename), HOOK(renameat), HOOK(rmdir), HOOK(stat), HOOK(strdup), HOOK(strndup),
    HOOK(syscall), HOOK(unlinkat), HOOK(vasprintf), HOOK(waitid), HOOK(waitpid), HOOK(write),
    {"fopen64", (void *)hook_fopen}, {"fstat64", (void *)hook_fstat},
    {"fstatat64", (void *)hook_fstatat}, {"open64", (void *)hook_open},
    {"openat64", (void *)hook_openat}, {"readdir64", (void *)hook_readdir},
    {"stat64", (void *)hook_stat}, {"fcntl64", (void *)hook_fcntl},
};

/* Replaces the imported addresses of these relocations. */
static void patch(const struct dl_phdr_info *object, const ElfW(Rela) *relocations, size_t size,
                  const ElfW(Sym) *symbols, const char *names)
{
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

  for (size_t i = 0; relocations && i < size / sizeof(*relocations); i++) {
    const size_t symbol = relocations[i].r_info >> 32;
    void **slot = (void **)(object->dlpi_addr + relocations[i].r_offset);

    for (size_t k = 0; symbol && k < sizeof(hooks) / sizeof(hooks[0]); k++)
      if (!strcmp(names + symbols[symbol].st_name, hooks[k].name) && !relocations[i].r_addend) {
        mprotect((void *)((uintptr_t)slot & -page), page, PROT_READ | PROT_WRITE);
        *slot = hooks[k].replacement;
      }
  }
}

static int patch_object(struct dl_phdr_info *object, size_t size, void *data)
{
  const ElfW(Rela) *lazy = NULL, *early = NULL;
  size_t lazy_size = 0, early_size = 0;
  const ElfW(Sym) *symbols = NULL;
  const char *names = NULL;

  (void)size;
  (void)data;
  if (is_excluded(object->dlpi_name))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Dyn) * entry;

    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC)
      continue;
    entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      void *address = (void *)entry->d_un.d_ptr; /* glibc has relocated it */

      switch (entry->d_tag) {
      case DT_JMPREL: lazy = address; break;
      case DT_PLTRELSZ: lazy_size = entry->d_un.d_val; break;
      case DT_RELA: early = address; break;
      case DT_RELASZ: early_size = entry->d_un.d_val; break;
      case DT_SYMTAB: symbols = address; break;
      case DT_STRTAB: names = address; break;
      default: break;
      }
    }
  }
  if (symbols && names) {
    patch(object, lazy, lazy_size, symbols, names);
    patch(object, early, early_size, symbols, names);
  }
  return 0;
}

static void patch_all(void)
{
  if (shared)
    dl_iterate_phdr(patch_object, NULL);
}

void inject_begin(void)
{
  counting = shared != NULL;
}

void inject_end(void)
{
  counting = false;
}

/* Programs that this one starts are not concerned. */
static void __attribute__((constructor)) start(void)
{
  const char *path = getenv("INJECT_FILE"), *where = getenv("INJECT_WHERE");
  void *stack[4];
  int fd;

  if (!path || !where)
    return;
  fd = open(path, O_RDWR | O_CLOEXEC);
  shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared == MAP_FAILED) {
    perror(path);
    _exit(99);
  }
  backtrace(stack, 4); /* the first call loads a library */
  counting = !strcmp(where, "process");
  unsetenv("INJECT_FILE");
  unsetenv("INJECT_WHERE");
  watch_crashes();
  patch_all();
}
