/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * tree json|csv FILE: imports an export into sys-sage and prints the tree on stderr (the import
 * prints on stdout), one line for each kind of component, with blanks in names replaced by '_':
 *
 *   tree KIND NAME SIZE LINE PARENT COUNT          SIZE, LINE: bytes, -1 where unknown, 0 if it has none
 *   path NAME LATENCY READ WRITE COUNT             data paths: cycles, bytes per second
 *   chip VENDOR MODEL
 *
 * Exit status: what the parser returned; 3 after an exception.
 */
#include "sys-sage.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>
#include <string>

using namespace sys_sage;

static std::map<std::string, unsigned> counts;

static std::string word(std::string text)
{
  std::replace(text.begin(), text.end(), ' ', '_');
  return text.empty() ? "-" : text;
}

static std::string name_of(Component *component)
{
  if (auto *cache = dynamic_cast<Cache *>(component))
    return word(cache->GetCacheName());
  return word(component->GetName());
}

static double number(DataPath *path, const char *key)
{
  auto found = path->attrib.find(key);
  return found == path->attrib.end() ? -1 : *static_cast<double *>(found->second);
}

static void count(Component *component, Component *parent)
{
  long long size = 0, line = 0;
  char text[500];

  if (auto *cache = dynamic_cast<Cache *>(component)) {
    size = cache->GetCacheSize();
    line = cache->GetCacheLineSize();
  } else if (auto *memory = dynamic_cast<Memory *>(component)) {
    size = memory->GetSize();
  }
  snprintf(text, sizeof text, "tree %s %s %lld %lld %s", component->GetComponentTypeStr().c_str(),
           name_of(component).c_str(), size, line, name_of(parent).c_str());
  counts[text]++;
  if (dynamic_cast<Cache *>(component) || dynamic_cast<Memory *>(component))
    for (DataPath *path : component->FindDataPaths(DataPathType::Any, DataPathDirection::Outgoing)) {
      snprintf(text, sizeof text, "path %s %g %.0f %.0f", name_of(component).c_str(),
               path->GetLatency(), std::round(number(path, "readBandwidth")),
               std::round(number(path, "writeBandwidth")));
      counts[text]++;
    }
  for (Component *child : component->GetChildren())
    count(child, component);
}

int main(int argc, char **argv)
{
  if (argc != 3)
    return 2;
  Node node(0);
  auto *gpu = new Chip(&node, 0, "GPU", ChipType::Gpu);
  int status;
  try {
    status = std::string(argv[1]) == "json" ? ParseMt4g(gpu, argv[2]) : ParseMt4g_v0_1(gpu, argv[2]);
  } catch (const std::exception &e) {
    fprintf(stderr, "exception: %s\n", e.what());
    return 3;
  }
  fprintf(stderr, "chip %s %s\n", word(gpu->GetVendor()).c_str(), word(gpu->GetModel()).c_str());
  for (Component *child : gpu->GetChildren())
    count(child, gpu);
  for (const auto &[text, n] : counts)
    fprintf(stderr, "%s %u\n", text.c_str(), n);
  return status;
}
