#!/usr/bin/env python3
"""Prints counting_bloom_golden.txt: stored counting filters, made without the extension's code.

A second implementation of what src/counting_bloom/*.hpp draw, slow and plain; sizes, blocks
and hashes are those of bloom_golden.py. A line is

    form capacity rate seed what count image

The values are the bigints 0 .. count - 1; form is `rest` or `working`. `what` says how many
copies of value v there are: `ones` 1, `copies` v % 5 + 1, `many` 20. An image of more than
2,000 bytes is given by its own XXH3.
"""
import struct

from bloom_golden import KIND_INTEGER, MULTIPLIER, block_bits, hash_of, shown, size

COPIES = {"ones": lambda v: 1, "copies": lambda v: v % 5 + 1, "many": lambda v: 20}


def positions(h, blocks, hashes, bits):
    """Those of the counters of all blocks, each once."""
    block = h * blocks // 2**64
    return {block * bits + (h * MULTIPLIER**power % 2**64) * bits // 2**64 for power in range(1, hashes + 1)}


def counters_of(hashes_of_values, blocks, hashes, bits):
    counters = [0] * (blocks * bits)
    for h in hashes_of_values:
        for position in positions(h, blocks, hashes, bits):
            counters[position] = min(counters[position] + 1, 15)
    return counters


def halves(counters):
    """Two to a byte, the first in its low half."""
    return bytes(low | high << 4 for low, high in zip(counters[::2], counters[1::2]))


def string_of_bits(bits):
    number = sum(int(bit) << at for at, bit in enumerate(bits))
    return number.to_bytes((len(bits) + 7) // 8, "little")


def above_zero(counters):
    """What follows of a block's counters, in the shorter way."""
    counters = [counter for counter in counters if counter]
    unary = string_of_bits("".join("0" * (counter - 1) + "1" for counter in counters))
    packed = halves(counters + [0] * (len(counters) % 2))
    return unary if len(unary) < len(packed) else packed


def image(form, capacity, rate, seed, what, count):
    blocks, hashes = size(capacity, rate)
    bits = block_bits(rate)
    working = form == "working"
    head = bytes([0x31, 0x10 | (8 if seed else 0) | working, KIND_INTEGER if count else 0])
    if seed:
        head += (seed % 2**64).to_bytes(8, "little")
    head += struct.pack("<QdBI", capacity, rate, hashes, blocks)
    values = [hash_of(v, seed) for v in range(count) for _ in range(COPIES[what](v))]
    if working:
        # Of the waiting places those beyond the count keep what they had.
        done = len(values) - len(values) % 16
        places = [0] * 16
        for at, value in enumerate(values):
            places[at % 16] = value
        tail = struct.pack("<I16Q", len(values) % 16, *places)
        return head + halves(counters_of(values[:done], blocks, hashes, bits)) + tail
    counters = counters_of(values, blocks, hashes, bits)
    coded = [above_zero(counters[at:at + bits]) for at in range(0, len(counters), bits)]
    ends = [sum(map(len, coded[:at + 1])) for at in range(blocks)]
    plane = string_of_bits("".join("1" if counter else "0" for counter in counters))
    return head + plane + struct.pack(f"<{blocks}I", *ends) + b"".join(coded)


IMAGES = [
    *[("rest", 10, 0.01, seed, "ones", count) for seed in (0, -1) for count in (0, 1, 2, 10, 100)],
    *[("rest", 10, 0.01, 0, what, count) for what in ("copies", "many") for count in (1, 2, 10, 60)],
    *[("rest", 100, 0.01, 0, what, count) for what in ("ones", "copies") for count in (1, 100)],
    ("rest", 100, 0.0001, -2**63, "copies", 100),
    ("rest", 100, 0.1, 5, "many", 400),
    ("rest", 1000, 0.05, 0x0123456789ABCDEF, "copies", 1000),
    *[("working", 10, 0.01, 0, "ones", count) for count in (0, 1, 15, 16, 17)],
    ("working", 10, 0.01, 0, "many", 3),
    ("working", 30, 1e-6, 7, "copies", 40),
    ("rest", 1000, 1e-6, 0, "copies", 1000),
    ("rest", 3000, 0.01, 0, "ones", 3000),
    ("working", 2000, 0.001, 1, "copies", 2005),
]

if __name__ == "__main__":
    for case in IMAGES:
        print(*case, shown(image(*case)))
