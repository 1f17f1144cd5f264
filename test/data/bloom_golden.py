#!/usr/bin/env python3
"""Prints bloom_golden.txt: sizes and stored Bloom filters, made without the extension's code.

A second implementation of what src/bloom/*.hpp draw, slow and plain, on
python3-xxhash. A line is one of

    size capacity rate blocks hashes
    image form capacity rate seed count image
    collected rate seed count image
    grown rate seed sized count image
    oversized rate seed unit count image
    folded rate seed unit count image

The values are the bigints 0 .. count - 1; form is `rest` or `building`. A grown filter
sized itself for the first `sized` of them; an oversized one has one layer of `unit`
blocks, and is folded to rest. An image of more than 2,000 bytes is given by its own XXH3.
"""
import math
import struct
from functools import cache

from xxhash import xxh3_64_intdigest

KIND_INTEGER = 2
MULTIPLIER = 0x9E3779B97F4A7C15
MOST_BYTES = 0x3FFFFFFF - 4 - 28 - 132  # 1 GB less length words, head and tail


def block_bits(rate):
    return 512 if rate >= 0.001 else 4096


@cache
def block_rates(values, hashes, bits):
    """The expected rate of a block with so many values, and of its square."""
    draws = values * hashes
    clear = (1 - 1 / bits) ** draws
    variance = (bits * (bits - 1) * (1 - 2 / bits) ** draws + bits * clear - bits**2 * clear**2) / bits**2

    def moment(k):
        if k == 1 or values == 0:
            return (1 - clear) ** k
        return (1 - clear) ** k + k * (k - 1) / 2 * (1 - clear) ** (k - 2) * variance

    return moment(hashes), moment(2 * hashes)


def promised(capacity, rate, blocks, hashes):
    return promised_at(capacity, rate, block_bits(rate), blocks, hashes)


def promised_at(capacity, rate, bits, blocks, hashes):
    """Whether the mean rate, and 3 sigma above it 1.05 times the target, are kept."""
    mode = capacity // blocks
    if mode > 1000 and block_rates(mode // 2, hashes, bits)[0] > rate:
        return False
    chances = {mode: 1.0}
    if blocks > 1:
        for load in range(mode, capacity):
            chances[load + 1] = chances[load] * (capacity - load) / (load + 1) / (blocks - 1)
            if chances[load + 1] < 1e-20:
                break
        for load in range(mode, 0, -1):
            chances[load - 1] = chances[load] * load / (capacity - load + 1) * (blocks - 1)
            if chances[load - 1] < 1e-20:
                break
    total = math.fsum(chances.values())
    mean = math.fsum(chance * block_rates(load, hashes, bits)[0] for load, chance in chances.items()) / total
    square = math.fsum(chance * block_rates(load, hashes, bits)[1] for load, chance in chances.items()) / total
    sigma = math.sqrt(max(0.0, square - mean**2) / blocks)
    return mean <= rate and mean + 3 * sigma <= 1.05 * rate


@cache
def size(capacity, rate):
    """The fewest blocks with the classic filter's number of hashes."""
    hashes = max(1, min(64, round(-math.log2(rate))))
    low, high = 1, MOST_BYTES // (block_bits(rate) // 8)
    if not promised(capacity, rate, high, hashes):
        return 0, hashes
    while low < high:
        middle = (low + high) // 2
        if promised(capacity, rate, middle, hashes):
            high = middle
        else:
            low = middle + 1
    return low, hashes


def hash_of(value, seed):
    return xxh3_64_intdigest(value.to_bytes(8, "little"), seed % 2**64)


def body(hashes_of_values, blocks, hashes, bits):
    filled = bytearray(blocks * bits // 8)
    for h in hashes_of_values:
        block = h * blocks // 2**64
        for power in range(1, hashes + 1):
            position = h * MULTIPLIER**power % 2**64 * bits // 2**64
            filled[block * bits // 8 + position // 8] |= 1 << position % 8
    return bytes(filled)


def image(form, capacity, rate, seed, count):
    blocks, hashes = size(capacity, rate)
    building = form == "building"
    header = bytes([0x21, 0x10 | (8 if seed else 0) | building, KIND_INTEGER if count else 0])
    if seed:
        header += (seed % 2**64).to_bytes(8, "little")
    header += struct.pack("<QdB", capacity, rate, hashes)
    values = [hash_of(value, seed) for value in range(count)]
    if not building:
        return header + body(values, blocks, hashes, block_bits(rate))
    # Of the waiting places those beyond the count keep what they had.
    done = count - count % 16
    places = [0] * 16
    for at, value in enumerate(values):
        places[at % 16] = value
    tail = struct.pack("<I16Q", count % 16, *places)
    return header + body(values[:done], blocks, hashes, block_bits(rate)) + tail


def header(form, seed, kind=KIND_INTEGER):
    return bytes([0x21, 0x10 | (8 if seed else 0) | form, kind]) + ((seed % 2**64).to_bytes(8, "little") if seed else b"")


def collected(rate, seed, count):
    """Hashes in a table: at their place or the first free one behind it, 3 of 4 at most."""
    def insert(table, h):
        place = h * len(table) >> 64
        while table[place] not in (0, h):
            place = (place + 1) % len(table)
        table[place] = h

    table = [0] * 8
    for taken, value in enumerate(range(count)):
        if taken == len(table) // 4 * 3:
            larger = [0] * (2 * len(table))
            for h in table:
                if h:
                    insert(larger, h)
            table = larger
        insert(table, hash_of(value, seed))
    return header(3, seed) + struct.pack("<dIB", rate, count, 0) + struct.pack(f"<{len(table)}Q", *table)


def in_layers(form, rate, seed, layers):
    """layers: capacity, blocks, hashes, bits of a block, and the hashes of values in each."""
    stored = header(form, seed) + struct.pack("<dB", rate, len(layers))
    for capacity, blocks, hashes, bits, held in layers:
        stored += struct.pack("<QQQBB", capacity, len(held), blocks, hashes, bits.bit_length() - 1)
    return stored + b"".join(body(held, blocks, hashes, bits) for _, blocks, hashes, bits, held in layers)


def is_in(h, filled, blocks, hashes, bits):
    return all(a & b == b for a, b in zip(filled, body([h], blocks, hashes, bits)))


def grown(rate, seed, sized, count):
    """Each layer twice the one before, at 0.1 of the rate, 0.05, ..; a value that a layer
    seems to hold goes nowhere."""
    layers = [(sized, *size(sized, rate), block_bits(rate), [hash_of(value, seed) for value in range(sized)])]
    for value in range(sized, count):
        h = hash_of(value, seed)
        if any(is_in(h, body(held, *shape), *shape) for _, *shape, held in layers):
            continue
        room = [layer for layer in layers if len(layer[4]) < layer[0]]
        if not room:
            capacity, share = 2 * layers[-1][0], 0.2 * rate
            for _ in layers:
                share /= 2
            room = [(capacity, *size(capacity, share), block_bits(share), [])]
            layers += room
        room[0][4].append(h)
    return in_layers(2, rate, seed, layers)


def oversized(rate, seed, unit, count):
    """Full at what half of its blocks hold at a fifth of the rate."""
    hashes = max(1, min(64, round(-math.log2(rate))))
    capacity = 1
    while promised_at(capacity + 1, 0.2 * rate, block_bits(rate), unit // 2, hashes):
        capacity += 1
    return in_layers(4, rate, seed, [(capacity, unit, hashes, block_bits(rate), [hash_of(value, seed) for value in range(count)])])


def folded(rate, seed, unit, count):
    """The fewest blocks, by a divisor of their number, that keep the rate for as many values
    as the bits tell of."""
    hashes, bits = max(1, min(64, round(-math.log2(rate)))), block_bits(rate)
    held = [hash_of(value, seed) for value in range(count)]
    filled = body(held, unit, hashes, bits)
    items = 0
    for at in range(0, len(filled), bits // 8):
        ones = sum(byte.bit_count() for byte in filled[at:at + bits // 8])
        items += math.log1p(-(ones if ones < bits else bits - 0.5) / bits) / (hashes * math.log1p(-1 / bits))
    values = round(items)
    blocks = next(unit // by for by in range(unit, 0, -1)
                  if unit % by == 0 and (by == 1 or promised_at(values, rate, bits, unit // by, hashes)))
    stored = header(2, seed) + struct.pack("<dBQQQBB", rate, 1, values, values, blocks, hashes, bits.bit_length() - 1)
    return stored + body(held, blocks, hashes, bits)


def shown(stored):
    return stored.hex() if len(stored) <= 2000 else f"xxh3:{xxh3_64_intdigest(stored):016x}"


SIZES = [
    (capacity, rate)
    for capacity in (1, 2, 10, 50, 100, 1000, 12345, 1_000_000, 50_000_000)
    for rate in (0.9999999, 0.9, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.001, 0.000999, 0.0001, 1e-6, 1e-9, 1e-12)
] + [
    (800_000_000, 0.01),
    (867_000_000, 0.01),
    (1_000_000_000, 0.01),
    (4_000_000_000, 0.5),
    (2**63 - 1, 0.9999999),
    (2**63 - 1, 1e-6),
    (1, 1e-300),
]

IMAGES = [
    *[("rest", 10, 0.01, seed, count) for seed in (0, -1) for count in (0, 1, 2, 10, 100)],
    *[("rest", 100, 0.01, 0, count) for count in (1, 100)],
    ("rest", 100, 0.0001, -2**63, 100),
    ("rest", 1000, 0.05, 0x0123456789ABCDEF, 1000),
    *[("building", 10, 0.01, 0, count) for count in (0, 1, 15, 16, 17)],
    ("building", 30, 1e-6, 7, 40),
    ("rest", 1000, 1e-6, 0, 1000),
    ("rest", 100_000, 0.01, 0, 100_000),
    ("building", 50_000, 0.001, 1, 50_005),
]

COLLECTED = [(0.01, seed, count) for seed in (0, -1) for count in (1, 6, 7, 12, 13, 100)] + [(1e-9, 3, 50)]
GROWN = [
    *[(0.01, 0, sized, count) for sized, count in ((1, 1), (10, 10), (10, 11), (10, 75), (100, 100), (1000, 1000), (50, 400))],
    (1e-4, -7, 5, 40),
    (0.3, 0, 20, 300),
]
OVERSIZED = [(0.01, 0, 12, 5), (0.01, 0, 60, 500), (0.1, -1, 24, 200), (1e-6, 0, 12, 300)]

if __name__ == "__main__":
    for case in SIZES:
        print("size", *case, *size(*case))
    for case in IMAGES:
        print("image", *case, shown(image(*case)))
    for name, make, cases in (("collected", collected, COLLECTED), ("grown", grown, GROWN),
                              ("oversized", oversized, OVERSIZED), ("folded", folded, OVERSIZED)):
        for case in cases:
            print(name, *case, shown(make(*case)))
