#!/usr/bin/env python3
"""Prints xxh3.txt: XXH3-64 as python3-xxhash, an independent binding, has it.

Each line is: length seed hash. Byte i of the image is (i * i * 31 + i * 7 + 3)
mod 256. XXH3 takes other paths above 0, 3, 8, 16, 128 and 240 bytes, and works
in stripes of 64 and blocks of 1,024.
"""
from xxhash import xxh3_64_intdigest

SEEDS = (1, -1, 2**63 - 1, -2**63, 0x0123456789ABCDEF)
LENGTHS = [*range(0, 301), 511, 512, 513, 1023, 1024, 1025, 2048, 2049, 5000]

image = bytes((i * i * 31 + i * 7 + 3) % 256 for i in range(max(LENGTHS)))
for at, length in enumerate(LENGTHS):
    for seed in (0, SEEDS[at % len(SEEDS)]):
        print(length, seed, "%016x" % xxh3_64_intdigest(image[:length], seed % 2**64))
