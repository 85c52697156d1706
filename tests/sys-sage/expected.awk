# SPDX-License-Identifier: BSD-3-Clause
# From a record (lines ELEMENT.KEY<TAB>VALUE of tests/values/record.awk) to the lines that tree.cc
# prints after sys-sage imported the export of it; what depends on this project's export is not used.
# -v format=json|csv -v cores=128 (cores of an SM).
BEGIN { FS = "\t" }
{ v[$1] = $2 }

function has(element) { return (element ".name") in v }
function usable(element) {
  return (element ".CapacityBytes") in v && (element ".FetchBytes") in v && (element ".LatencyCycles") in v
}
function val(key, otherwise) { return key in v ? v[key] : otherwise }
function shares(a, b) { return ("," val(a ".SharedWith", "") ",") ~ ("," b ",") }
function tree(kind, name, size, line, parent, count) { print "tree " kind " " name " " size " " line " " parent " " count }
function path(name, latency, read, write, count) {
  printf "path %s %g %.0f %.0f %d\n", name, latency, read, write, count
}
function word(text) { gsub(/ /, "_", text); return text }
function bytes(element) { return val(element ".NominalBytes", val(element ".CapacityBytes", -1)) }
function line(element) { return val(element ".LineBytes", -1) }
function size(element) { return val(element ".CapacityBytes", -1) }
function per_sm(element) { return sms * val(element ".PerSM", 1) }
# Data paths of caches inside an SM: one for each core, or for each core and each instance in its SM.
function sm_path(name, element, each,   latency) {
  latency = val(element ".LatencyCycles", -1)
  if (latency != -1)
    path(name, latency, -1, -1, all * (each ? val(element ".PerSM", 1) : 1))
}
# A cache or memory of the whole GPU: without both bandwidths the export has no latency.
function gpu_path(name, element, count) {
  if ((element ".ReadGBps") in v && (element ".WriteGBps") in v && (element ".LatencyCycles") in v)
    path(name, v[element ".LatencyCycles"], v[element ".ReadGBps"] * 1e9, v[element ".WriteGBps"] * 1e9, all * count)
}

function json(   l2, parent, l1, texture, groups) {
  tree("Memory", "GPU_Main_Memory", bytes("DeviceMemory"), 0, "GPU", 1)
  gpu_path("GPU_Main_Memory", "DeviceMemory", 1)
  parent = "GPU_Main_Memory"
  if (has("L3Cache")) {
    tree("Cache", "L3", bytes("L3Cache"), line("L3Cache"), parent, val("L3Cache.Instances", 1))
    path("L3", -1, v["L3Cache.ReadGBps"] * 1e9, v["L3Cache.WriteGBps"] * 1e9, all * val("L3Cache.Instances", 1))
    parent = "L3"
  }
  l2 = val("L2Cache.Instances", 1)
  tree("Cache", "L2", bytes("L2Cache"), line("L2Cache"), parent, l2)
  gpu_path("L2", "L2Cache", l2)
  parent = "L2"
  if (usable("ScalarL1Cache") && "ScalarL1Cache.CUGroups" in v) {
    tree("Cache", "Scalar_L1", size("ScalarL1Cache"), line("ScalarL1Cache"), parent, split(v["ScalarL1Cache.CUGroups"], groups, " "))
    sm_path("Scalar_L1", "ScalarL1Cache", 0)
    parent = "Scalar_L1"
  }
  tree("Subdivision", "Multiprocessor", 0, 0, parent, sms)
  if (usable("ConstantL1Cache") && size("ConstantL15Cache") != -1 && "ConstantL15Cache.FetchBytes" in v) {
    tree("Cache", "Constant_L1.5", size("ConstantL15Cache"), line("ConstantL15Cache"), "Multiprocessor", sms)
    sm_path("Constant_L1.5", "ConstantL15Cache", 0)
    # sys-sage 9a71fb5 exchanges size and line of this cache
    tree("Cache", "Constant_L1", line("ConstantL1Cache"), size("ConstantL1Cache"), "Constant_L1.5", per_sm("ConstantL1Cache"))
    sm_path("Constant_L1", "ConstantL1Cache", 1)
  } else {
    tree("Cache", "Constant", nvidia ? 65536 : 2147483647, -1, "Multiprocessor", sms)
    path("Constant", -1, -1, -1, all)
  }
  tree("Memory", "Shared_Memory", size(shared), 0, "Multiprocessor", sms)
  sm_path("Shared_Memory", shared, 0)
  l1 = "L1" (shares("L1Cache", "ConstantL1Cache") ? "+Constant_L1" : "") \
    (shares("L1Cache", "ReadOnlyCache") ? "+Read_Only" : "") (shares("L1Cache", "TextureCache") ? "+Texture" : "")
  tree("Cache", l1, size("L1Cache"), line("L1Cache"), "Multiprocessor", per_sm("L1Cache"))
  sm_path(l1, "L1Cache", 1)
  tree("HW_Thread", "GPU_Core", 0, 0, l1, all)
  if (usable("TextureCache") && !shares("L1Cache", "TextureCache")) {
    texture = "Texture" (shares("TextureCache", "ConstantL1Cache") ? "+Constant_L1" : "") \
      (shares("TextureCache", "L1Cache") ? "+L1" : "") (shares("TextureCache", "ReadOnlyCache") ? "+Read_Only" : "")
    tree("Cache", texture, size("TextureCache"), line("TextureCache"), "Multiprocessor", per_sm("TextureCache"))
    sm_path(texture, "TextureCache", 1)
  }
  if (usable("ReadOnlyCache") && !shares("L1Cache", "ReadOnlyCache") &&
      !(usable("TextureCache") && !shares("L1Cache", "TextureCache") && shares("TextureCache", "ReadOnlyCache"))) {
    tree("Cache", "Read_Only", size("ReadOnlyCache"), line("ReadOnlyCache"), "Multiprocessor", per_sm("ReadOnlyCache"))
    sm_path("Read_Only", "ReadOnlyCache", 1)
  }
}

function csv(   l1, texture) {
  tree("Memory", "GPU_Global_memory", bytes("DeviceMemory"), 0, "GPU", 1)
  csv_path("GPU_Global_memory", "DeviceMemory")
  tree("Cache", "L2", bytes("L2Cache"), line("L2Cache"), "GPU_Global_memory", 1)
  csv_path("L2", "L2Cache")
  tree("Subdivision", "SM_(Streaming_Multiprocessor)", 0, 0, "L2", sms)
  sm = "SM_(Streaming_Multiprocessor)"
  if (size("L1Cache") != -1) {
    l1 = "L1" (shares("L1Cache", "TextureCache") ? "+Texture" : "") (shares("L1Cache", "ReadOnlyCache") ? "+ReadOnly" : "")
    tree("Cache", l1, size("L1Cache"), line("L1Cache"), sm, per_sm("L1Cache"))
    csv_path(l1, "L1Cache")
    tree("HW_Thread", "GPU_Core", 0, 0, l1, all)
  } else {
    tree("HW_Thread", "GPU_Core", 0, 0, sm, all)
  }
  if (size(shared) != -1) {
    tree("Memory", "Shared_memory", size(shared), 0, sm, sms)
    csv_path("Shared_memory", shared)
  }
  if (size("TextureCache") != -1 && !shares("TextureCache", "L1Cache")) {
    texture = "Texture" (shares("TextureCache", "ReadOnlyCache") ? "+ReadOnly" : "")
    tree("Cache", texture, size("TextureCache"), line("TextureCache"), sm, per_sm("TextureCache"))
    csv_path(texture, "TextureCache")
  }
  if (size("ReadOnlyCache") != -1 && !shares("ReadOnlyCache", "L1Cache") && !shares("ReadOnlyCache", "TextureCache")) {
    tree("Cache", "ReadOnly", size("ReadOnlyCache"), line("ReadOnlyCache"), sm, per_sm("ReadOnlyCache"))
    csv_path("ReadOnly", "ReadOnlyCache")
  }
  if (size("ConstantL15Cache") != -1) {
    tree("Cache", "Constant_L1.5", size("ConstantL15Cache"), line("ConstantL15Cache"), sm, sms)
    csv_path("Constant_L1.5", "ConstantL15Cache")
  }
  if (size("ConstantL1Cache") != -1) {
    tree("Cache", "Constant_L1", size("ConstantL1Cache"), line("ConstantL1Cache"),
         size("ConstantL15Cache") != -1 ? "Constant_L1.5" : sm, per_sm("ConstantL1Cache"))
    csv_path("Constant_L1", "ConstantL1Cache")
  }
}
# Each core has a path to one of the instances in its SM.
function csv_path(name, element) {
  if ((element ".LatencyCycles") in v)
    path(name, v[element ".LatencyCycles"], -1, -1, all)
}

END {
  nvidia = "DeviceMemory.GPUCacheComputeCapability" in v
  sms = v["DeviceMemory.GPUCacheSMs"]
  all = sms * cores
  shared = has("SharedMemory") ? "SharedMemory" : "LDS"
  print "chip " (nvidia ? (format == "csv" ? "Nvidia" : "NVIDIA") : "AMD") " " word(v["DeviceMemory.GPUCacheModel"])
  if (format == "csv") csv(); else json()
}
