#!/usr/bin/python3
"""An independent reading of docs/FORMAT.md, "cms": builds sketches of the integers
1..n, of which i has the weight i ** power % modulus, and prints a line for COPY each:
epsilon, delta, seed, n, power, modulus, the image at rest, two working images of the
same sketch, the total, the estimates of the integers -3..n + 3 added up with their
places as factors, and the inner product with the sketch of 1..n/3; images in hex.
"""
import math
import random
import struct

import xxhash

rng = random.Random(5)
M64 = 2**64 - 1


def hash_of(number, seed):
    return xxhash.xxh3_64_intdigest(struct.pack("<q", number), seed=seed % 2**64)


def geometry_of(epsilon, delta):
    depth, reached = 0, delta
    while reached < 1:
        reached, depth = reached * math.e, depth + 1
    return math.ceil(math.e / epsilon), depth


def columns_of_hash(digest, width, depth):
    for row in range(depth):
        x = digest + (row + 1) * 0x9E3779B97F4A7C15 & M64
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & M64
        x = (x ^ x >> 27) * 0x94D049BB133111EB & M64
        x ^= x >> 31
        yield x * width // 2**64


class Sketch:
    """Rows of counters, as the paper has them."""

    def __init__(self, epsilon, delta, seed, weights):
        self.epsilon, self.delta, self.seed = epsilon, delta, seed
        self.width, self.depth = geometry_of(epsilon, delta)
        self.rows = [[0] * self.width for _ in range(self.depth)]
        self.weights = {hash_of(number, seed): weight for number, weight in weights.items() if weight}
        self.total = sum(self.weights.values())
        for digest, weight in self.weights.items():
            for row, column in enumerate(columns_of_hash(digest, self.width, self.depth)):
                self.rows[row][column] += weight

    def count(self, number):
        digest = hash_of(number, self.seed)
        return min(row[column] for row, column in zip(self.rows, columns_of_hash(digest, self.width, self.depth)))

    def product(self, other):
        return min(sum(a * b for a, b in zip(mine, its)) for mine, its in zip(self.rows, other.rows))

    def counters(self):
        return [counter for row in self.rows for counter in row]

    def head(self, form):
        flag = 8 if self.seed else 0
        kind = 2 if self.total else 0
        seed = struct.pack("<q", self.seed) if self.seed else b""
        return bytes([0x51, 0x10 | flag | form, kind]) + seed + struct.pack("<dd", self.epsilon, self.delta)

    def is_sparse(self):
        counters = self.counters()
        return len(counters) - counters.count(0) <= len(counters) // 8

    def image(self):
        if self.is_sparse():
            return self.head(0) + leb128(self.total) + sparse_body(self.counters())
        return self.head(1) + leb128(self.total) + packed_body(self.counters())

    def working_head(self, form):
        return self.head(form) + struct.pack("<IIQ", self.width, self.depth, self.total)

    def dense(self, form):
        counters = self.counters()
        return self.working_head(form) + struct.pack(f"<{len(counters)}{'I' if form == 3 else 'Q'}", *counters)

    def list(self, spare):
        entries = list(self.weights.items())
        if entries and entries[0][1] > 1 and len(entries) < self.width // 8:  # one hash in two slots
            digest, weight = entries[0]
            entries[:1] = [(digest, 1), (digest, weight - 1)]
        slots = entries + [(rng.getrandbits(64) if not spare else 0, 0)] * (len(entries) // 4 + 1 + spare)
        rng.shuffle(slots)
        return self.working_head(2) + struct.pack("<I", len(entries)) + b"".join(struct.pack("<QQ", *slot) for slot in slots)

    def workings(self):
        smaller = self.list(rng.randint(0, 9)) if len(self.weights) <= self.width // 8 else self.dense(4)
        is_large = self.width * self.depth > 5000  # long lines, to little purpose
        return smaller, smaller if is_large else self.dense(3 if self.total < 2**32 else 4)


def leb128(number):
    encoded = b""
    while number >= 128:
        encoded += bytes([number % 128 + 128])
        number //= 128
    return encoded + bytes([number])


def number_bits(number, width):
    """From the lowest."""
    return [number >> i & 1 for i in range(width)]


def as_bytes(bits):
    bits = bits + [0] * (-len(bits) % 8)
    return bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8))


def sparse_body(counters):
    used = [(position, value) for position, value in enumerate(counters) if value]
    if not used:
        return leb128(0)
    share = 123 * len(counters) // 128 // len(used)
    g = math.floor(math.log2(share)) if share else 0
    k = sum(math.floor(math.log2(value)) if value < 2**40 else value.bit_length() - 1 for _, value in used) // len(used)
    bits, previous = number_bits(k, 6), -1
    for position, value in used:
        gap = position - previous - 1
        bits += [0] * (gap >> g) + [1] + number_bits(gap, g)
        m = k
        while not 0 <= value - 1 + 2**k - 2**m < 2**m:
            m += 1
        bits += [0] * (m - k) + [1] + number_bits(value - 1 + 2**k - 2**m, m)
        previous = position
    return leb128(len(used)) + as_bytes(bits)


def block_of(counters):
    base = min(counters)
    above = [counter - base for counter in counters]
    largest = max(above).bit_length()
    cost = {}
    for w in range(57):
        e = sum(value >= 2**w for value in above)
        cost[w] = w * len(above) + e * (7 + largest - w)
    w = max(width for width in cost if cost[width] == min(cost.values()) and width <= largest)
    exceptions = [(index, value) for index, value in enumerate(above) if value >= 2**w]
    h = largest - w if exceptions else 0
    b = (base.bit_length() + 7) // 8
    bits = [bit for value in above for bit in number_bits(value, w)]
    for index, value in exceptions:
        bits += number_bits(index, 7) + number_bits(value >> w, h)
    head = number_bits(w, 6) + number_bits(len(exceptions), 7) + number_bits(h, 6) + number_bits(b, 4) + [0]
    return as_bytes(head) + base.to_bytes(b, "little") + as_bytes(bits)


def packed_body(counters):
    blocks = [block_of(counters[at:at + 128]) for at in range(0, len(counters), 128)]
    directory = [sum(map(len, blocks[:at])) for at in range(16, len(blocks), 16)]
    return struct.pack(f"<{len(directory)}I", *directory) + b"".join(blocks)


def weights_of(n, power, modulus):
    return {i: i**power % modulus for i in range(1, n + 1)}


def line_of(epsilon, delta, seed, n, power, modulus):
    sketch = Sketch(epsilon, delta, seed, weights_of(n, power, modulus))
    third = Sketch(epsilon, delta, seed, weights_of(n // 3, power, modulus))
    images = ["\\\\x" + made.hex() for made in (sketch.image(), *sketch.workings())]
    estimates = sum(sketch.count(number) * (number + 4) for number in range(-3, n + 4))
    product = sketch.product(third)
    return [epsilon, delta, seed, n, power, modulus, *images, sketch.total, estimates, product if product < 2**63 else "\\N"]


def main():
    for epsilon, delta in ((0.9, 0.9), (0.5, 0.3), (0.05, 0.1), (0.01, 0.001), (0.001, 0.01), (0.0013, 1e-4)):
        width, depth = geometry_of(epsilon, delta)
        for seed in (0, -1):
            # Around where a list is full, and where sparse becomes packed, by and large.
            for n in sorted({0, 1, 2, 10, 61, width // 8, width // 8 + 1, width // 7, 3000} & set(range(3001))):
                for power, modulus in ((0, 2), (1, 2**62), (3, 1_000_000_007)):
                    print(*line_of(epsilon, delta, seed, n, power, modulus), sep="\t")
        # Few that are large, where h, e and b are.
        for n, power, modulus in ((30, 35, 2**57), (100, 35, 2**55), (300, 35, 2**54), (200, 7, 2**33), (1000, 4, 97), (2000, 1, 2)):
            print(*line_of(epsilon, delta, 7, n, power, modulus), sep="\t")


main()
