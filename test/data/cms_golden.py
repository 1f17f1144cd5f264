#!/usr/bin/env python3
"""Prints cms_golden.txt: geometries and Count-Min images, made without the extension's code.

A second implementation of what src/cms/*.hpp draw, slow and plain. Hashes are given
numbers, the outputs of SplitMix64 for states 1, 2, ..; so nothing but Python is
needed. A line is one of

    geometry epsilon delta width depth
    image form epsilon delta seed what count image

where width and depth are 0 if there would be more than 2^25 counters. `what` says
which weights the hashes 1 .. count have: `ones`, `squares` (i * i), `powers` (of two:
2^(i mod 56)), or `rank` (100,000 / i, rounded down). Form is `rest`, `dense32` or
`dense64`. An image of more than 2,000 bytes is given by its length and the sum of its
bytes, each times its position counted from 1, modulo 2^64.
"""
import math
import struct
from fractions import Fraction

MASK = 2**64 - 1
KIND_INTEGER = 2
STEP = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def geometry(epsilon, delta):
    quotient = Fraction(math.e) / Fraction(epsilon)
    if quotient > 2**26:
        return 0, 0
    width = math.ceil(float(quotient))
    depth = 0
    while delta < 1:
        delta *= math.e
        depth += 1
    return (width, depth) if width * depth <= 2**25 else (0, 0)


def weight(what, i):
    return {"ones": 1, "squares": i * i, "powers": 2 ** (i % 56), "rank": 100_000 // i}[what]


def spread(weights, width, depth):
    counters = [0] * (width * depth)
    for i, added in weights:
        state = mix(i)
        for row in range(depth):
            state = state + STEP & MASK
            counters[row * width + (mix(state) * width >> 64)] += added
    return counters


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value % 128 | 128])
        value //= 128
    return out + bytes([value])


class Bits:
    """A string of bits as an integer, the first bit the lowest."""

    def __init__(self):
        self.value = self.length = 0

    def put(self, bits, width):
        self.value |= bits << self.length
        self.length += width

    def bytes(self):
        return self.value.to_bytes((self.length + 7) // 8, "little")


def sparse(counters):
    used = [(at, value) for at, value in enumerate(counters) if value]
    out = varint(len(used))
    if not used:
        return out
    g = (123 * len(counters) // 128 // len(used)).bit_length() - 1
    g = max(g, 0)
    k = sum(value.bit_length() - 1 for _, value in used) // len(used)
    bits = Bits()
    bits.put(k, 6)
    expected = 0
    for at, value in used:
        gap = at - expected
        bits.put(1 << (gap >> g), (gap >> g) + 1)
        bits.put(gap % 2**g, g)
        shifted = value - 1 + 2**k
        n = shifted.bit_length() - 1
        bits.put(1 << (n - k), n - k + 1)
        bits.put(shifted - 2**n, n)
        expected = at + 1
    return out + bits.bytes()


def block(counters):
    base = min(counters)
    rest = [counter - base for counter in counters]
    widest = max(rest).bit_length()
    choices = []
    for w in range(min(widest, 56), -1, -1):
        e = sum(value.bit_length() > w for value in rest)
        h = widest - w if e else 0
        choices.append((len(rest) * w + e * (7 + h), -w, e, h))
    _, w, e, h = min(choices)
    w = -w
    b = (base.bit_length() + 7) // 8
    bits = Bits()
    for value in rest:
        bits.put(value % 2**w, w)
    for at, value in enumerate(rest):
        if value >> w:
            bits.put(at, 7)
            bits.put(value >> w, h)
    return (w | e << 6 | h << 13 | b << 19).to_bytes(3, "little") + base.to_bytes(b, "little") + bits.bytes()


def packed(counters):
    blocks = [block(counters[at : at + 128]) for at in range(0, len(counters), 128)]
    directory = b""
    for at in range(16, len(blocks), 16):
        directory += struct.pack("<I", sum(len(b) for b in blocks[:at]))
    return directory + b"".join(blocks)


def image(form, epsilon, delta, seed, what, count):
    width, depth = geometry(epsilon, delta)
    weights = [(i, weight(what, i)) for i in range(1, count + 1)]
    counters = spread(weights, width, depth)
    total = sum(added for _, added in weights)
    is_sparse = sum(1 for counter in counters if counter) <= len(counters) // 8
    code = {"rest": 0 if is_sparse else 1, "dense32": 3, "dense64": 4}[form]
    head = bytes([0x51, 0x10 | (8 if seed else 0) | code, KIND_INTEGER if total else 0])
    if seed:
        head += (seed % 2**64).to_bytes(8, "little")
    head += struct.pack("<dd", epsilon, delta)
    if form == "rest":
        return head + varint(total) + (sparse(counters) if is_sparse else packed(counters))
    body = struct.pack(f"<{len(counters)}{'I' if form == 'dense32' else 'Q'}", *counters)
    return head + struct.pack("<IIQ", width, depth, total) + body


def shown(stored):
    if len(stored) <= 2000:
        return stored.hex()
    return f"{len(stored)}:{sum((at + 1) * byte for at, byte in enumerate(stored)) % 2**64}"


GEOMETRIES = [
    *[(epsilon, delta) for epsilon in (0.9, 0.5, 0.1, 0.01, 0.001, 1e-4, 1e-5, 1e-6) for delta in (0.9, 0.5, 0.01, 1e-9)],
    *[(0.001, delta) for delta in (0.36787944117144233, 0.3678794411714423, 0.3678794411714424, 1e-300, 5e-324)],
    (0.9999999999999999, 0.9999999999999999),
    (8.101276e-08, 0.5),
    (8.1012755e-08, 0.5),
    (1.5e-7, 0.3),
    (1e-9, 0.5),
    (5e-324, 5e-324),
    (5e-324, 0.5),
]

IMAGES = [
    *[("rest", 0.001, 0.01, seed, "ones", count) for seed in (0, -1) for count in (0, 1, 2, 10, 100)],
    ("rest", 0.001, 0.01, 0, "rank", 100),
    ("rest", 0.001, 0.01, 0, "powers", 60),
    *[("rest", 0.001, 0.01, 0, "ones", count) for count in (339, 345, 350, 1_000)],
    ("rest", 0.001, 0.01, 7, "rank", 5_000),
    *[("rest", 0.02, 0.01, 0, what, count) for what in ("ones", "squares", "powers", "rank") for count in (10, 100, 400)],
    *[("rest", 0.9, 0.9, 0, "powers", count) for count in (1, 2, 3, 9, 1_000)],
    *[("rest", 0.5, 1e-300, -(2**63), "squares", count) for count in (1, 10, 100)],
    ("rest", 0.0001, 0.5, 0, "ones", 20_000),
    *[("dense32", 0.2, 0.1, seed, "ones", count) for seed in (0, 5) for count in (2, 50)],
    *[("dense64", 0.2, 0.1, seed, "powers", 50) for seed in (0, 5)],
]

if __name__ == "__main__":
    for case in GEOMETRIES:
        print("geometry", *case, *geometry(*case))
    for case in IMAGES:
        print("image", *case, shown(image(*case)))
