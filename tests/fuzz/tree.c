/* SPDX-License-Identifier: BSD-3-Clause */
#include "tree.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#define MOST_NODES 2048
#define SLOTS 4096
#define MOST_OPEN 32
#define PATH_BYTES 160
/* Real descriptors have smaller numbers. */
#define FIRST_FD 1000000

/* A file, a directory, or both: then it can be opened as a file, and has files below. */
struct node {
  char path[PATH_BYTES];
  size_t path_length, name; /* where its name begins */
  uint32_t hash;
  int is_file;
  const char *text;
  size_t length;
  struct node *first, *last, *next; /* children, and the next child of its directory */
};
static struct node nodes[MOST_NODES];
static size_t node_count;
static uint16_t slots[SLOTS]; /* number of the node + 1 */

struct tree_dir {
  char path[PATH_BYTES]; /* empty: this descriptor is closed */
  struct node *node;
  size_t at;         /* bytes that were read */
  struct node *next; /* to be listed */
  struct dirent entry;
};
static struct tree_dir opened[MOST_OPEN];
static size_t most_opened;

/* The file that is being written, and the last one that was. */
static char unfinished[TREE_WRITTEN_BYTES], written[TREE_WRITTEN_BYTES];
static struct node writing = {.path = "unfinished", .is_file = 1, .text = unfinished};

unsigned tree_clear(void)
{
  unsigned count = 0;

  for (size_t i = 0; i < most_opened; i++) {
    count += opened[i].path[0] != '\0';
    opened[i].path[0] = '\0';
  }
  most_opened = 0;
  if (node_count)
    memset(slots, 0, sizeof(slots));
  node_count = 0;
  return count;
}

static uint32_t hash_of(const char *path, size_t length)
{
  uint32_t hash = 2166136261u;

  for (size_t i = 0; i < length; i++)
    hash = (hash ^ (unsigned char)path[i]) * 16777619u;
  return hash;
}

/* The slot of this path, which is empty if there is no such node. */
static uint16_t *find_slot(const char *path, size_t length, uint32_t hash)
{
  uint16_t *slot = &slots[hash % SLOTS];

  while (*slot) {
    const struct node *node = &nodes[*slot - 1];

    if (node->hash == hash && node->path_length == length && !memcmp(node->path, path, length))
      break;
    slot = slot == &slots[SLOTS - 1] ? slots : slot + 1;
  }
  return slot;
}

static struct tree_dir *get(int fd)
{
  struct tree_dir *dir =
      fd >= FIRST_FD && fd < FIRST_FD + MOST_OPEN ? &opened[fd - FIRST_FD] : NULL;

  if (!dir || !dir->path[0])
    __builtin_trap(); /* a descriptor that is not open */
  return dir;
}

/* Writes the path from the descriptor `at`. Its length; 0: it is too long. */
static size_t join(int at, const char *path, char full[PATH_BYTES])
{
  const char *base = path[0] == '/' || at == AT_FDCWD ? "" : get(at)->path;
  const size_t dir = strlen(base), name = strlen(path);

  if (dir + 1 + name >= PATH_BYTES)
    return 0;
  memcpy(full, base, dir);
  full[dir] = '/';
  memcpy(full + dir + (dir > 0), path, name + 1);
  return dir + (dir > 0) + name;
}

static struct node *find(const char *path)
{
  const size_t length = strlen(path);
  const uint16_t number = *find_slot(path, length, hash_of(path, length));

  return number ? &nodes[number - 1] : NULL;
}

/* The node of this path, made with its directories if it is missing. NULL: no more fit. */
static struct node *make(const char *path, size_t length)
{
  const uint32_t hash = hash_of(path, length);
  uint16_t *slot = find_slot(path, length, hash);
  struct node *node, *dir;
  size_t name = length;

  if (*slot)
    return &nodes[*slot - 1];
  while (path[name - 1] != '/')
    name--;
  dir = name > 1 ? make(path, name - 1) : NULL;
  if ((name > 1 && !dir) || node_count == MOST_NODES)
    return NULL;
  slot = find_slot(path, length, hash); /* the directories may have taken it */
  node = &nodes[node_count++];
  *slot = (uint16_t)node_count;
  *node = (struct node){.path_length = length, .name = name, .hash = hash};
  memcpy(node->path, path, length);
  node->path[length] = '\0';
  if (dir)
    *(dir->last ? &dir->last->next : &dir->first) = node, dir->last = node;
  return node;
}

int tree_add(const char *path, size_t path_length, const char *text, size_t length)
{
  struct node *node;

  if (path_length >= PATH_BYTES || path_length < 2 || path[0] != '/' ||
      memchr(path, '\0', path_length) || path[path_length - 1] == '/' ||
      memmem(path, path_length, "//", 2) || !(node = make(path, path_length)))
    return 0;
  if (node->is_file)
    return 1; /* the first text counts */
  node->is_file = 1;
  node->text = text;
  node->length = length;
  return 1;
}

void tree_add_files(const char *text, size_t size)
{
  const char *end = text + size;

  while (text < end && *text == '=') {
    const char *line = memchr(text, '\n', (size_t)(end - text)), *start, *next;

    if (!line)
      return;
    start = next = line + 1;
    while (next < end && *next != '=') {
      next = memchr(next, '\n', (size_t)(end - next));
      next = next ? next + 1 : end;
    }
    tree_add(text + 1, (size_t)(line - text - 1), start, (size_t)(next - start));
    text = next;
  }
}

const char *tree_text(const char *path, size_t *length)
{
  const struct node *node = find(path);

  *length = node && node->is_file ? node->length : 0;
  return node && node->is_file ? node->text : NULL;
}

int tree_openat(int at, const char *path, int flags, ...)
{
  struct node *node;
  char full[PATH_BYTES];
  int fd = 0;

  while (fd < MOST_OPEN && opened[fd].path[0])
    fd++;
  errno = EMFILE;
  if (fd == MOST_OPEN)
    return -1;
  errno = ENOENT;
  if (!join(at, path, full))
    return -1;
  node = flags & O_CREAT ? &writing : find(full);
  if (!node)
    return -1;
  errno = ENOTDIR;
  if (node->is_file && (flags & O_DIRECTORY))
    return -1;
  if (flags & O_CREAT)
    writing.length = 0;
  memcpy(opened[fd].path, full, sizeof(full));
  opened[fd].node = node;
  if (most_opened <= (size_t)fd)
    most_opened = (size_t)fd + 1;
  opened[fd].at = 0;
  opened[fd].next = node->first;
  return FIRST_FD + fd;
}

int tree_open(const char *path, int flags, ...)
{
  return tree_openat(AT_FDCWD, path, flags);
}

int tree_walk(const char *path, char last[GC_WALK_COMPONENT])
{
  const char *name = strrchr(path, '/');
  char parent[PATH_BYTES];

  snprintf(last, GC_WALK_COMPONENT, "%s", name + 1);
  snprintf(parent, sizeof(parent), "%.*s", (int)(name - path), path);
  return tree_open(parent, O_DIRECTORY);
}

int tree_close(int fd)
{
  get(fd)->path[0] = '\0';
  return 0;
}

ssize_t tree_read(int fd, void *bytes, size_t size)
{
  struct tree_dir *dir = get(fd);
  size_t left = dir->node->is_file ? dir->node->length - dir->at : 0;

  if (size > left)
    size = left;
  if (size)
    memcpy(bytes, dir->node->text + dir->at, size);
  dir->at += size;
  return (ssize_t)size;
}

int tree_write(int fd, const void *bytes, size_t size)
{
  if (get(fd)->node != &writing || size > sizeof(unfinished) - writing.length)
    __builtin_trap(); /* no file that is being made, or a file that is too long */
  memcpy(unfinished + writing.length, bytes, size);
  writing.length += size;
  return 0;
}

int tree_create(int dir, const struct gc_file_new *new, char name[GC_FILE_NAME])
{
  const int fd = tree_openat(dir, new->start, O_CREAT);

  snprintf(name, GC_FILE_NAME, "%s", new->start);
  if (fd >= 0 && new->fill(fd, new->data))
    __builtin_trap(); /* tree_write does not fail */
  return fd;
}

int tree_rename(int dir, const char *name)
{
  char path[PATH_BYTES];
  const size_t length = join(dir, name, path);
  struct node *node = length ? make(path, length) : NULL;

  if (!node)
    return -1;
  memcpy(written, unfinished, writing.length);
  node->is_file = 1;
  node->text = written;
  node->length = writing.length;
  return 0;
}

static int describe(const struct node *node, struct stat *status)
{
  if (!node)
    return -1;
  memset(status, 0, sizeof(*status));
  status->st_mode = node->is_file ? S_IFREG | 0400 : S_IFDIR | 0700;
  status->st_uid = TREE_USER;
  status->st_size = (off_t)node->length;
  status->st_ino = node->hash;
  return 0;
}

int tree_fstat(int fd, struct stat *status)
{
  return describe(get(fd)->node, status);
}

int tree_stat(const char *path, struct stat *status)
{
  static const struct node root = {.hash = 1};

  return describe(strcmp(path, "/") ? find(path) : &root, status);
}

int tree_fstatfs(int fd, struct statfs *status)
{
  (void)get(fd);
  memset(status, 0, sizeof(*status));
  status->f_type = TMPFS_MAGIC;
  return 0;
}

int tree_access(const char *path)
{
  const struct node *node = find(path);
  const int is_closed = node && node->is_file && node->length && *node->text == '!';

  errno = node ? EACCES : ENOENT;
  return node && !is_closed ? 0 : -1;
}

tree_dir *tree_fdopendir(int fd)
{
  return get(fd);
}

tree_dir *tree_opendir(const char *path)
{
  int fd = tree_open(path, O_DIRECTORY);

  return fd < 0 ? NULL : tree_fdopendir(fd);
}

struct dirent *tree_readdir(tree_dir *dir)
{
  const struct node *node = dir->next;

  if (!node)
    return NULL;
  dir->next = node->next;
  memcpy(dir->entry.d_name, node->path + node->name, node->path_length - node->name + 1);
  dir->entry.d_ino = node->hash;
  dir->entry.d_type = DT_UNKNOWN;
  return &dir->entry;
}

void tree_rewinddir(tree_dir *dir)
{
  dir->next = dir->node->first;
}

int tree_dirfd(tree_dir *dir)
{
  return FIRST_FD + (int)(dir - opened);
}

int tree_closedir(tree_dir *dir)
{
  return tree_close(tree_dirfd(dir));
}
