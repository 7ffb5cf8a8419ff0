#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""Writes binary_autoencoder_v1.parmac from the description of the layout, with nothing of parmac.

A model of D = 3 features and L = 2 bits, all numbers of which are small fractions:
  scale 0.5, centre (1, 2, 3); bit l has the weights l + 0.25 (d + 1) and the bias -(l + 1);
  output d has the weights 10 d + l + 0.5 and the bias -0.125 (d + 1).
"""
import struct
import sys
import zlib

D, L = 3, 2
numbers = [1.0, 2.0, 3.0]
for l in range(L):
    numbers += [l + 0.25 * (d + 1) for d in range(D)] + [-(l + 1.0)]
for d in range(D):
    numbers += [10.0 * d + l + 0.5 for l in range(L)] + [-0.125 * (d + 1)]
body = b"PARMACBA" + struct.pack("<IIQQfI", 1, 4, D, L, 0.5, 0)
body += struct.pack(f"<{len(numbers)}f", *numbers)
with open(sys.argv[1], "wb") as out:
    out.write(body + struct.pack("<I", zlib.crc32(body)))
