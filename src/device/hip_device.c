/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes and properties of an open AMD GPU.
 */
#include "device/hip_device.h"

#include "device/common.h"
#include "record/cores.h"

#include <errno.h>
#include <string.h>

/* Not hipDeviceAttributeMaxBlocksPerMultiProcessor, which is the quotient of two others. */
static const struct gc_attribute attributes[] = {
    {hipDeviceAttributeMultiprocessorCount, GC_PROPERTY(sms)},
    {hipDeviceAttributePhysicalMultiProcessorCount, GC_PROPERTY(sms)},
    {hipDeviceAttributeWarpSize, GC_PROPERTY(warp)},
    {hipDeviceAttributeClockRate, GC_PROPERTY(clock_khz)},
    {hipDeviceAttributeMemoryClockRate, GC_PROPERTY(memory_clock_khz)},
    {hipDeviceAttributeMemoryBusWidth, GC_PROPERTY(memory_bus_bits)},
    {hipDeviceAttributeMaxThreadsPerBlock, GC_PROPERTY(threads_per_block)},
    {hipDeviceAttributeMaxThreadsPerMultiProcessor, GC_PROPERTY(threads_per_sm)},
    {hipDeviceAttributeMaxRegistersPerBlock, GC_PROPERTY(registers_per_block)},
    {hipDeviceAttributeMaxRegistersPerMultiprocessor, GC_PROPERTY(registers_per_sm)},
    {hipDeviceAttributeL2CacheSize, GC_PROPERTY(l2_bytes)},
    {hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, GC_PROPERTY(shared_per_sm)},
    {hipDeviceAttributeMaxSharedMemoryPerBlock, GC_PROPERTY(shared_per_block)},
    {hipDeviceAttributeEccEnabled, GC_PROPERTY(ecc)},
    {hipDeviceAttributeIntegrated, GC_PROPERTY(integrated)},
    {hipDeviceAttributeHostNativeAtomicSupported, GC_PROPERTY(host_atomics)},
};

int gc_hip_attribute(const struct gc_hip_device *hip, hipDeviceAttribute_t attribute, int *value,
                     struct gc_error *err)
{
  const hipError_t result = hip->driver.hipDeviceGetAttribute(value, attribute, hip->device);

  if (result == hipErrorInvalidValue || result == hipErrorNotSupported) {
    *value = 0;
    return 0;
  }
  return gc_hip_status(&hip->driver, result, err, "ask for attribute %u of %s", attribute,
                       hip->name);
}

int gc_hip_properties(const struct gc_hip_device *hip, struct gc_properties *out,
                      struct gc_error *err)
{
  size_t total = 0;
  int status;

  memset(out, 0, sizeof(*out));
  for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++) {
    int value = 0;

    status = gc_hip_attribute(hip, (hipDeviceAttribute_t)attributes[i].attribute, &value, err);
    if (status)
      return status;
    gc_put_attribute(out, &attributes[i], value);
  }
  status = HIP_CALL(hip, err, hipDeviceGetName(out->model, sizeof(out->model), hip->device),
                    "ask for the name of %s", hip->name);
  if (!status)
    status = HIP_CALL(hip, err, hipDeviceTotalMem(&total, hip->device), "ask for the memory of %s",
                      hip->name);
  if (!*out->model)
    memcpy(out->model, hip->model, sizeof(out->model));
  if (hip->cus)
    out->sms = hip->cus;
  if (hip->threads_per_cu)
    out->threads_per_sm = hip->threads_per_cu;
  out->memory_bytes = total;
  out->cores_per_sm = GC_CORES_PER_CU;
  out->global_l1 = out->local_l1 = out->local_l1_from_table = true;
  out->has_scalar = out->has_lds = out->l2_per_xcd = out->ramps_late = true;
  return status;
}
