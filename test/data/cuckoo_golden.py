#!/usr/bin/env python3
"""Prints cuckoo_golden.txt: sizes and stored cuckoo filters, made without the extension's code.

A second implementation of what src/cuckoo/*.hpp draw, slow and plain, on
python3-xxhash. A line is one of

    size capacity rate M f
    image capacity rate seed added removed image
    union capacity rate seed first second image

M and f are 0 where a filter would be larger than 1 GB. The values of an image are the
bigints 0 .. added - 1, each of which is added, those that are multiples of 5 twice;
then the first so many are removed, one copy each. An image of more than 2,000 bytes
is given by its own XXH3. A union is of two filters, with the bigints 0 .. first - 1 and
100 .. 100 + second - 1.
"""
import math
import struct
from fractions import Fraction

from xxhash import xxh3_64_intdigest

KIND_INTEGER = 2
SLOTS = 4
MOST_BYTES = 0x3FFFFFFF - 4 - 28  # 1 GB less length word and head


def size(capacity, rate):
    if capacity > 2**32:
        return 0, 0
    slots = max(capacity / 0.95, (capacity + 2 * math.sqrt(capacity) + 6) / 0.98)
    half = max(4, math.ceil(slots / (2 * SLOTS)))

    def exceeds(bits):
        """Whether n / (M (2^f - 1)) = x gives more than the rate, x / (1 + x / 2)."""
        x = Fraction(capacity, half * (2**bits - 1))
        return x / (1 + x / 2) > Fraction(rate)

    bits = next((bits for bits in range(4, 32) if not exceeds(bits)), 32)
    return (half, bits) if half * bits <= MOST_BYTES else (0, 0)


def hash_of(value, seed):
    return xxh3_64_intdigest(value.to_bytes(8, "little"), seed % 2**64)


class Filter:
    def __init__(self, capacity, rate, seed):
        self.capacity, self.rate, self.seed = capacity, rate, seed
        self.half, self.bits = size(capacity, rate)
        self.buckets = [[0] * SLOTS for _ in range(2 * self.half)]

    def places(self, value):
        """The fingerprint of a value, and its buckets, that in the first half first."""
        h = hash_of(value, self.seed)
        fingerprint = 1 + (h % 2**32 * (2**self.bits - 1) // 2**32)
        bucket = h * self.half // 2**64
        return fingerprint, [bucket, self.other(bucket, fingerprint)]

    def other(self, bucket, fingerprint):
        mixed = fingerprint * 0x9E3779B97F4A7C15 % 2**64
        mixed = (mixed ^ mixed // 2**32) * 0xD6E8FEB86659FD93 % 2**64
        share = mixed * self.half // 2**64
        if bucket < self.half:
            return self.half + (share - bucket) % self.half
        return (share - (bucket - self.half)) % self.half

    def add(self, value):
        self.put(*self.places(value))

    def put(self, fingerprint, two):
        # Breadth first: each way is the list of (bucket, slot) that are moved on, and
        # where the last of them goes. The first free slot that is found ends it.
        ways = [([], bucket) for bucket in two]
        seen = set(two)
        for way, bucket in ways[:2]:
            if 0 in self.buckets[bucket]:
                return self.move(way, bucket, fingerprint)
        at = 0
        while at < len(ways):
            way, bucket = ways[at]
            at += 1
            for slot in range(SLOTS):
                target = self.other(bucket, self.buckets[bucket][slot])
                if target in seen:
                    continue
                seen.add(target)
                further = (way + [(bucket, slot)], target)
                if 0 in self.buckets[target]:
                    return self.move(*further, fingerprint)
                ways.append(further)
        raise ValueError("full")

    def move(self, way, bucket, fingerprint):
        free = bucket, self.buckets[bucket].index(0)
        for place in reversed(way):
            self.buckets[free[0]][free[1]] = self.buckets[place[0]][place[1]]
            free = place
        self.buckets[free[0]][free[1]] = fingerprint

    def remove(self, value):
        fingerprint, two = self.places(value)
        for bucket in two:
            if fingerprint in self.buckets[bucket]:
                self.buckets[bucket][self.buckets[bucket].index(fingerprint)] = 0
                return
        raise ValueError("absent")

    def items(self):
        return sum(slot != 0 for bucket in self.buckets for slot in bucket)

    def merge(self, smaller):
        for at, bucket in enumerate(smaller.buckets):
            for fingerprint in filter(None, bucket):
                self.put(fingerprint, sorted((at, self.other(at, fingerprint))))

    def image(self):
        slots = [slot for bucket in self.buckets for slot in bucket]
        items = self.items()
        header = bytes([0x41, 0x10 | (8 if self.seed else 0), KIND_INTEGER if items else 0])
        if self.seed:
            header += (self.seed % 2**64).to_bytes(8, "little")
        header += struct.pack("<QdBQ", self.capacity, self.rate, self.bits, items)
        string = sum(slot << (at * self.bits) for at, slot in enumerate(slots))
        return header + string.to_bytes(self.half * self.bits, "little")


def image(capacity, rate, seed, added, removed):
    made = Filter(capacity, rate, seed)
    for value in range(added):
        made.add(value)
        if value % 5 == 0:
            made.add(value)
    for value in range(removed):
        made.remove(value)
    return made.image()


def union(capacity, rate, seed, first, second):
    a, b = Filter(capacity, rate, seed), Filter(capacity, rate, seed)
    for value in range(first):
        a.add(value)
    for value in range(100, 100 + second):
        b.add(value)
    if b.items() > a.items():
        a, b = b, a
    a.merge(b)
    return a.image()


def shown(stored):
    return stored.hex() if len(stored) <= 2000 else f"xxh3:{xxh3_64_intdigest(stored):016x}"


SIZES = [
    (capacity, rate)
    for capacity in (1, 2, 10, 17, 18, 45, 100, 1000, 4382, 4383, 4384, 10_000, 12_345, 1_000_000, 50_000_000)
    for rate in (0.9999999, 0.5, 0.41, 0.4, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001, 0.0001, 1e-6, 1e-8, 2e-9)
] + [
    (250_000_000, 2e-9),
    (260_000_000, 2e-9),
    (815_000_000, 0.01),
    (820_000_000, 0.01),
    (2_000_000_000, 0.5),
    (2_100_000_000, 0.5),
    (2**32, 0.9999999),
    (2**63 - 1, 0.9999999),
]

IMAGES = [
    *[(10, 0.01, seed, added, 0) for seed in (0, -1) for added in (0, 1, 2, 10)],
    (10, 0.01, 0, 8, 8),
    (1, 0.9, 0, 1, 1),
    (1, 2e-9, 7, 1, 0),
    (100, 0.01, 0, 80, 0),
    (100, 0.01, 0, 80, 40),
    (100, 0.001, -2**63, 80, 3),
    (100, 0.5, 0, 80, 0),
    (1000, 0.02, 0x0123456789ABCDEF, 800, 0),
    (1000, 1e-6, 0, 800, 100),
    (10_000, 0.01, 0, 8_300, 0),
    (10_000, 0.001, 1, 8_300, 500),
]

UNIONS = [
    (10, 0.01, 0, 3, 4),
    (100, 0.01, 0, 45, 50),
    (100, 0.01, -5, 50, 50),
    (100, 0.5, 0, 70, 30),
    (1000, 0.001, 0, 500, 470),
]

if __name__ == "__main__":
    for case in SIZES:
        print("size", *case, *size(*case))
    for case in IMAGES:
        print("image", *case, shown(image(*case)))
    for case in UNIONS:
        print("union", *case, shown(union(*case)))
