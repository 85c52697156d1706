/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the lines of a profile.
 */
#include "model/parse.h"

#include "model/keys.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define CONSTANT_BYTES 65536 /* of every NVIDIA GPU so far */
#define LINE_MAX_BYTES 4096 /* the GPCs of 300 SMs take 2 KiB */

struct parser {
  struct gc_profile *profile;
  struct gc_profile_value at; /* the current line */
  char section[48];          /* for messages: "the chip", "[cache L1]" */
  unsigned section_line;
  const struct gc_profile_key *keys; /* of this section */
  char *target;              /* the struct that they fill */
  bool seen[GC_PROFILE_KEYS_MAX]; /* by key */
};

static int end_section(struct parser *parser)
{
  for (const struct gc_profile_key *key = parser->keys; key->name; key++)
    if (key->required && !parser->seen[key - parser->keys]) {
      parser->at.line = parser->section_line;
      return gc_value_wrong(&parser->at, "%s lacks '%s'", parser->section, key->name);
    }
  return 0;
}

static int begin_cache(struct parser *parser, const char *name)
{
  struct gc_profile *profile = parser->profile;
  struct gc_profile_cache *cache = &profile->caches[profile->cache_count];

  if (gc_profile_find_cache(profile, name) >= 0)
    return gc_value_wrong(&parser->at, "a second [cache %s]", name);
  if (!strcmp(name, "memory") || strlen(name) >= sizeof(cache->name))
    return gc_value_wrong(&parser->at, "a cache cannot be called '%s'", name);
  if (profile->cache_count == GC_PROFILE_CACHES_MAX)
    return gc_value_wrong(&parser->at, "more than %d caches", GC_PROFILE_CACHES_MAX);
  profile->cache_count++;
  strcpy(cache->name, name);
  cache->line_number = parser->at.line;
  cache->instances = cache->partitions = 1;
  parser->keys = gc_cache_keys;
  parser->target = (char *)cache;
  return 0;
}

static int begin_tlb(struct parser *parser, const char *name)
{
  struct gc_profile *profile = parser->profile;
  struct gc_profile_tlb *tlb = &profile->tlbs[profile->tlb_count];

  if (profile->tlb_count && !strcmp(profile->tlbs[0].cache.name, name))
    return gc_value_wrong(&parser->at, "a second [tlb %s]", name);
  if (strlen(name) >= sizeof(tlb->cache.name))
    return gc_value_wrong(&parser->at, "a TLB cannot be called '%s'", name);
  if (profile->tlb_count == GC_PROFILE_TLBS_MAX)
    return gc_value_wrong(&parser->at, "more than %d TLBs", GC_PROFILE_TLBS_MAX);
  profile->tlb_count++;
  strcpy(tlb->cache.name, name);
  tlb->cache.line_number = parser->at.line;
  tlb->cache.instances = tlb->cache.partitions = 1;
  parser->keys = gc_tlb_keys;
  parser->target = (char *)tlb;
  return 0;
}

static int begin_space(struct parser *parser, const char *name)
{
  struct gc_profile_path *path;
  int space = 0;

  while (space < GC_SPACE_COUNT && strcmp(gc_profile_space_names[space], name))
    space++;
  if (space == GC_SPACE_COUNT)
    return gc_value_wrong(&parser->at,
                          "no space is called '%s' (ca, cg, nc, texture, constant, shared, "
                          "scalar, instruction)", name);
  path = &parser->profile->paths[space];
  if (path->line_number)
    return gc_value_wrong(&parser->at, "a second [space %s]", name);
  path->line_number = parser->at.line;
  parser->keys = gc_space_keys;
  parser->target = (char *)path;
  return 0;
}

static int begin_host_tlb(struct parser *parser)
{
  struct gc_profile_cache *cache = &parser->profile->host_tlb.cache;

  if (cache->line_number)
    return gc_value_wrong(&parser->at, "a second [host_tlb]");
  cache->line_number = parser->at.line;
  cache->instances = cache->partitions = 1;
  parser->keys = gc_tlb_keys;
  parser->target = (char *)&parser->profile->host_tlb;
  return 0;
}

static int begin_unified(struct parser *parser)
{
  if (parser->profile->unified_line)
    return gc_value_wrong(&parser->at, "a second [unified]");
  parser->profile->unified_line = parser->at.line;
  parser->keys = gc_unified_keys;
  parser->target = (char *)parser->profile;
  return 0;
}

static int begin_banks(struct parser *parser)
{
  if (parser->profile->banks.line_number)
    return gc_value_wrong(&parser->at, "a second [banks]");
  parser->profile->banks.line_number = parser->at.line;
  parser->keys = gc_banks_keys;
  parser->target = (char *)&parser->profile->banks;
  return 0;
}

static int begin_atomics(struct parser *parser)
{
  if (parser->profile->atomics.line_number)
    return gc_value_wrong(&parser->at, "a second [atomics]");
  parser->profile->atomics.line_number = parser->at.line;
  parser->keys = gc_atomics_keys;
  parser->target = (char *)&parser->profile->atomics;
  return 0;
}

static int begin_bulk(struct parser *parser)
{
  if (parser->profile->bulk.line_number)
    return gc_value_wrong(&parser->at, "a second [bulk]");
  parser->profile->bulk.line_number = parser->at.line;
  parser->keys = gc_bulk_keys;
  parser->target = (char *)&parser->profile->bulk;
  return 0;
}

static int add_host(struct parser *parser, const struct gc_model_host *host,
                    const struct gc_profile_key *keys)
{
  struct gc_model_facts *facts = &parser->profile->facts;

  for (unsigned i = 0; i < facts->host_count; i++)
    if (facts->hosts[i].node == host->node && !strcmp(facts->hosts[i].peer, host->peer))
      return gc_value_wrong(&parser->at, "a second %s", parser->section);
  if (facts->host_count == GC_MODEL_HOSTS)
    return gc_value_wrong(&parser->at, "more than %d NUMA nodes and other GPUs", GC_MODEL_HOSTS);
  parser->keys = keys;
  parser->target = (char *)&facts->hosts[facts->host_count];
  facts->hosts[facts->host_count++] = *host;
  return 0;
}

static int begin_host(struct parser *parser, const char *name)
{
  struct gc_profile_value value = parser->at;
  uint64_t node;

  value.key = "host";
  value.most = UINT32_MAX;
  if (gc_value_number(&value, name, &node))
    return -EINVAL;
  return add_host(parser, &(struct gc_model_host){.node = (uint32_t)node, .distance = 10},
                  gc_host_keys);
}

static int begin_peer(struct parser *parser, const char *name)
{
  struct gc_model_host host = {.distance = 10};

  if ((size_t)snprintf(host.peer, sizeof(host.peer), "%s", name) >= sizeof(host.peer))
    return gc_value_wrong(&parser->at, "the name of a GPU is too long");
  return add_host(parser, &host, gc_peer_keys);
}

/* These sections describe the driver tables; src/gpus/sim_tables.c reads and checks them. */
static int begin_sysfs(struct parser *parser)
{
  static const struct gc_profile_key none[] = {{NULL, NULL, 0, false, 0, 0}};

  parser->keys = none;
  parser->target = NULL;
  return 0;
}

/* header: the text between the brackets. */
static int begin_section(struct parser *parser, char *header)
{
  const char *kind, *name;

  if (end_section(parser))
    return -EINVAL;
  snprintf(parser->section, sizeof(parser->section), "[%s]", header);
  parser->section_line = parser->at.line;
  memset(parser->seen, 0, sizeof(parser->seen));
  kind = gc_value_word(&header);
  name = gc_value_word(&header);
  if (kind && !gc_value_word(&header)) {
    if (name && !strcmp(kind, "cache"))
      return begin_cache(parser, name);
    if (name && !strcmp(kind, "space"))
      return begin_space(parser, name);
    if (name && !strcmp(kind, "tlb"))
      return begin_tlb(parser, name);
    if (!name && !strcmp(kind, "host_tlb"))
      return begin_host_tlb(parser);
    if (!name && !strcmp(kind, "unified"))
      return begin_unified(parser);
    if (!name && !strcmp(kind, "banks"))
      return begin_banks(parser);
    if (!name && !strcmp(kind, "atomics"))
      return begin_atomics(parser);
    if (!name && !strcmp(kind, "bulk"))
      return begin_bulk(parser);
    if (name && !strcmp(kind, "host"))
      return begin_host(parser, name);
    if (name && !strcmp(kind, "peer"))
      return begin_peer(parser, name);
    if (name && !strcmp(kind, "sysfs"))
      return begin_sysfs(parser);
  }
  return gc_value_wrong(&parser->at,
                        "%s is none of [unified], [cache NAME], [tlb NAME], [space NAME], "
                        "[banks], [atomics], [bulk], [host NODE], [host_tlb], [peer NAME], "
                        "[sysfs ELEMENT]",
                        parser->section);
}

static int read_key(struct parser *parser, const char *name, char *text)
{
  const struct gc_profile_key *key = parser->keys;
  struct gc_profile_value value = parser->at;
  bool *seen;

  while (key->name && strcmp(key->name, name))
    key++;
  if (!key->name)
    return gc_value_wrong(&value, "unknown key '%s' in %s", name, parser->section);
  seen = &parser->seen[key - parser->keys];
  if (*seen)
    return gc_value_wrong(&value, "a second '%s' in %s", name, parser->section);
  if (!*text)
    return gc_value_wrong(&value, "'%s' has no value", name);
  *seen = true;
  value.key = key->name;
  value.least = key->least;
  value.most = key->most;
  return key->read(&value, text, parser->target + key->offset);
}

static char *trim(char *text)
{
  char *end = text + strlen(text);

  while (end > text && isspace((unsigned char)end[-1]))
    *--end = '\0';
  return text + strspn(text, " \t");
}

static int read_line(struct parser *parser, char *text)
{
  char *equals, *end;

  text[strcspn(text, "#")] = '\0';
  text = trim(text);
  if (!*text)
    return 0;
  if (*text == '[') {
    end = strchr(text, ']');
    if (!end || end[1])
      return gc_value_wrong(&parser->at, "'%.60s' is not a [section]", text);
    *end = '\0';
    return begin_section(parser, text + 1);
  }
  equals = strchr(text, '=');
  if (!equals)
    return gc_value_wrong(&parser->at, "'%.60s' is neither key = value nor [section]", text);
  *equals = '\0';
  if (!parser->target)
    return 0;
  return read_key(parser, trim(text), trim(equals + 1));
}

int gc_profile_parse(const char *name, const char *text, size_t length, struct gc_profile *profile,
                     struct gc_error *err)
{
  struct parser parser = {
    .profile = profile, .at = {.file = name, .profile = profile, .err = err},
    .section = "the chip", .section_line = 1, .keys = gc_chip_keys, .target = (char *)profile,
  };
  const char *const end = text + length;

  memset(profile, 0, sizeof(*profile));
  profile->seed = 1;
  profile->page_seed = 1;
  profile->facts.l2_fetch_limit = profile->facts.l2_persisting = UINT64_MAX;
  profile->facts.l2_compression = UINT64_MAX;
  profile->facts.constant_bytes = CONSTANT_BYTES;
  while (text < end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const size_t n = (size_t)((newline ? newline : end) - text);
    char line[LINE_MAX_BYTES];

    parser.at.line++;
    if (n >= sizeof(line))
      return gc_value_wrong(&parser.at, "line longer than %d bytes", LINE_MAX_BYTES - 1);
    if (memchr(text, '\0', n))
      return gc_value_wrong(&parser.at, "a zero byte: this is not a text");
    memcpy(line, text, n);
    line[n] = '\0';
    if (read_line(&parser, line))
      return -EINVAL;
    text += n + (newline ? 1 : 0);
  }
  return end_section(&parser);
}
