#!/usr/bin/python3
"""An independent reading of docs/FORMAT.md, "bloom". Each line of the input is a
filter that the server made of the integers 1..n: capacity, rate, seed, n, the image
in hex. Prints a line for COPY each: the same but the image, the image that these
documents give where the capacity is small, and what the server's image says about
1,000 values, n - 499 .. n + 500, as letters t and f.
"""
import math
import struct
import sys
from functools import cache

import xxhash

G = 0x9E3779B97F4A7C15


def hash_of(number, seed):
    return xxhash.xxh3_64_intdigest(struct.pack("<q", number), seed=seed % 2**64)


def block_bits(rate):
    return 512 if rate >= 0.001 else 4096


def positions(digest, k, bits):
    """The top log2(bits) bits of h g, h g^2, .. h g^k."""
    return [(digest * pow(G, i, 2**64) % 2**64) >> (64 - int(math.log2(bits))) for i in range(1, k + 1)]


# Reading


class Image:
    def __init__(self, image):
        sketch, flags, self.kind = image[:3]
        assert sketch == 0x21 and flags & 0xF6 == 0x10
        at = 11 if flags & 8 else 3
        self.seed = struct.unpack("<q", image[3:11])[0] if flags & 8 else 0
        self.capacity, self.rate, self.k = struct.unpack("<QdB", image[at:at + 17])
        self.bits = block_bits(self.rate)
        body = image[at + 17:]
        self.waiting = []
        if flags & 1:
            body, tail = body[:-132], body[-132:]
            count = struct.unpack("<I", tail[:4])[0]
            self.waiting = list(struct.unpack("<16Q", tail[4:])[:count])
        self.blocks, rest = divmod(len(body) * 8, self.bits)
        assert self.blocks and not rest
        self.body = bytearray(body)
        for digest in self.waiting:
            for byte, bit in self.places(digest):
                self.body[byte] |= 1 << bit

    def places(self, digest):
        first = (digest * self.blocks >> 64) * self.bits // 8
        return [(first + p // 8, p % 8) for p in positions(digest, self.k, self.bits)]

    def contains(self, number):
        return all(self.body[byte] >> bit & 1 for byte, bit in self.places(hash_of(number, self.seed)))


# Making


@cache
def chance(k, load, hashes, bits):
    """F(k, L), for t = `hashes` L."""
    t = hashes * load
    a = (1 - 1 / bits) ** t
    v = (bits * (bits - 1) * (1 - 2 / bits) ** t + bits * a - bits**2 * a**2) / bits**2
    return (1 - a) ** k + (k * (k - 1) / 2 * (1 - a) ** (k - 2) * v if k > 1 and load else 0)


def keeps_promise(n, rate, blocks, k, bits):
    mean = square = 0
    for load in range(n + 1):
        weight = math.comb(n, load) * (blocks - 1) ** (n - load) / blocks**n
        mean += weight * chance(k, load, k, bits)
        square += weight * chance(2 * k, load, k, bits)
    return mean <= rate and mean + 3 * math.sqrt(max(0, square - mean**2) / blocks) <= 1.05 * rate


def made(capacity, rate, seed, n):
    k, doubled = 1, rate
    while doubled < 0.35355339059327373 and k < 64:
        k, doubled = k + 1, 2 * doubled
    blocks = 1
    while not keeps_promise(capacity, rate, blocks, k, block_bits(rate)):
        blocks += 1
    head = bytes([0x21, 0x18 if seed else 0x10, 2 if n else 0]) + (struct.pack("<q", seed) if seed else b"")
    image = Image(head + struct.pack("<QdB", capacity, rate, k) + bytes(blocks * block_bits(rate) // 8))
    for number in range(1, n + 1):
        for byte, bit in image.places(hash_of(number, seed)):
            image.body[byte] |= 1 << bit
    return head + struct.pack("<QdB", capacity, rate, k) + image.body


def main():
    for line in sys.stdin:
        capacity, rate, seed, n, given = line.split()
        image = Image(bytes.fromhex(given[2:]))
        assert [str(image.capacity), image.rate, str(image.seed)] == [capacity, float(rate), seed]
        small = int(capacity) <= 300
        print(capacity, rate, seed, n,
              "\\\\x" + made(int(capacity), float(rate), int(seed), int(n)).hex() if small else "\\N",
              "".join("t" if image.contains(int(n) + i) else "f" for i in range(-499, 501)), sep="\t")


main()
