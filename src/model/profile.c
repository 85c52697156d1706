/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader of profiles: "key = value" lines under [section] lines. Which keys there are is said by
 * the tables below; a new key is one line there and a field in profile.h.
 */
#include "model/profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 512

const char *const gc_profile_space_names[GC_SPACE_COUNT] = {
  "ca", "cg", "nc", "texture", "constant", "shared",
};

struct parser {
  const char *name;
  unsigned line;
  struct gc_profile *profile;
  struct gc_error *err;
  char section[48];            /* as in messages: "the chip", "[cache L1]" */
  unsigned section_line;
  const struct key *keys;      /* of this section */
  void *target;                /* what they write into */
  uint64_t seen;               /* bit per key */
};

/* One key of a section. read() gets the text of the value, never empty, and may change it. */
struct key {
  const char *name;
  int (*read)(struct parser *parser, const struct key *key, char *value, void *to);
  size_t offset;
  bool required;
  uint64_t least, most;
};

__attribute__((format(printf, 2, 3))) static int wrong(struct parser *parser, const char *format, ...)
{
  char text[400];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  return gc_fail(parser->err, -EINVAL, "%.80s:%u: %s", parser->name, parser->line, text);
}

static char *next_word(char **rest)
{
  char *word = *rest + strspn(*rest, " \t,"), *end = word + strcspn(word, " \t,");

  if (!*word)
    return NULL;
  *rest = *end ? end + 1 : end;
  *end = '\0';
  return word;
}

static int to_number(struct parser *parser, const struct key *key, const char *word, uint64_t *number)
{
  char *end;

  errno = 0;
  *number = isdigit((unsigned char)*word) ? strtoull(word, &end, 10) : 0;
  if (!isdigit((unsigned char)*word) || *end || errno)
    return wrong(parser, "'%s' is not a whole number (%s)", word, key->name);
  return 0;
}

static int in_range(struct parser *parser, const struct key *key, uint64_t number)
{
  if (number >= key->least && number <= key->most)
    return 0;
  return wrong(parser, "%s = %llu is not between %llu and %llu", key->name,
               (unsigned long long)number, (unsigned long long)key->least,
               (unsigned long long)key->most);
}

/* The factor of "B", "KiB", "MiB", "GiB"; 0 when it is none of them. */
static uint64_t unit_of(const char *word)
{
  static const struct { const char *name; uint64_t factor; } units[] = {
    {"B", 1}, {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30},
  };

  for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
    if (!strcmp(units[i].name, word))
      return units[i].factor;
  return 0;
}

static int read_u32(struct parser *parser, const struct key *key, char *value, void *to)
{
  uint64_t number;

  if (to_number(parser, key, value, &number) || in_range(parser, key, number))
    return -EINVAL;
  *(uint32_t *)to = (uint32_t)number;
  return 0;
}

static int read_u64(struct parser *parser, const struct key *key, char *value, void *to)
{
  return to_number(parser, key, value, to) || in_range(parser, key, *(uint64_t *)to) ? -EINVAL : 0;
}

/* Numbers with one unit behind them: "8 16 32 KiB". Without a unit they are bytes. */
static int read_sizes(struct parser *parser, const struct key *key, char *value, uint64_t *sizes,
                      unsigned most, unsigned *count)
{
  char *words[GC_PROFILE_CARVEOUTS_MAX + 2], *word;
  unsigned n = 0;
  uint64_t unit = 0;

  while ((word = next_word(&value))) {
    if (unit)
      return wrong(parser, "'%s' follows the unit (%s)", word, key->name);
    unit = unit_of(word);
    if (!unit && n == most)
      return wrong(parser, "more than %u sizes (%s)", most, key->name);
    if (!unit)
      words[n++] = word;
  }
  if (!n)
    return wrong(parser, "%s needs a size", key->name);
  for (unsigned i = 0; i < n; i++) {
    if (to_number(parser, key, words[i], &sizes[i]))
      return -EINVAL;
    if (unit && sizes[i] > UINT64_MAX / unit)
      return wrong(parser, "'%s' is too large (%s)", words[i], key->name);
    sizes[i] *= unit ? unit : 1;
    if (in_range(parser, key, sizes[i]))
      return -EINVAL;
  }
  *count = n;
  return 0;
}

static int read_size(struct parser *parser, const struct key *key, char *value, void *to)
{
  unsigned count;

  return read_sizes(parser, key, value, to, 1, &count);
}

static int read_size32(struct parser *parser, const struct key *key, char *value, void *to)
{
  uint64_t size;

  if (read_size(parser, key, value, &size))
    return -EINVAL;
  *(uint32_t *)to = (uint32_t)size;
  return 0;
}

/* A decimal fraction like 0.35, whatever the locale says of the point. */
static int to_fraction(struct parser *parser, const struct key *key, const char *word, double *to)
{
  const char *at = word;
  double number = 0, digit = 1;
  unsigned digits = 0;

  for (; isdigit((unsigned char)*at); at++, digits++)
    number = number * 10 + (*at - '0');
  if (*at == '.')
    for (at++; isdigit((unsigned char)*at); at++, digits++)
      number += (digit /= 10) * (*at - '0');
  if (*at || !digits)
    return wrong(parser, "'%s' is not a number (%s)", word, key->name);
  if (number > (double)key->most)
    return wrong(parser, "%s is more than %llu (%s)", word, (unsigned long long)key->most, key->name);
  *to = number;
  return 0;
}

static int read_text(struct parser *parser, const struct key *key, char *value, void *to)
{
  if (strlen(value) > key->most)
    return wrong(parser, "%s is longer than %llu characters", key->name,
                 (unsigned long long)key->most);
  strcpy(to, value);
  return 0;
}

/* Index of the word among "a|b|c", or -EINVAL. */
static int one_of(struct parser *parser, const struct key *key, const char *word, const char *choices)
{
  const size_t length = word ? strlen(word) : 0;
  int index = 0;

  for (const char *at = choices; length; at++, index++) {
    const size_t n = strcspn(at, "|");

    if (n == length && !strncmp(at, word, n))
      return index;
    at += n;
    if (!*at)
      break;
  }
  return wrong(parser, "'%s' is none of %s (%s)", word ? word : "", choices, key->name);
}

static int read_yes(struct parser *parser, const struct key *key, char *value, void *to)
{
  const int index = one_of(parser, key, value, "no|yes");

  if (index >= 0)
    *(bool *)to = index;
  return index < 0 ? index : 0;
}

static int read_version(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_model_facts *facts = to;
  char *point = strchr(value, '.');
  uint64_t major, minor;

  if (!point)
    return wrong(parser, "'%s' is not of the form 9.0 (%s)", value, key->name);
  *point = '\0';
  if (to_number(parser, key, value, &major) || to_number(parser, key, point + 1, &minor) ||
      in_range(parser, key, major) || in_range(parser, key, minor))
    return -EINVAL;
  facts->compute_major = (uint32_t)major;
  facts->compute_minor = (uint32_t)minor;
  return 0;
}

static int read_outliers(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_disturbance *d = to;
  const char *rate = next_word(&value), *least = next_word(&value), *most = next_word(&value);
  const struct key one = {.name = key->name, .most = 1};
  uint64_t from, until;

  if (!most || next_word(&value))
    return wrong(parser, "%s needs a probability, the least and the most cycles", key->name);
  if (to_fraction(parser, &one, rate, &d->outlier_rate) || to_number(parser, key, least, &from) ||
      to_number(parser, key, most, &until) || in_range(parser, key, from) ||
      in_range(parser, key, until))
    return -EINVAL;
  if (from > until)
    return wrong(parser, "%s: least (%s) is more than most (%s)", key->name, least, most);
  d->outlier_least = (uint32_t)from;
  d->outlier_most = (uint32_t)until;
  return 0;
}

static int read_drift(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_disturbance *d = to;
  const char *cycles = next_word(&value), *loads = next_word(&value);
  uint64_t height, period;

  if (!loads || next_word(&value))
    return wrong(parser, "%s needs cycles and a period in loads", key->name);
  if (to_number(parser, key, cycles, &height) || to_number(parser, key, loads, &period) ||
      in_range(parser, key, height) || in_range(parser, key, period))
    return -EINVAL;
  d->drift_cycles = (uint32_t)height;
  d->drift_loads = (uint32_t)period;
  return 0;
}

static int read_carveouts(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_profile *profile = to;

  return read_sizes(parser, key, value, profile->carveouts, GC_PROFILE_CARVEOUTS_MAX,
                    &profile->carveout_count);
}

static int read_scope(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_profile_cache *cache = to;
  const char *word = next_word(&value), *group = next_word(&value);
  const int scope = one_of(parser, key, word, "sm|group|chip");
  uint64_t sms = 0;

  if (scope < 0)
    return scope;
  if ((scope == GC_SCOPE_GROUP) != (group != NULL) || next_word(&value))
    return wrong(parser, "%s is sm, chip, or group and a number of SMs", key->name);
  if (group && (to_number(parser, key, group, &sms) || in_range(parser, key, sms)))
    return -EINVAL;
  cache->scope = (enum gc_scope)scope;
  cache->group = (uint32_t)sms;
  return 0;
}

static int read_cache_size(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_profile_cache *cache = to;

  cache->unified = !strcmp(value, "unified");
  return cache->unified ? 0 : read_size(parser, key, value, &cache->size);
}

static int read_replacement(struct parser *parser, const struct key *key, char *value, void *to)
{
  struct gc_cache_shape *shape = to;
  const char *word = next_word(&value);
  const int replacement = one_of(parser, key, word, "lru|plru|random|weighted");
  uint32_t ways = 0;

  if (replacement < 0)
    return replacement;
  shape->replacement = (enum gc_replacement)replacement;
  while (shape->replacement == GC_REPLACE_WEIGHTED && (word = next_word(&value))) {
    uint64_t weight;

    if (ways == GC_CACHE_WAYS_MAX)
      return wrong(parser, "more than %d weights (%s)", GC_CACHE_WAYS_MAX, key->name);
    if (to_number(parser, key, word, &weight) || in_range(parser, key, weight))
      return -EINVAL;
    shape->weights[ways++] = (uint32_t)weight;
  }
  if ((word = next_word(&value)))
    return wrong(parser, "'%s' follows a replacement without weights (%s)", word, key->name);
  return 0;
}

static int read_hash(struct parser *parser, const struct key *key, char *value, void *to)
{
  const int hash = one_of(parser, key, value, "none|xor|skew");

  *(enum gc_set_hash *)to = hash < 0 ? GC_HASH_NONE : (enum gc_set_hash)hash;
  return hash < 0 ? hash : 0;
}

static int find_cache(const struct gc_profile *profile, const char *name)
{
  for (unsigned i = 0; i < profile->cache_count; i++)
    if (!strcmp(profile->caches[i].name, name))
      return (int)i;
  return -ENOENT;
}

/* "L1 33 0.2, L2 216 8, memory 640 60": name, cycles, and if not 0 the jitter. */
static int read_path(struct parser *parser, const struct key *key, char *value, void *to)
{
  const struct key jitter = {.name = "jitter", .most = 10000};
  struct gc_profile_path *path = to;
  char *level, *save = NULL;

  for (level = strtok_r(value, ",", &save); level; level = strtok_r(NULL, ",", &save)) {
    struct gc_profile_level *l = &path->levels[path->count];
    const char *name = next_word(&level), *cycles = next_word(&level), *sigma = next_word(&level);
    uint64_t number;

    if (path->count == GC_PROFILE_LEVELS_MAX)
      return wrong(parser, "more than %d levels (%s)", GC_PROFILE_LEVELS_MAX, key->name);
    if (!cycles || next_word(&level))
      return wrong(parser, "a level is a cache or memory, its cycles, its jitter (%s)", key->name);
    l->cache = strcmp(name, "memory") ? find_cache(parser->profile, name) : GC_PROFILE_MEMORY;
    if (l->cache == -ENOENT)
      return wrong(parser, "no [cache %s] above this line (%s)", name, key->name);
    if (to_number(parser, key, cycles, &number) || in_range(parser, key, number) ||
        (sigma && to_fraction(parser, &jitter, sigma, &l->jitter)))
      return -EINVAL;
    l->cycles = (uint32_t)number;
    path->count++;
  }
  return 0;
}

#define FACT(field) offsetof(struct gc_profile, facts.field)
#define PROFILE(field) offsetof(struct gc_profile, field)
#define CACHE(field) offsetof(struct gc_profile_cache, field)
#define GIB(n) ((uint64_t)(n) << 30)

static const struct key chip_keys[] = {
  {"model", read_text, FACT(model), true, 0, sizeof(((struct gc_model_facts *)0)->model) - 1},
  {"compute", read_version, PROFILE(facts), true, 0, 99},
  {"sms", read_u32, FACT(sms), true, 1, 4096},
  {"warp", read_u32, FACT(warp), false, 1, 128},
  {"clock_khz", read_u32, FACT(clock_khz), true, 1000, 10000000},
  {"running_clock_khz", read_u32, FACT(running_clock_khz), false, 1000, 10000000},
  {"memory_clock_khz", read_u32, FACT(memory_clock_khz), false, 0, 100000000},
  {"memory_bus_bits", read_u32, FACT(memory_bus_bits), false, 0, 65536},
  {"threads_per_block", read_u32, FACT(threads_per_block), false, 1, 65536},
  {"threads_per_sm", read_u32, FACT(threads_per_sm), true, 1, 65536},
  {"blocks_per_sm", read_u32, FACT(blocks_per_sm), true, 1, 1024},
  {"registers_per_block", read_u32, FACT(registers_per_block), false, 1, 1 << 24},
  {"registers_per_sm", read_u32, FACT(registers_per_sm), false, 1, 1 << 24},
  {"memory", read_size, FACT(memory_bytes), true, 1 << 20, GIB(512)},
  {"shared_per_sm", read_size, FACT(shared_per_sm), true, 1024, 1 << 24},
  {"shared_per_block", read_size, FACT(shared_per_block), true, 1024, 1 << 24},
  {"shared_reserved", read_size, FACT(shared_reserved), false, 0, 65536},
  {"texture_texels", read_u64, FACT(texture_texels), false, 1, 1ull << 32},
  {"ecc", read_yes, FACT(ecc), false, 0, 0},
  {"clock_overhead", read_u32, PROFILE(clock_overhead), true, 0, 1000},
  {"outliers", read_outliers, PROFILE(disturbance), false, 0, 1 << 24},
  {"drift", read_drift, PROFILE(disturbance), false, 1, 1 << 30},
  {"seed", read_u64, PROFILE(seed), false, 0, UINT64_MAX},
  {NULL, NULL, 0, false, 0, 0},
};

static const struct key unified_keys[] = {
  {"total", read_size, PROFILE(unified_total), true, 1024, 1 << 24},
  {"carveouts", read_carveouts, 0, true, 0, 1 << 24},
  {NULL, NULL, 0, false, 0, 0},
};

static const struct key cache_keys[] = {
  {"scope", read_scope, 0, false, 2, 4096},
  {"instances", read_u32, CACHE(instances), false, 1, 16},
  {"size", read_cache_size, 0, true, 32, GIB(1)},
  {"lost", read_size, CACHE(lost), false, 0, GIB(1)},
  {"line", read_size32, CACHE(shape.line), true, 4, 65536},
  {"sector", read_size32, CACHE(shape.sector), false, 4, 65536},
  {"interleave", read_size32, CACHE(shape.interleave), false, 4, 1 << 24},
  {"ways", read_u32, CACHE(shape.ways), true, 1, GC_CACHE_WAYS_MAX},
  {"replacement", read_replacement, CACHE(shape), true, 1, 1 << 16},
  {"hash", read_hash, CACHE(shape.hash), false, 0, 0},
  {"partitions", read_u32, CACHE(partitions), false, 1, 16},
  {"replicate", read_yes, CACHE(replicate), false, 0, 0},
  {"partition_sms", read_u32, CACHE(partition_sms), false, 1, 4096},
  {"far_cycles", read_u32, CACHE(far_cycles), false, 0, 10000},
  {NULL, NULL, 0, false, 0, 0},
};

static const struct key space_keys[] = {
  {"path", read_path, 0, true, 1, 1000000},
  {NULL, NULL, 0, false, 0, 0},
};

static int end_section(struct parser *parser)
{
  for (const struct key *key = parser->keys; key->name; key++)
    if (key->required && !(parser->seen >> (key - parser->keys) & 1)) {
      parser->line = parser->section_line;
      return wrong(parser, "%s lacks '%s'", parser->section, key->name);
    }
  return 0;
}

static int begin_cache(struct parser *parser, const char *name)
{
  struct gc_profile *profile = parser->profile;
  struct gc_profile_cache *cache = &profile->caches[profile->cache_count];

  if (find_cache(profile, name) >= 0)
    return wrong(parser, "a second [cache %s]", name);
  if (!strcmp(name, "memory") || strlen(name) >= sizeof(cache->name))
    return wrong(parser, "a cache cannot be called '%s'", name);
  if (profile->cache_count == GC_PROFILE_CACHES_MAX)
    return wrong(parser, "more than %d caches", GC_PROFILE_CACHES_MAX);
  profile->cache_count++;
  strcpy(cache->name, name);
  cache->line_number = parser->line;
  cache->instances = cache->partitions = 1;
  parser->keys = cache_keys;
  parser->target = cache;
  return 0;
}

static int begin_space(struct parser *parser, const char *name)
{
  int space = 0;

  while (space < GC_SPACE_COUNT && strcmp(gc_profile_space_names[space], name))
    space++;
  if (space == GC_SPACE_COUNT)
    return wrong(parser, "no space is called '%s' (ca, cg, nc, texture, constant, shared)", name);
  if (parser->profile->paths[space].line_number)
    return wrong(parser, "a second [space %s]", name);
  parser->profile->paths[space].line_number = parser->line;
  parser->keys = space_keys;
  parser->target = &parser->profile->paths[space];
  return 0;
}

/* header: what stands between the brackets. */
static int begin_section(struct parser *parser, char *header)
{
  const char *kind, *name;

  if (end_section(parser))
    return -EINVAL;
  snprintf(parser->section, sizeof(parser->section), "[%s]", header);
  parser->section_line = parser->line;
  parser->seen = 0;
  kind = next_word(&header);
  name = next_word(&header);
  if (next_word(&header))
    return wrong(parser, "too many words in %s", parser->section);
  if (kind && name && !strcmp(kind, "cache"))
    return begin_cache(parser, name);
  if (kind && name && !strcmp(kind, "space"))
    return begin_space(parser, name);
  if (!kind || name || strcmp(kind, "unified"))
    return wrong(parser, "%s is none of [unified], [cache NAME], [space NAME]", parser->section);
  if (parser->profile->unified_line)
    return wrong(parser, "a second [unified]");
  parser->profile->unified_line = parser->line;
  parser->keys = unified_keys;
  parser->target = parser->profile;
  return 0;
}

static int read_key(struct parser *parser, const char *name, char *value)
{
  const struct key *key = parser->keys;

  while (key->name && strcmp(key->name, name))
    key++;
  if (!key->name)
    return wrong(parser, "unknown key '%s' in %s", name, parser->section);
  if (parser->seen >> (key - parser->keys) & 1)
    return wrong(parser, "a second '%s' in %s", name, parser->section);
  if (!*value)
    return wrong(parser, "'%s' has no value", name);
  parser->seen |= 1ull << (key - parser->keys);
  return key->read(parser, key, value, (char *)parser->target + key->offset);
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
      return wrong(parser, "'%.60s' is not a [section]", text);
    *end = '\0';
    return begin_section(parser, text + 1);
  }
  equals = strchr(text, '=');
  if (!equals)
    return wrong(parser, "'%.60s' is neither key = value nor [section]", text);
  *equals = '\0';
  return read_key(parser, trim(text), trim(equals + 1));
}

int gc_profile_parse(const char *name, const char *text, size_t length, struct gc_profile *profile,
                     struct gc_error *err)
{
  struct parser parser = {.name = name, .profile = profile, .err = err, .section = "the chip",
                          .section_line = 1, .keys = chip_keys, .target = profile};

  memset(profile, 0, sizeof(*profile));
  profile->seed = 1;
  for (const char *end = text + length; text < end;) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    const size_t n = (size_t)((newline ? newline : end) - text);
    char line[LINE_MAX_BYTES];

    parser.line++;
    if (n >= sizeof(line))
      return wrong(&parser, "line longer than %d bytes", LINE_MAX_BYTES - 1);
    if (memchr(text, '\0', n))
      return wrong(&parser, "a zero byte: this is not a text");
    memcpy(line, text, n);
    line[n] = '\0';
    if (read_line(&parser, line))
      return -EINVAL;
    text += n + (newline ? 1 : 0);
  }
  return end_section(&parser);
}
