/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The files of a node with GPUs of NVIDIA, in the form of tree_add_files. NODE_MIG: the first is in
 * MIG mode, and one of its two instances has nodes in /dev.
 */
#ifndef TESTS_FUZZ_NODE_H
#define TESTS_FUZZ_NODE_H

#define NODE_UUID "GPU-11111111-0000-0000-0000-000000000017"
#define NODE_CAPABILITY(path, number)                                                              \
  "=/proc/driver/nvidia/capabilities/gpu0/mig/" path "/access\nDeviceFileMinor: " number "\n"
#define NODE_GPU(bus, uuid, minor)                                                                 \
  "=/proc/driver/nvidia/gpus/0000:" bus ":00.0/information\n"                                      \
  "Model: \t\t NVIDIA H100\nGPU UUID: \t " uuid "\nVideo BIOS: \t 96.00.a5.00.1a\n"               \
  "Device Minor: \t " minor "\nGPU Excluded:\t No\n=/dev/nvidia" minor "\n"
/* What the plugin remembers needs these. */
#define NODE_PCI(bus)                                                                              \
  "=/sys/bus/pci/devices/0000:" bus ":00.0/class\n0x030200\n"                                     \
  "=/sys/bus/pci/devices/0000:" bus ":00.0/device\n0x2330\n"                                      \
  "=/sys/bus/pci/devices/0000:" bus ":00.0/vendor\n0x10de\n"                                      \
  "=/sys/bus/pci/drivers/nvidia/0000:" bus ":00.0/uevent\n"

#define NODE_DRIVER                                                                                \
  "=/proc/driver/nvidia/version\n"                                                                 \
  "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n"           \
  "=/sys/module/nvidia/version\n580.159.04\n"
#define NODE_MIG                                                                                   \
  NODE_CAPABILITY("gi1", "10") NODE_CAPABILITY("gi1/ci0", "11")                                    \
  NODE_CAPABILITY("gi2", "20") NODE_CAPABILITY("gi2/ci0", "21")                                    \
  "=/dev/nvidia-caps/nvidia-cap10\n=/dev/nvidia-caps/nvidia-cap11\n"                               \
  "=/dev/nvidiactl\n=/dev/nvidia-uvm\n"

#endif
