# SPDX-License-Identifier: BSD-3-Clause
"""Runs kernels of a code object in the emulator of a tinygrad checkout (test/mockgpu/amd), which is not part of this
project. This module adds what that emulator lacks: clocks, hardware registers that state where a wave is, and a
record of the loads and stores of every wave."""
import collections
import ctypes
import random
import struct
import sys
import types

SGPR_EXEC = 126
HW_ID, HW_ID1, XCC_ID, SHADER_CYCLES, SHADER_CYCLES_HI = 4, 23, 20, 29, 30
ISA = {"gfx9": "cdna", "gfx11": "rdna3", "gfx12": "rdna4"}

# One access of one lane; for a scalar load, lane is None.
Access = collections.namedtuple("Access", "name lane address bytes")


def generation(processor):
    digits = processor[3:].split("-")[0]
    return "gfx9" if digits.startswith("9") else "gfx" + digits[:2]


def place(block, name):
    """The simulated place of a block: the hardware register, and the result of gpu_sm (amdgcn.h)."""
    if name == "gfx9":
        engine, array, cu = block // 32 % 8, block // 16 % 2, block % 16
        return engine << 13 | array << 12 | cu << 8 | 0xFF, engine << 5 | array << 4 | cu
    engine, array, wgp, cu = block // 64 % 4, block // 32 % 2, block // 2 % 16, block % 2
    return (engine << 18 | array << 16 | wgp << 10 | cu << 8 | 0x1F,
            engine << 6 | array << 5 | wgp << 1 | cu)


class Machine:
    def __init__(self, tinygrad, processor, code_object):
        sys.path.insert(0, tinygrad)
        from test.mockgpu.amd import emu
        from tinygrad.renderer.amd import decode_inst

        self.emu, self.decode = emu, decode_inst
        self.generation, self.object = generation(processor), code_object
        self.isa = ISA[self.generation]
        self.xccs = processor in ("gfx942", "gfx950", "gfx9-4-generic")
        self.wave = 64 if self.generation == "gfx9" else 32
        self.original = emu._decode_at, emu._init_wave
        emu._decode_at, emu._init_wave = self.decode_at, self.init_wave
        # the short counters of gfx11 and gfx12 soon overflow
        self.random, self.cycles, self.ticks = random.Random(42), (1 << 32) - 3000, 1 << 40
        self.steps = lambda: self.random.choice((30, 40, 50, 60, 70, 300, 900, 5000))

    def launch(self, name, arguments, blocks, threads, shared=0):
        """Runs gpu_<name>. Afterwards readings, walls and accesses have its clock reads and memory accesses."""
        kernel = self.object.kernels["gpu_" + name]
        explicit = kernel.arguments[0]
        assert explicit[".value_kind"] == "by_value" and explicit[".offset"] == 0
        assert explicit[".size"] == len(arguments), (name, explicit[".size"], len(arguments))
        assert kernel.wave == self.wave
        memory = ctypes.create_string_buffer(arguments.ljust(kernel.kernarg_bytes, b"\0"), kernel.kernarg_bytes)
        self.fill_hidden(memory, kernel, blocks, threads)
        # the dispatch packet: header, setup, sizes of a block and of the grid in threads
        packet = ctypes.create_string_buffer(struct.pack("<6H3I", 0, 1, threads, 1, 1, 0, blocks * threads, 1, 1), 64)
        self.waves = {}
        self.readings, self.walls, self.accesses = (collections.defaultdict(list) for _ in range(3))
        rsrc2 = kernel.rsrc2 & ~(0x1FF << 15) | (shared + 511) // 512 << 15
        self.emu.run_asm(kernel.code, 0, blocks, 1, 1, threads, 1, 1, 0, rsrc2, 0, self.isa,
                         self.user_sgprs(kernel, ctypes.addressof(memory), ctypes.addressof(packet)))

    def fill_hidden(self, memory, kernel, blocks, threads):
        values = {"hidden_block_count_x": blocks, "hidden_block_count_y": 1, "hidden_block_count_z": 1,
                  "hidden_group_size_x": threads, "hidden_group_size_y": 1, "hidden_group_size_z": 1,
                  "hidden_grid_dims": 1}
        for argument in kernel.arguments[1:]:
            value = values.get(argument[".value_kind"], 0)
            at, size = argument[".offset"], argument[".size"]
            memory[at:at + size] = value.to_bytes(size, "little")

    @staticmethod
    def user_sgprs(kernel, arguments, packet):
        """The registers in the order of the kernel descriptor."""
        values, known = [], {1: packet, 3: arguments}
        for bit, count in enumerate((4, 2, 2, 2, 2, 2, 1)):
            if kernel.properties >> bit & 1:
                values += struct.unpack("<II", struct.pack("<Q", known[bit])) if bit in known else [0xDEAD] * count
        return values

    # Functions that the emulator calls

    def init_wave(self, lib, wave_start, total, lx, ly, lz, args, rsrc2, scratch, arch, gx, gy, gz, data, size=32):
        wave = self.original[1](lib, wave_start, total, lx, ly, lz, args, rsrc2, scratch, arch, gx, gy, gz,
                                data, size)
        self.waves[wave.sgpr_buf._buf.va_addr] = gx, wave_start // size
        return wave

    def decode_at(self, pc, arch):
        word = ctypes.string_at(pc, 8)
        instruction = self.decode(ctypes.string_at(pc, 16), arch)
        name, size = self.name(instruction), instruction.size()
        own = self.own_instruction(name, int.from_bytes(word, "little"), size)
        if own:
            return (types.SimpleNamespace(arg=types.SimpleNamespace(globals=list(range(6)))),
                    types.SimpleNamespace(fxn=own)), instruction
        (program, runtime), instruction = self.original[0](pc, arch)
        if name.split("_")[0] in ("GLOBAL", "DS") or name.startswith("S_LOAD"):
            runtime = types.SimpleNamespace(fxn=self.watched(instruction, name, runtime.fxn, program.arg.globals))
            program = types.SimpleNamespace(arg=types.SimpleNamespace(globals=list(range(6))))
        return (program, runtime), instruction

    # Additions to the emulator

    def own_instruction(self, name, word, size):
        """A function that executes it, for instructions that read clocks, places or the program counter; else None."""
        scalar, simm = word >> 16 & 0x7F, word & 0xFFFF
        if name in ("S_MEMTIME", "S_MEMREALTIME"):
            read = self.read_clock if name == "S_MEMTIME" else self.read_wall
            return self.writer(word >> 6 & 0x7F, 2, size, read)
        if name == "S_SENDMSG_RTN_B64":
            assert word & 0xFF == 0x83, "not MSG_RTN_GET_REALTIME"
            return self.writer(scalar, 2, size, self.read_wall)
        if name == "S_GETREG_B32":
            register, low, bits = simm & 63, simm >> 6 & 31, (simm >> 11) + 1
            return self.writer(scalar, 1, size,
                               lambda wave_id: self.read_register(register, wave_id) >> low & (1 << bits) - 1)
        if name == "S_GETPC_B64":
            return self.writer(scalar, 2, size, None)
        return None

    @staticmethod
    def name(instruction):
        return instruction.op.name if hasattr(instruction, "op") else ""  # two operations in one

    def writer(self, register, count, size, read):
        def run(sgprs, *_):
            words = (ctypes.c_uint32 * 260).from_address(sgprs.value)
            pc = words[256] + (words[257] << 32) + size
            value = read(self.waves[sgprs.value]) if read else pc
            for i in range(count):
                words[register + i] = value >> 32 * i & 0xFFFFFFFF
            words[256], words[257] = pc & 0xFFFFFFFF, pc >> 32
        return run

    def read_clock(self, wave_id):
        self.reader = wave_id
        self.cycles += self.steps()
        self.readings[wave_id].append(self.cycles)
        return self.cycles

    def read_wall(self, wave_id):
        self.ticks += 7
        self.walls[wave_id].append(self.ticks)
        return self.ticks

    def read_register(self, register, wave_id):
        if register == (HW_ID if self.generation == "gfx9" else HW_ID1):
            return place(wave_id[0], self.generation)[0]
        if register == XCC_ID and self.xccs:
            return 0x30 | wave_id[0] % 8
        if register == SHADER_CYCLES:
            return self.read_clock(wave_id)
        if register == SHADER_CYCLES_HI and self.generation == "gfx12":
            return self.cycles >> 32
        raise RuntimeError(f"read of hardware register {register}")

    def sm(self, block):
        return place(block, self.generation)[1] | (block % 8 << 8 if self.xccs else 0)

    def watched(self, instruction, name, run, buffers):
        def record(*pointers):
            sgprs = (ctypes.c_uint32 * 260).from_address(pointers[0].value)
            vgprs = (ctypes.c_uint32 * (256 * self.wave)).from_address(pointers[1].value)
            self.accesses[self.waves[pointers[0].value]] += self.accesses_of(instruction, name, sgprs, vgprs)
            run(*[pointers[i] for i in buffers])
        return record

    def accesses_of(self, i, name, sgprs, vgprs):
        """The memory accesses of this instruction."""
        last = name.split("_")[-1]
        size = {"B128": 16, "DWORDX4": 16, "B64": 8, "DWORDX2": 8, "DWORDX8": 32, "B256": 32, "DWORDX16": 64,
                "B512": 64}.get(last, 4)
        offset = i.ioffset if hasattr(i, "ioffset") else getattr(i, "offset", 0)
        if name.startswith("S_LOAD"):
            base = i.sbase.offset
            return [Access(name, None, sgprs[base] + (sgprs[base + 1] << 32) + int(offset), size)]
        lanes = [lane for lane in range(self.wave) if sgprs[SGPR_EXEC + lane // 32] >> lane % 32 & 1]
        vector = (i.vaddr if hasattr(i, "vaddr") else i.addr).offset - 256
        if name.startswith("DS"):
            offset = int(i.offset0) + (int(i.offset1) << 8)
            return [Access(name, n, vgprs[vector * self.wave + n] + offset, size) for n in lanes]
        bits = 24 if hasattr(i, "ioffset") else 13
        offset = (int(offset) ^ 1 << bits - 1) - (1 << bits - 1)
        base = i.saddr.offset
        if base in (124, 127):  # none
            where = [vgprs[vector * self.wave + n] + (vgprs[(vector + 1) * self.wave + n] << 32) for n in lanes]
        else:
            where = [sgprs[base] + (sgprs[base + 1] << 32) + vgprs[vector * self.wave + n] for n in lanes]
        return [Access(name, n, at + offset, size) for n, at in zip(lanes, where)]
