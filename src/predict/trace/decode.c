/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/decode.h"

const struct gc_decoder *gc_decoder_for(const uint8_t *bytes, size_t size)
{
  static const struct gc_decoder *const decoders[] = {&gc_decoder_gzip, &gc_decoder_xz,
                                                      &gc_decoder_zstd};

  for (size_t i = 0; i < sizeof(decoders) / sizeof(*decoders); i++)
    if (decoders[i]->matches(bytes, size))
      return decoders[i];
  return NULL;
}
