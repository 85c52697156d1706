/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * GPGPU-Sim lacks some instructions and special registers, or stops at them. Each is replaced by
 * others with the same result. No measured load is changed. The time of a timed load stays the
 * same, too: the reads of the clock are still one instruction.
 *
 *   %clock64            %clock: 32 bits are enough, because a simulation ends after fewer cycles
 *   %globaltimer        the clock, converted into nanoseconds at the clock rate of the
 * configuration %smid               from the generic address of shared memory, which differs
 * between SMs %lanemask_eq        1 << %laneid red                 atom, whose result is not used
 *   mov.b64 {low, high} a shift (low is not used)
 *   64-bit constants    a shift: the parser reads 32 bits
 *   tex                 0: textures have names there, not objects; the driver refuses to make
 * objects
 */
#include "rewrite.h"

#include <regex>
#include <sstream>
#include <vector>

namespace
{

struct rule {
  std::regex from;
  std::string to;
};

std::vector<rule> make_rules(const gpu_facts &facts)
{
  const std::string khz = std::to_string(facts.clock_khz);
  const std::string start = std::to_string(facts.shared_start >> 16);
  const std::string stride = std::to_string(facts.shared_stride);

  return {
      {std::regex("%clock64"), "%clock"},
      {std::regex("mov\\.u64\\s+(\\S+), %globaltimer;"),
       "mov.u64 $1, %clock; mul.lo.u64 $1, $1, 1000000; div.u64 $1, $1, " + khz + ";"},
      {std::regex("mov\\.u32\\s+(\\S+), %smid;"),
       "{ .reg .u64 at, start; mov.u64 at, 0; cvta.shared.u64 at, at; mov.u64 start, " + start +
           "; shl.b64 start, start, 16; sub.u64 at, at, start; div.u64 at, at, " + stride +
           "; cvt.u32.u64 $1, at; }"},
      {std::regex("mov\\.u32\\s+(\\S+), %lanemask_eq;"),
       "{ .reg .u32 lane, one; mov.u32 lane, %laneid; mov.u32 one, 1; shl.b32 $1, one, lane; }"},
      {std::regex("red\\.global\\.add\\.u32 (\\[[^\\]]*\\]), (\\S+);"),
       "{ .reg .u32 old; atom.global.add.u32 old, $1, $2; }"},
      {std::regex("\\{ \\.reg \\.b32 tmp; mov\\.b64 \\{tmp, (\\S+)\\}, (\\S+); \\}"),
       "{ .reg .u64 high; shr.u64 high, $2, 32; cvt.u32.u64 $1, high; }"},
      {std::regex("and\\.b64\\s+(\\S+), (\\S+), -4294967296;"),
       "shr.u64 $1, $2, 32; shl.b64 $1, $1, 32;"},
      {std::regex("and\\.b64\\s+(\\S+), (\\S+), 4294967295;"),
       "shl.b64 $1, $2, 32; shr.u64 $1, $1, 32;"},
      {std::regex("min\\.u64\\s+(\\S+), (\\S+), 4294967295;"),
       "{ .reg .u64 most; mov.u64 most, 1; shl.b64 most, most, 32; sub.u64 most, most, 1; "
       "min.u64 $1, $2, most; }"},
      {std::regex("tex\\.1d\\.v4\\.u32\\.s32 \\{(\\S+), (\\S+), (\\S+), (\\S+)\\}, \\[.*\\];"),
       "mov.u32 $1, 0; mov.u32 $2, 0; mov.u32 $3, 0; mov.u32 $4, 0;"},
  };
}

} // namespace

std::string rewrite_ptx(const std::string &ptx, const gpu_facts &facts)
{
  const std::vector<rule> rules = make_rules(facts);
  std::istringstream lines(ptx);
  std::string line, out;

  while (std::getline(lines, line)) {
    line.resize(std::min(line.size(), line.find("//")));
    if (line.find(".pragma") != std::string::npos)
      continue;
    for (const rule &r : rules)
      line = std::regex_replace(line, r.from, r.to);
    out += line + "\n";
  }
  return out;
}
