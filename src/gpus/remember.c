/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The file has a first line, entries and a last line:
 *   hwloc-gpucache remembered 1
 *   KEY SECONDS LENGTH       16 hexadecimal digits, time of writing since 1970, bytes of the text
 *   text
 *   end HASH                 of everything before this line
 * New entries come first. Entries of other containers stay until they are a day old or there is no
 * space.
 */
#define _GNU_SOURCE
#include "gpus/remember.h"

#include "gpus/remember_dir.h"
#include "util/hash.h"
#include "util/number.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define FIRST_LINE "hwloc-gpucache remembered 1\n"
#define LAST_LINE "end %016" PRIx64 "\n"
#define LAST_LENGTH (sizeof("end 0123456789abcdef\n") - 1)
#define KEY_DIGITS 16
#define HEAD_BYTES 64 /* of an entry, at most */

struct entry {
  uint64_t key, seconds;
  const char *text;
  size_t length;
};

void gc_remember_begin(struct gc_remember *remember, const char *root, bool believe)
{
  *remember = (struct gc_remember){.root = root, .believe = believe};
}

static uint64_t hash_stat(uint64_t key, const struct stat *st)
{
  /* without padding, because the bytes are hashed */
  const uint64_t node[] = {(uint64_t)st->st_dev, (uint64_t)st->st_ino,
                           (uint64_t)st->st_ctim.tv_sec, (uint64_t)st->st_ctim.tv_nsec};

  return gc_hash(key, node, sizeof(node));
}

/* The key omits the root directory's time of change, because it changes with any file there. */
uint64_t gc_remember_key(const struct gc_remember *remember, const char *word)
{
  struct stat st;
  uint64_t place[2];

  if (stat(*remember->root ? remember->root : "/", &st))
    return 0;
  place[0] = (uint64_t)st.st_dev;
  place[1] = (uint64_t)st.st_ino;
  return gc_hash(gc_hash(GC_HASH_START, place, sizeof(place)), word, strlen(word) + 1);
}

uint64_t gc_remember_node(const struct gc_remember *remember, uint64_t key, const char *path)
{
  char full[PATH_MAX];
  struct stat st;

  if (!key ||
      (size_t)snprintf(full, sizeof(full), "%s%s", remember->root, path) >= sizeof(full) ||
      fstatat(AT_FDCWD, full, &st, AT_SYMLINK_NOFOLLOW))
    return 0;
  return hash_stat(key, &st);
}

static bool is_text(const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if ((text[i] < ' ' || text[i] > '~') && text[i] != '\n' && text[i] != '\t')
      return false;
  return length > 0 && length < GC_REMEMBER_TEXT && text[length - 1] == '\n';
}

static const char *read_key(const char *at, uint64_t *key)
{
  static const char digits[] = "0123456789abcdef";

  *key = 0;
  for (int i = 0; i < KEY_DIGITS; i++, at++) {
    const char *digit = *at ? strchr(digits, *at) : NULL;

    if (!digit)
      return NULL;
    *key = *key << 4 | (uint64_t)(digit - digits);
  }
  return at;
}

/* Reads the entry at `at` and returns what follows it. NULL: there is none. text ends with a NUL
 * at end. */
static const char *read_entry(const char *at, const char *end, struct entry *entry)
{
  uint64_t length;

  at = read_key(at, &entry->key);
  if (!at || *at++ != ' ' || !(at = gc_number_digits(at, &entry->seconds)) || *at++ != ' ' ||
      !(at = gc_number_digits(at, &length)) || *at++ != '\n' || at > end ||
      length > (size_t)(end - at))
    return NULL;
  entry->text = at;
  entry->length = length;
  return at + length;
}

/* Whether the file is complete and has this form. */
static bool is_valid(const char *text, size_t length)
{
  const size_t head = sizeof(FIRST_LINE) - 1;
  char last[LAST_LENGTH + 1];
  const char *at, *end;
  struct entry entry;

  if (length < head + LAST_LENGTH || memcmp(text, FIRST_LINE, head))
    return false;
  end = text + length - LAST_LENGTH;
  snprintf(last, sizeof(last), LAST_LINE, gc_hash(GC_HASH_START, text, length - LAST_LENGTH));
  if (memcmp(end, last, LAST_LENGTH))
    return false;
  for (at = text + head; at && at != end;) {
    at = read_entry(at, end, &entry);
    if (at && !is_text(entry.text, entry.length))
      return false;
  }
  return at != NULL;
}

static bool is_recent(const struct entry *entry, time_t now)
{
  return now >= 0 && entry->seconds <= (uint64_t)now &&
         (uint64_t)now - entry->seconds < GC_REMEMBER_SECONDS;
}

/* Reads the file of one place, once. */
static const char *load(struct gc_remember *remember, int place)
{
  const bool other_root = *remember->root != '\0';
  size_t length = 0;
  char *text;

  if (remember->file[place].tried)
    return remember->file[place].text;
  remember->file[place].tried = true;
  text = place == GC_REMEMBER_OWN ? gc_remember_load_own(other_root, &length)
                                  : gc_remember_load_site(other_root, &length);
  if (text && !is_valid(text, length)) {
    free(text);
    text = NULL;
  }
  remember->file[place].text = text;
  remember->file[place].length = length;
  return text;
}

/* The entry with this key in the file of one place. */
static bool find_in(struct gc_remember *remember, int place, uint64_t key, struct entry *entry)
{
  const char *text = load(remember, place), *at, *end;
  const time_t now = time(NULL);

  if (!text)
    return false;
  end = text + remember->file[place].length - LAST_LENGTH;
  for (at = text + sizeof(FIRST_LINE) - 1; at && at != end;) {
    at = read_entry(at, end, entry);
    if (at && entry->key == key && is_recent(entry, now))
      return true;
  }
  return false;
}

/* The user's own entries come first: they may correct those of the site. */
static bool find(struct gc_remember *remember, uint64_t key, struct entry *entry)
{
  for (int place = 0; key && place < GC_REMEMBER_PLACES; place++)
    if (find_in(remember, place, key, entry))
      return true;
  return false;
}

bool gc_remember_find(struct gc_remember *remember, uint64_t key, char text[GC_REMEMBER_TEXT])
{
  struct entry entry;

  if (!remember->believe || !find(remember, key, &entry))
    return false;
  memcpy(text, entry.text, entry.length);
  text[entry.length] = '\0';
  return true;
}

void gc_remember_put(struct gc_remember *remember, uint64_t key, const char *text)
{
  const size_t length = strlen(text);
  const time_t now = time(NULL);
  struct entry known;
  char *more;

  if (!key || now < 0 || !is_text(text, length) ||
      (find(remember, key, &known) && known.length == length &&
       !memcmp(known.text, text, length)) ||
      (!remember->news && !gc_remember_can_store(*remember->root != '\0')))
    return;
  more = realloc(remember->news, remember->news_length + HEAD_BYTES + length + 1);
  if (!more)
    return;
  remember->news = more;
  more += remember->news_length;
  remember->news_length += (size_t)sprintf(more, "%016" PRIx64 " %" PRIu64 " %zu\n%s", key,
                                           (uint64_t)now, length, text);
}

/* Whether the new entries have this key. */
static bool is_replaced(const struct gc_remember *remember, uint64_t key)
{
  const char *at = remember->news, *end = at + remember->news_length;
  struct entry entry;

  while (at && at != end) {
    at = read_entry(at, end, &entry);
    if (at && entry.key == key)
      return true;
  }
  return false;
}

/* Appends the earlier entries that are still valid, as far as there is space. */
static size_t add_earlier(const struct gc_remember *remember, char *text, size_t length)
{
  const char *earlier = remember->file[GC_REMEMBER_OWN].text, *at, *next, *end;
  const time_t now = time(NULL);
  struct entry entry;

  if (!earlier)
    return length;
  end = earlier + remember->file[GC_REMEMBER_OWN].length - LAST_LENGTH;
  for (at = earlier + sizeof(FIRST_LINE) - 1; at != end; at = next) {
    next = read_entry(at, end, &entry);
    if (!next)
      break;
    if (is_recent(&entry, now) && !is_replaced(remember, entry.key) &&
        length + (size_t)(next - at) + LAST_LENGTH <= GC_REMEMBER_BYTES) {
      memcpy(text + length, at, (size_t)(next - at));
      length += (size_t)(next - at);
    }
  }
  return length;
}

static void write_news(const struct gc_remember *remember)
{
  const size_t head = sizeof(FIRST_LINE) - 1;
  char *text;
  size_t length = head + remember->news_length;

  if (length + LAST_LENGTH > GC_REMEMBER_BYTES || !(text = malloc(GC_REMEMBER_BYTES + 1)))
    return;
  memcpy(text, FIRST_LINE, head);
  memcpy(text + head, remember->news, remember->news_length);
  length = add_earlier(remember, text, length);
  length += (size_t)sprintf(text + length, LAST_LINE, gc_hash(GC_HASH_START, text, length));
  gc_remember_store(*remember->root != '\0', text, length);
  free(text);
}

void gc_remember_end(struct gc_remember *remember)
{
  if (remember->news)
    write_news(remember);
  free(remember->news);
  for (int place = 0; place < GC_REMEMBER_PLACES; place++)
    free(remember->file[place].text);
  gc_remember_begin(remember, remember->root, remember->believe);
}
