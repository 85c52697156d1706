#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""policies.py MASK,MASK... LINES <SEQUENCES: which replacement policy explains the loads that
sequences.cu has seen? MASKS are the SetIndexMasks of L1, LINES what it has data for.

For sequences of one set, prints for each policy the share of the loads whose outcome it predicts,
and of the misses that were seen or predicted those that are both. For loops, prints the misses of
the random part, as measured and as predicted, in percent.
"""
import re
import sys

WAYS = 4


class Lru:
    def __init__(self, ways):
        self.ways, self.lines = ways, []

    def use(self, line):
        self.lines.remove(line)
        self.lines.append(line)

    def access(self, line):
        if line in self.lines:
            self.use(line)
            return True
        if len(self) == self.ways:
            self.evict()
        self.lines.append(line)
        return False

    def evict(self):
        self.lines.pop(0)

    def __len__(self):
        return len(self.lines)


class Fifo(Lru):
    def use(self, line):
        pass


class Plru:
    """A tree over the ways."""

    def __init__(self, ways):
        self.ways, self.lines, self.bits = ways, [], [0] * ways

    def touch(self, way):
        node, half = 1, self.ways // 2
        while half:
            right = bool(way & half)
            self.bits[node] = not right
            node, half = 2 * node + right, half // 2

    def access(self, line):
        hit = line in self.lines
        if hit:
            way = self.lines.index(line)
        elif len(self.lines) < self.ways:
            way = len(self.lines)
            self.lines.append(line)
        else:
            node = 1
            while node < self.ways:
                node = 2 * node + self.bits[node]
            way = node - self.ways
            self.lines[way] = line
        self.touch(way)
        return hit


class Slru:
    """Lines that hit are protected, up to half of the ways. The oldest protected line becomes the
    newest of the others."""

    def __init__(self, ways):
        self.ways, self.others, self.protected = ways, [], []

    def access(self, line):
        if line in self.protected:
            self.protected.remove(line)
            self.protected.append(line)
            return True
        if line in self.others:
            self.others.remove(line)
            self.protected.append(line)
            if len(self.protected) > self.ways // 2:
                self.others.append(self.protected.pop(0))
            return True
        if len(self) == self.ways:
            self.evict()
        self.others.append(line)
        return False

    def evict(self):
        (self.others or self.protected).pop(0)

    def __len__(self):
        return len(self.others) + len(self.protected)


def set_of(line, masks):
    return sum((bin(line * 128 & mask).count('1') & 1) << i for i, mask in enumerate(masks))


class Cache:
    """Sets with data for fewer lines than ways: the sets lose a line in turn."""

    def __init__(self, policy, masks, lines):
        self.sets = [policy(WAYS) for _ in range(1 << len(masks))]
        self.masks, self.left, self.turn = masks, lines, 0

    def access(self, line):
        chosen = self.sets[set_of(line, self.masks)]
        before = len(chosen)
        hit = chosen.access(line)
        self.left -= len(chosen) - before
        while self.left < 0:
            # 309: odd, and far from the next set
            self.turn = (self.turn + 309) % len(self.sets)
            victim = self.sets[self.turn]
            if len(victim) > (victim is chosen):
                victim.evict()
                self.left += 1
        return hit


def main():
    masks = [int(mask, 16) for mask in sys.argv[1].split(',')]
    lines_of_data = int(sys.argv[2])
    of_sets, loops = [], {}
    for text in sys.stdin:
        kind, lines, reuse, loads = text.rstrip('\n').split('\t')
        loads = [(int(line), hit == '+') for line, hit in re.findall(r'(\d+)([+-])', loads)]
        if kind == 'set':
            of_sets.append(loads)
        else:
            loops.setdefault((int(lines), reuse), []).append(loads)
    print('one set\tright\tmisses both seen and predicted')
    for policy in (Lru, Fifo, Plru, Slru):
        right = count = both = either = 0
        for loads in of_sets:
            chosen = policy(WAYS)
            for line, hit in loads:
                predicted = chosen.access(line)
                right += predicted == hit
                count += 1
                both += not predicted and not hit
                either += not predicted or not hit
        print('%s\t%.3f\t%.3f' % (policy.__name__.lower(), right / count, both / either))
    print('lines of a loop\treuse\tmeasured\tlru\tslru')
    for (lines, reuse), sequences in sorted(loops.items()):
        misses, count = [0, 0, 0], 0
        for loads in sequences:
            caches = [Cache(policy, masks, lines_of_data) for policy in (Lru, Slru)]
            for i, (line, hit) in enumerate(loads):
                outcomes = [hit] + [cache.access(line) for cache in caches]
                if i >= lines:
                    misses = [n + (not outcome) for n, outcome in zip(misses, outcomes)]
                    count += 1
        print('%d\t%s\t%s' % (lines, reuse, '\t'.join('%.1f' % (100 * n / count) for n in misses)))


if __name__ == '__main__':
    main()
