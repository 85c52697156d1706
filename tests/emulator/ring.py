# SPDX-License-Identifier: BSD-3-Clause
"""Memory that emulated code and this program share, rings in it, and walks through rings."""
import ctypes
import mmap
import random
import struct

class Memory:
    """Memory that emulated code and this program share."""

    def __init__(self, size, filler=0):
        self.map = mmap.mmap(-1, size)
        if filler:
            self.map[:] = bytes([filler]) * size
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.map))

    def get(self, form, at=0):
        return struct.unpack_from("<" + form, self.map, at)

    def put(self, form, at, *values):
        struct.pack_into("<" + form, self.map, at, *values)


def ring(count, stride, seed=1):
    """A ring through `count` slots in random order, and the successor of each slot."""
    memory = Memory(count * stride)
    order = list(range(1, count))
    random.Random(seed).shuffle(order)
    order = [0] + order
    follows = {}
    for here, there in zip(order, order[1:] + [0]):
        follows[memory.address + here * stride] = memory.address + there * stride
        memory.put("Q", here * stride, memory.address + there * stride)
    return memory, follows


def walk(follows, start, end, loads):
    """The slots that a chase loads, and its position afterwards."""
    slots, at = [], start
    for _ in range(loads):
        slots.append(at)
        at = follows[at]
        at = start if at == end else at
    return slots, at
