# SPDX-License-Identifier: BSD-3-Clause
"""Every kernel of a code object in an emulator: does it compute what args.h says?

Usage: run.py TINYGRAD PROCESSOR IMAGE [KERNEL...]   (see emulator.sh)"""
import ctypes
import fractions
import random
import struct
import sys

from code_object import CodeObject
from machine import Machine
from ring import Memory, ring, walk

NEVER, ANY_SM, BINS, ROWS = (1 << 64) - 1, (1 << 32) - 1, 128, 8
PATHS = {"ca": 0, "scalar": 4}
COLD, HOT, CONTROL, OTHER, AGAIN = range(5)


def equal(what, got, expected):
    if got != expected:
        raise AssertionError(f"{what}: {got}, expected {expected}")


def near(what, got, expected):
    """For nanoseconds, which the kernel rounds."""
    if abs(got - expected) > 1:
        raise AssertionError(f"{what}: {got}, expected {expected}")


def pairs(readings):
    """The times of loads, from the clock readings before and after each."""
    return [b - a for a, b in zip(readings[::2], readings[1::2])]


class Checks:
    def __init__(self, machine):
        self.machine, self.wave = machine, machine.wave

    def launch(self, name, form, values, blocks, threads, shared=0):
        self.machine.launch(name, struct.pack("<" + form, *values), blocks, threads, shared)

    def loaded(self, wave_id, *kinds):
        """The addresses that a wave loaded from, in order; for vector loads those of its first lane."""
        return [a.address for a in self.machine.accesses[wave_id]
                if any(a.name.startswith(k) for k in kinds) and not a.lane]

    def fill(self):
        for slot, multiplier, stride in ((8, 1, 64), (8, 7, 128), (4, 5, 4)):
            count, first, step = 100, 0x123400000000 if slot == 8 else 512, stride
            memory = Memory(count * stride)
            self.launch("fill", "6Q2I", (memory.address, count, stride, multiplier, first, step, slot, 0), 2,
                        self.wave)
            for i in range(count):
                got = memory.get("Q" if slot == 8 else "I", i * multiplier % count * stride)[0]
                equal(f"slot {i}", got, first + (i + 1) * multiplier % count * step)

    def touch(self):
        memory, sink, threads = Memory(1 << 16), Memory(8, 0x55), 2 * self.wave
        for only in (ANY_SM, self.machine.sm(1)):
            stride, size, passes = 64, 9 * threads * 64 // 2, 2
            self.launch("touch", "4Q2I", (memory.address, size, stride, sink.address, passes, only), 3, threads)
            seen = [sorted(a.address - memory.address for (block, _), many in self.machine.accesses.items()
                           for a in many if a.name.startswith("GLOBAL_LOAD") and block in blocks)
                    for blocks in ((0, 2), (1,), (0, 1, 2))]
            all_of_it = sorted(list(range(0, size, stride)) * passes)
            equal("touched", seen[2], all_of_it)
            if only != ANY_SM:
                equal("touched elsewhere", seen[0], [])
            equal("sink", sink.get("Q")[0], 0x5555555555555555)

    def chase(self, path):
        blocks, loads, low, shift, threshold = 3, 2 * 64 + 21, 40, 2, 300
        base, shared = 0, 0
        if path == "shared":
            count, stride = 40, 12
            follows = {i * stride: (i + 1) % count * stride for i in range(count)}
            shared, slots = count * stride, sorted(follows)
        else:
            count, stride = 0, 0
            memory, follows = ring(60, 64)
            base, slots = memory.address, sorted(follows)
        jobs, results, trace = Memory(24 * blocks), Memory(552 * blocks), Memory(4 * 200 * blocks, 0x55)
        work = [(slots[0], NEVER, 70, loads), (slots[0], walk(follows, slots[0], NEVER, 9)[1], 5, loads + 1),
                (slots[0], NEVER, 0, 0)]
        for block, job in enumerate(work):
            jobs.put("2Q2I", 24 * block, *job)
        self.launch("chase_" + path, "4Q8I", (jobs.address, results.address, trace.address, 0, 200, low, shift,
                                              threshold, count, stride, 0, 0), blocks, self.wave, shared)
        for block, (start, end, warm, n) in enumerate(work):
            times = pairs(self.machine.readings[block, 0])
            visited, last = walk(follows, start, end, warm + n)
            loaded = [a for a in self.loaded((block, 0), *{"shared": ["DS_READ", "DS_LOAD"],
                                                           "scalar": ["S_LOAD"]}.get(path, ["GLOBAL_LOAD"]))
                      if a in follows]
            equal("loaded", loaded, visited)
            cycles, ended, *bins = results.get("2Q134I", 552 * block)
            fastest, slowest, slow, first_slow, done, sm = bins[BINS:]
            expected = [0] * BINS
            for t in times:
                expected[min(max(t - low, 0) >> shift, BINS - 1)] += 1
            late = [i for i, t in enumerate(times) if t >= threshold]
            equal("times", len(times), n)
            equal("last", ended, last)
            equal("cycles", cycles, sum(times))
            equal("histogram", bins[:BINS], expected)
            equal("loads", (done, sum(bins[:BINS])), (n, n))
            equal("fastest, slowest", (fastest, slowest), (min(times, default=ANY_SM), max(times, default=0)))
            equal("slow", (slow, first_slow), (len(late), late[0] if late else ANY_SM))
            equal("sm", sm, self.machine.sm(block))
            equal("trace", list(trace.get("200I", 800 * block)), times + [0x55555555] * (200 - n))

    def side_by_side(self, path):
        """Untimed loads of all lanes at once, from start to end and again from start."""
        slots, warm, loads = 3 * self.wave // 2, 5 * self.wave, 20
        memory, follows = Memory(slots * 64), {}
        for i in range(slots):
            follows[memory.address + i * 64] = memory.address + (i + 1) % slots * 64
            memory.put("Q", i * 64, memory.address + (i + 1) % slots * 64)
        job, result = Memory(24), Memory(552)
        job.put("2Q2I", 0, memory.address, memory.address + slots * 64, warm, loads)
        self.launch("chase_" + path, "4Q8I", (job.address, result.address, 0, 0, 0, 0, 2, ANY_SM, 0, 0, 64, 0), 1,
                    self.wave)
        got = [a.address for a in self.machine.accesses[0, 0]
               if a.name.startswith("GLOBAL_LOAD") and a.address in follows]
        each = -(-warm // (4 * self.wave)) * 4 * self.wave
        equal("loaded", sorted(got[:each]), sorted(memory.address + i % slots * 64 for i in range(each)))
        equal("chain", got[each::self.wave], walk(follows, memory.address, NEVER, loads)[0])
        equal("last", result.get("Q", 8)[0], walk(follows, memory.address, NEVER, loads)[1])

    def rounds(self):
        """Jobs of CUs, not of blocks: many loads at once, one after another, and timed ones."""
        blocks, rounds, low, shift, threshold, slots = 3, 3, 20, 1, 300, 40
        numbers = [self.machine.sm(block) for block in range(blocks)]
        cus = sorted(numbers)[-1]  # the last one does not participate
        memory = Memory(slots * 64)
        jobs, result, words = Memory(48 * rounds * (cus + 1)), Memory(552), Memory(4 + 4 * cus)
        start, end, back = memory.address, memory.address + slots * 64, slots * 64
        for number in set(numbers):
            for i, (at, step, loads, how) in enumerate(((start, 64, 2 * slots, 0), (start + 128, 192, 50, 1),
                                                        (start + 64, 192, 30, 2))):
                jobs.put("4Q4I", 48 * (number * rounds + i), at, end, step, back, loads, how, 0, 0)
        self.launch("rounds", "5Q8I", (jobs.address, result.address, 0, words.address, words.address + 4, cus, rounds, 0, 0,
                                       low, shift, threshold, 0), blocks, self.wave)
        times = [t for block in range(blocks) if numbers[block] < cus
                 for t in pairs(self.machine.readings[block, 0])]
        expected = [0] * BINS
        for t in times:
            expected[min(max(t - low, 0) >> shift, BINS - 1)] += 1
        equal("loads", (len(times), result.get("I", 544)[0]), (2 * 30, 2 * 30))
        equal("histogram", list(result.get(f"{BINS}I", 16)), expected)
        equal("cycles, slow", (result.get("Q")[0], result.get("I", 536)[0]),
              (sum(times), sum(t >= threshold for t in times)))
        equal("rounds", list(words.get(f"{cus}I", 4)), [rounds * (i in numbers) for i in range(cus)])

    def sharing_groups(self):
        """Emulated CUs share no caches. So the check computes what is in which cache and sets the clock accordingly."""
        blocks, most, copies, bits, stride, hit, miss, threshold = 7, 4, 3, 3, 64, 50, 500, 200
        marks = most + (most - 1) * bits
        lines, results, ticket = Memory(marks * copies * stride), Memory(20 * blocks), Memory(4)
        steps, caches, m = self.machine.steps, {}, self.machine

        def step():
            # the second clock read of a timed load: what did it load?
            wave_id = m.reader
            if len(m.readings[wave_id]) % 2 == 0:
                return 30
            line = m.accesses[wave_id][-1].address
            there = line in caches.setdefault(wave_id[0] // 3, set())
            caches[wave_id[0] // 3].add(line)
            return hit if there else miss

        m.steps = step
        self.launch("sharing_groups", "3Q4I", (lines.address, results.address, ticket.address, stride, threshold, bits, 100),
                    blocks, self.wave)
        m.steps = steps
        equal("ticket", ticket.get("I")[0], blocks)
        for block in range(blocks):
            equal(f"sm, in_order, rank, leader, doubts of block {block}", results.get("5I", 20 * block),
                  (m.sm(block), 1, block % 3, block // 3 * 3, 0))

    def latency(self, path):
        shared, count, stride = 0, 0, 0
        if path == "shared":
            count, stride = 40, 8
            shared = count * stride
            follows, start = {i * stride: (i + 1) % count * stride for i in range(count)}, 0
        else:
            memory, follows = ring(50, 64)
            start = memory.address
        results, sink, warm, n, repeats = Memory(16), Memory(8), 64, 128, 2
        steps, self.machine.steps = self.machine.steps, lambda: 900000  # a short counter overflows
        self.launch("latency_" + path, "4Q6I", (start, results.address, sink.address, 0, warm, n, repeats, count,
                                                stride, 0), 1, 1, shared)
        self.machine.steps = steps
        readings, per_n = self.machine.readings[0, 0], 0
        if self.machine.generation == "gfx11":  # it also reads its short counter after each 64 loads
            readings, per_n = readings[warm // 64:], n // 64
        for r in range(repeats):
            at = r * (3 * per_n + 3)
            t0, t1, t2 = (readings[at + i] for i in (0, per_n + 1, 3 * per_n + 2))
            equal("cycles", results.get("2I", 8 * r), (t1 - t0, t2 - t1))
        equal("end", sink.get("Q")[0], walk(follows, start, NEVER, warm + repeats * 3 * n)[1])

    def clock(self):
        result = Memory(24)
        self.launch("clock", "2Q", (result.address, 5000), 2, self.wave)
        walls = [int(t * self.tick) for t in self.machine.walls[0, 0]]
        cycles, ns, longest = result.get("3Q")
        readings = self.machine.readings[0, 0]
        equal("cycles", cycles, readings[-1] - readings[0])
        near("nanoseconds", ns, walls[-1] - walls[0])
        near("longest", longest, max(b - a for a, b in zip(walls, walls[1:])))
        if ns < 5000 or len(walls) < 3:
            raise AssertionError(f"it waited {ns} ns and read the clock {len(walls)} times")

    def bandwidth(self, what, path):
        m, blocks, warps, count, repeats = self.machine, 2, 2, 3, 2
        row = 16 if path == "scalar" else 16 * self.wave
        chunk = ROWS * row
        size, step = 5 * chunk, 2 * chunk
        first, block_first, warp_first = chunk, (0 if path == "shared" else chunk), 3 * chunk
        memory, results, sink = Memory(size, 0x33), Memory(48 * blocks * repeats), Memory(8, 0x55)
        base = 0 if path == "shared" else memory.address
        self.launch(f"{what}_{path}", "9Q2I", (base, size, first, block_first, warp_first, step, results.address,
                                               sink.address, 7, count, repeats), blocks, warps * self.wave,
                    size if path == "shared" else 0)
        for block in range(blocks):
            for warp in range(warps):
                begin = first + block * block_first + warp * warp_first
                expected = [base + (begin + k * step + b) % size for k in range(count)
                            for b in range(0, chunk, 4)] * repeats
                if what == "read":
                    names = {"shared": ("DS_READ", "DS_LOAD"), "scalar": ("S_LOAD",)}.get(path, ("GLOBAL_LOAD",))
                else:
                    names = {"shared": ("DS_WRITE", "DS_STORE")}.get(path, ("GLOBAL_STORE",))
                inside = [a for a in m.accesses[block, warp] if a.name.startswith(names)
                          and base <= a.address < base + size and a.bytes > (4 if path == "scalar" else 0)]
                got = sorted(w for a in inside for w in range(a.address, a.address + a.bytes, 4))
                equal("words moved", got, sorted(expected))
            for r in range(repeats):
                start, end, start_ns, end_ns, moved, sm, _ = results.get("5Q2I", 48 * (r * blocks + block))
                readings, walls = m.readings[block, 0], m.walls[block, 0]
                per = len(readings) // repeats
                t0, t1 = readings[r * per], readings[r * per + per - 1]
                if m.generation == "gfx11":
                    equal("start", start, t0 & 0xFFFFF)
                    equal("cycles", end - start, t1 - t0)
                else:
                    equal("start, end", (start, end), (t0, t1))
                near("start_ns", start_ns, int(walls[2 * r] * self.tick))
                near("end_ns", end_ns, int(walls[2 * r + 1] * self.tick))
                equal("bytes", moved, count * chunk * warps)
                equal("sm", sm, m.sm(block))
        if what == "write" and path == "cg":
            self.written(memory, size)
        equal("sink", sink.get("Q")[0], 0x5555555555555555)

    def written(self, memory, size):
        """Three of the five parts are written, each 16 bytes: the number of the iteration, 0, 0, 0."""
        words = [memory.get("4I", at) for at in range(0, size, 16)]
        for word in words:
            if word != (0x33333333,) * 4 and (word[0] >= 3 or word[1:] != (0, 0, 0)):
                raise AssertionError(f"written: {word}")

    def pair(self):
        blocks = 2
        a, follow_a = ring(30, 64, seed=2)
        b, follow_b = ring(30, 64, seed=3)
        jobs, results = Memory(64 * blocks), Memory(72 * blocks)
        walks = [((a.address, NEVER, PATHS["ca"], 0, 33, 0), (b.address, NEVER, PATHS["scalar"], 1, 20, 0)),
                 ((a.address, NEVER, PATHS["scalar"], 1, 70, 0), (b.address, NEVER, PATHS["ca"], 0, 10, 0))]
        for block, two in enumerate(walks):
            jobs.put("2Q4I2Q4I", 64 * block, *two[0], *two[1])
        self.launch("pair", "3Q", (jobs.address, results.address, 0), blocks, 2 * self.wave)
        for block, (first, second) in enumerate(walks):
            times_a = pairs(self.machine.readings[block, first[3]])
            times_b = pairs(self.machine.readings[block, second[3]])
            n = first[4]
            phases = [times_a[i * n:(i + 1) * n] for i in range(3)] + [times_b, times_a[3 * n:]]
            got = results.get("5Q8I", 72 * block)
            equal("cycles", list(got[:5]), [sum(p) for p in phases])
            hot, cold = min(phases[HOT]), sum(phases[COLD]) // n
            limit = hot + min(hot // 2, (cold - hot) // 2 if cold > hot else 0)
            slow = [0, 0] + [sum(t >= limit for t in p) for p in phases[CONTROL:]]
            slow[OTHER] = 0  # another warp, which has no threshold
            equal("slow, hot, threshold, sm", list(got[5:]), slow + [hot, limit, self.machine.sm(block)])
            for walk_, follows, times in ((first, follow_a, 4), (second, follow_b, 1)):
                names = ["S_LOAD_DWORDX2", "S_LOAD_B64"] if walk_[2] else ["GLOBAL_LOAD"]
                loaded = [x for x in self.loaded((block, walk_[3]), *names) if x in follows]
                equal("loaded", loaded, walk(follows, walk_[0], NEVER, walk_[4])[0] * times)

    def first_touch(self):
        blocks, warps, n, m = 3, 2, 40, 10
        near_ring, follows = ring(20, 64)
        far, _ = ring(20, 64, seed=4)
        results, traces, ticket = Memory(8 * blocks), Memory(4 * blocks * warps * 2 * n), Memory(4)
        for path in PATHS.values():
            ticket.put("I", 0, 0)
            self.launch("first_touch", "2Q4I2Q4I4Q2I",
                        (near_ring.address, NEVER, path, 0, n, 0, far.address, NEVER, path, 0, m, 0,
                         results.address, traces.address, ticket.address, 0, warps, 100), blocks, warps * self.wave)
            equal("ticket", ticket.get("I")[0], blocks)
            for block in range(blocks):
                equal("sm, in_order", results.get("2I", 8 * block), (self.machine.sm(block), 1))
                for warp in range(warps):
                    times = pairs(self.machine.readings[block, warp])
                    at = 4 * 2 * n * (block * warps + warp)
                    equal("first and again", list(traces.get(f"{2 * n}I", at)), times[:n] + times[n + m:])

    def census(self, path):
        blocks, step, passes, each, rounds, before, limit, grain, grains = 2, 64, 2, 4, 3, 1, 80, 2, 75
        slots, every = grain * grains, before + rounds + 1
        parts = blocks * every
        scale = (slots << 24) // (every * each * blocks)
        region, results, m = Memory(slots * step), Memory(16 * blocks), self.machine
        probed, steps = {}, m.steps

        def step_and_record():
            if len(m.readings[m.reader]) % 2:
                probed.setdefault(m.reader[0], []).append(m.accesses[m.reader][-1].address)
            return steps()

        m.steps = step_and_record
        self.launch("census_" + path, "5Q10I", (region.address, step, results.address, 0, scale, slots, limit, passes,
                                                each, rounds, before, every, grain, grains, 0), blocks, self.wave)
        m.steps = steps
        for block in range(blocks):
            expected = []
            for r in range(rounds):
                start = (census_hash(passes + r) * grains >> 32) * grain
                for k in range(each):
                    rotated = block * every + before + r + (census_hash(k) * parts >> 32)
                    part = k * parts + rotated % parts
                    rank = (part << 8 | census_hash(part) >> 24) * scale >> 32
                    expected += [region.address + (start + rank) % slots * step] * 2
            equal("probed", probed[block], expected)
            bits = 0
            for t in pairs(m.readings[block, 0]):
                bits = bits << 1 | (t <= limit)
            low, high = results.get("2Q", 16 * block)
            equal("seen", high << 64 | low, bits)
            kind = "S_LOAD_" if path == "scalar" else "GLOBAL_LOAD"
            seen = [a.address for a in m.accesses[block, 0] if a.name.startswith(kind) and
                    region.address <= a.address < region.address + slots * step]
            equal("read", sorted(set(seen)), [region.address + i * step for i in range(slots)])
            if len(seen) < slots * (passes + rounds - 1):
                raise AssertionError(f"{len(seen)} loads in {passes + rounds - 1} passes")


def census_hash(x):
    x = (x ^ x >> 16) * 0x7FEB352D & 0xFFFFFFFF
    x = (x ^ x >> 15) * 0x846CA68B & 0xFFFFFFFF
    return x ^ x >> 16


def main():
    tinygrad, processor, image = sys.argv[1:4]
    code_object = CodeObject(image)
    checks = Checks(Machine(tinygrad, processor, code_object))
    # 27 MHz: 37 ns and a fraction
    tick = (ctypes.c_uint32 * 2).from_address(code_object.address("gpu_tick"))
    equal("gpu_tick", list(tick), [10, 0])
    tick[0], tick[1] = 37, (1 << 32) * 1 // 27
    checks.tick = 37 + fractions.Fraction(tick[1], 1 << 32)

    what = [("fill", checks.fill, ()), ("touch", checks.touch, ()), ("clock", checks.clock, ())]
    for path in ("ca", "cg", "shared", "scalar"):
        what.append(("chase_" + path, checks.chase, (path,)))
        what.append(("latency_" + path, checks.latency, (path,)))
        what.append(("read_" + path, checks.bandwidth, ("read", path)))
    for path in ("cg", "shared"):
        what.append(("write_" + path, checks.bandwidth, ("write", path)))
    for path in ("ca", "cg"):
        what.append(("chase_" + path, checks.side_by_side, (path,)))
    for path in PATHS:
        what.append(("census_" + path, checks.census, (path,)))
    what += [("pair", checks.pair, ()), ("first_touch", checks.first_touch, ()), ("rounds", checks.rounds, ()),
             ("sharing_groups", checks.sharing_groups, ())]
    equal("kernels checked", sorted({"gpu_" + name for name, _, _ in what}), sorted(code_object.kernels))
    failures = 0
    for name, check, arguments in what:
        if sys.argv[4:] and name not in sys.argv[4:]:
            continue
        try:
            check(*arguments)
            print(f"{processor}: {name}: {check.__name__} is correct", flush=True)
        except Exception as why:  # in any case check the other kernels, too
            failures += 1
            print(f"{processor}: {name}: {type(why).__name__}: {str(why)[:600]}", flush=True)
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
