/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts about this node that are slow to read and cannot change until the driver is loaded again:
 * a file of the NVIDIA driver takes 0.1 to 0.6 ms for each GPU, and each PCI device has a file of
 * its own. The texts are remembered in one small file on a tmpfs (remember_dir.h), so that a fresh
 * process needs none of these files. That pays if many processes load at once, because the driver
 * takes a lock for its file (doc/results/performance.md, "Many processes that load at once").
 *
 * Each text has a key: a hash of everything that must be unchanged for the text to be true. The
 * keys are made of nodes of sysfs (gc_remember_node) and of names. A new boot needs no check: a
 * tmpfs does not survive it. No text is used for more than a day, so that a change that no node
 * shows does little harm.
 *
 * No function here fails for the caller: if anything is wrong with the file or its directory,
 * nothing is remembered, and the caller reads /proc and /sys.
 */
#ifndef GC_GPUS_REMEMBER_H
#define GC_GPUS_REMEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GC_REMEMBER_SECONDS (24 * 60 * 60)
#define GC_REMEMBER_TEXT 4096 /* the longest text, with a NUL */

enum { GC_REMEMBER_OWN, GC_REMEMBER_SITE, GC_REMEMBER_PLACES };

/* Each list of GPUs uses one of these. Several threads must not share it. */
struct gc_remember {
  const char *root;
  bool believe; /* false: find nothing, but write what is new or different */
  struct {
    bool tried;
    char *text; /* the file, or NULL */
    size_t length;
  } file[GC_REMEMBER_PLACES];
  char *news; /* new entries, to be written */
  size_t news_length;
};

/* Reads nothing yet. root: "" or the root of a copy of /proc and /sys, valid until the end.
 * The caller calls gc_remember_end. */
void gc_remember_begin(struct gc_remember *remember, const char *root, bool believe);

/* Begins a key, to which the caller adds everything that the text depends on. The key depends on
 * the root directory, which differs in a container and in a copy, and on the word, which says what
 * the text is. */
uint64_t gc_remember_key(const struct gc_remember *remember, const char *word);

/* Continues the key with device, inode and time of change of ROOT/path, a symbolic link itself
 * and not its target. A node of sysfs that is made again (driver loaded or bound again, device
 * plugged in again) gets another inode number; kernels before 4.14 reuse numbers, but then the
 * time differs. The time is that at which the kernel loaded the inode, so it may also change when
 * nothing else does; then the text is read once more. 0: the key was 0, or there is no such
 * node. */
uint64_t gc_remember_node(const struct gc_remember *remember, uint64_t key, const char *path);

/* Copies the text with this key. False: nothing is remembered. The key 0 has no text. */
bool gc_remember_find(struct gc_remember *remember, uint64_t key, char text[GC_REMEMBER_TEXT]);

/* Remembers a text of whole lines. It is ignored if the key is 0, or if the text is empty, is too
 * long, or has other bytes than printable ASCII, tabs and line ends. */
void gc_remember_put(struct gc_remember *remember, uint64_t key, const char *text);

/* Writes what is new, and frees everything. */
void gc_remember_end(struct gc_remember *remember);

#endif
