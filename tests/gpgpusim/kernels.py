# SPDX-License-Identifier: BSD-3-Clause
"""The kernels alone on an L1 of full size: does an array as large as L1 hit, and one that is a sector larger miss? And
the latencies of L1 and L2.

Usage: kernels.py gpgpusim.config KERNELS   (see check.sh)"""
import ctypes
import struct
import sys

from compare import KIB, L1_STAGES, L2_STAGES, Cache, Table, l1_bytes, read_config

NEVER, ANY = (1 << 64) - 1, (1 << 32) - 1
LOADS, REPEATS = 128, 5


class Gpu:
    """The functions of libcuda.so.1 that this needs."""

    def __init__(self, kernels):
        self.cuda, self.module = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
        self.call("cuInit", 0)
        self.call("cuModuleLoadData", ctypes.byref(self.module), open(f"{kernels}/cuda.image", "rb").read())

    def call(self, name, *arguments):
        error = getattr(self.cuda, name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def upload(self, address, data):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def download(self, address, form):
        data = ctypes.create_string_buffer(struct.calcsize(form))
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(len(data)))
        return struct.unpack(form, data.raw)

    def launch(self, name, threads, form, *values):
        """One block; the arguments are a struct of kernels/args.h."""
        function, arguments = ctypes.c_void_p(), ctypes.create_string_buffer(struct.pack(form, *values))
        self.call("cuModuleGetFunction", ctypes.byref(function), self.module, name.encode())
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(arguments))
        self.call("cuLaunchKernel", function, 1, 1, 1, threads, 1, 1, 0, None, pointers, None)


def make_ring(gpu, memory, slots, stride):
    gpu.upload(memory, b"".join(struct.pack("<Q", memory + (i + 1) % slots * stride).ljust(stride, b"\0")
                                for i in range(slots)))


def chase(gpu, memory, size, stride):
    """The time of each load of the third pass."""
    slots = size // stride
    make_ring(gpu, memory, slots, stride)
    job, result, trace = gpu.allocate(24), gpu.allocate(1024), gpu.allocate(4 * slots)
    gpu.upload(job, struct.pack("<2Q2I", memory, NEVER, 2 * slots, slots))
    gpu.launch("gpu_chase_ca", 32, "<4Q8I", job, result, trace, 0, slots, 0, 2, ANY, 0, 0, 0, 0)
    return gpu.download(trace, f"<{slots}I")


def latency(gpu, kernel, memory, stride):
    """Cycles of a load: 2n loads less n loads."""
    make_ring(gpu, memory, 32, stride)
    result, sink = gpu.allocate(8 * REPEATS), gpu.allocate(8)
    gpu.launch(kernel, 1, "<4Q6I", memory, result, sink, 0, 64, LOADS, REPEATS, 0, 0, 0)
    cycles = gpu.download(result, f"<{2 * REPEATS}I")
    return sorted((b - a) / LOADS for a, b in zip(cycles[::2], cycles[1::2]))[REPEATS // 2]


def main(config_path, kernels):
    config, table, gpu = read_config(config_path), Table(), Gpu(kernels)
    cache, capacity = Cache(config["gpgpu_cache:dl1"]), l1_bytes(config, 0)
    ways = capacity // cache.sets // cache.line
    memory = gpu.allocate(2 * capacity)
    fitting, larger = (chase(gpu, memory, size, cache.sector) for size in (capacity, capacity + cache.sector))
    slow = sum(t > max(fitting) for t in larger)
    # LRU: one line too many makes all lines of its set miss, and each sector is a miss of its own
    expected = ways * cache.line // cache.sector + 1
    latencies = [("L1", "gpu_latency_ca", "gpgpu_l1_latency", L1_STAGES[0]),
                 ("L2", "gpu_latency_cg", "gpgpu_l2_rop_latency", L2_STAGES[0])]
    print(f"  {'':34} {'configured':>18} {'measured':>12}")
    table.row(f"misses, {capacity // KIB} KiB", 0, sum(t > min(fitting) for t in fitting), min(fitting) == max(fitting))
    table.row(f"misses, {capacity // KIB} KiB and a sector", expected, slow, slow == expected)
    for name, kernel, option, stages in latencies:
        configured, measured = int(config[option]), latency(gpu, kernel, memory, cache.sector)
        table.row(f"{name} latency", f"{configured} + {stages}", measured, abs(measured - configured - stages) <= 0.5)
    return table.wrong > 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
