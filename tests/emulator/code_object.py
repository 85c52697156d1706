# SPDX-License-Identifier: BSD-3-Clause
"""An AMD code object in memory: its segments as a loader would place them, its kernels, its metadata.

Formats: ELF, and "Code Object" in LLVM's "User Guide for AMDGPU Backend" (kernel descriptor, metadata of
version 5, which is MessagePack)."""
import ctypes
import mmap
import struct

PT_LOAD, SHT_DYNSYM, SHT_NOTE, NT_AMDGPU_METADATA = 1, 11, 7, 32


def unpack(data, at=0):
    """The MessagePack value at this place, and the next place."""
    tag = data[at]
    at += 1
    if tag < 0x80:
        return tag, at
    if tag < 0x90:
        return unpack_map(data, at, tag & 15)
    if tag < 0xA0:
        return unpack_array(data, at, tag & 15)
    if tag < 0xC0:
        return unpack_string(data, at, tag & 31)
    if tag == 0xC0:
        return None, at
    if tag in (0xC2, 0xC3):
        return tag == 0xC3, at
    formats = {0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q", 0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q"}
    if tag in formats:
        size = struct.calcsize(formats[tag])
        return struct.unpack_from(formats[tag], data, at)[0], at + size
    lengths = {0xD9: (">B", unpack_string), 0xDA: (">H", unpack_string), 0xDB: (">I", unpack_string),
               0xDC: (">H", unpack_array), 0xDD: (">I", unpack_array),
               0xDE: (">H", unpack_map), 0xDF: (">I", unpack_map)}
    form, what = lengths[tag]
    return what(data, at + struct.calcsize(form), struct.unpack_from(form, data, at)[0])


def unpack_string(data, at, length):
    return data[at:at + length].decode(), at + length


def unpack_array(data, at, length):
    values = []
    for _ in range(length):
        value, at = unpack(data, at)
        values.append(value)
    return values, at


def unpack_map(data, at, length):
    values = {}
    for _ in range(length):
        key, at = unpack(data, at)
        values[key], at = unpack(data, at)
    return values, at


class Kernel:
    def __init__(self, address, metadata):
        descriptor = ctypes.string_at(address, 64)
        self.code = address + struct.unpack_from("<q", descriptor, 16)[0]
        self.rsrc2, self.properties = struct.unpack_from("<IH", descriptor, 52)
        self.kernarg_bytes = metadata[".kernarg_segment_size"]
        self.arguments = metadata[".args"]
        self.wave = metadata[".wavefront_size"]


class CodeObject:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.file = file.read()
        self.load()
        sections = list(self.sections())
        self.symbols = {}
        for kind, offset, size, link in sections:
            if kind == SHT_DYNSYM:
                self.read_symbols(offset, size, sections[link][1])
        metadata = next(self.metadata(offset, size) for kind, offset, size, _ in sections if kind == SHT_NOTE)
        self.kernels = {k[".name"]: Kernel(self.address(k[".symbol"]), k) for k in metadata["amdhsa.kernels"]}

    def load(self):
        """All segments in one piece of memory, with their offsets."""
        offset, size, count = struct.unpack_from("<Q", self.file, 32) + struct.unpack_from("<HH", self.file, 54)
        segments = [struct.unpack_from("<IIQQQQQQ", self.file, offset + i * size) for i in range(count)]
        segments = [s for s in segments if s[0] == PT_LOAD]
        self.memory = mmap.mmap(-1, max(s[3] + s[6] for s in segments) + 4096)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        for _, _, begin, where, _, in_file, _, _ in segments:
            self.memory[where:where + in_file] = self.file[begin:begin + in_file]

    def sections(self):
        offset = struct.unpack_from("<Q", self.file, 40)[0]
        size, count = struct.unpack_from("<HH", self.file, 58)
        for i in range(count):
            _, kind, _, _, begin, length, link = struct.unpack_from("<IIQQQQI", self.file, offset + i * size)
            yield kind, begin, length, link

    def read_symbols(self, offset, size, strings):
        for at in range(offset, offset + size, 24):
            name, _, _, _, value, _ = struct.unpack_from("<IBBHQQ", self.file, at)
            end = self.file.index(b"\0", strings + name)
            self.symbols[self.file[strings + name:end].decode()] = value

    def metadata(self, offset, size):
        name, length, kind = struct.unpack_from("<III", self.file, offset)
        assert kind == NT_AMDGPU_METADATA
        return unpack(self.file, offset + 12 + (name + 3 & ~3))[0]

    def address(self, symbol):
        return self.base + self.symbols[symbol]
