#!/usr/bin/python3
"""An independent reading of docs/FORMAT.md, "topk": builds sketches of 1..n, in that
order, of which i has the weight i ** power % modulus, as integers or as the texts v1,
v2 and so on. Prints a line for COPY each: text or integer, k, seed, n, power, modulus,
the image, N, the most that a value without a counter came, the first 10 rows, and the
image of the union of the sketches of 1..n/3 and of the others; images in hex. An image
is NULL where a counter was taken over while others were as small, since any of these
may be the one.
"""
import math
import struct

import xxhash


def hash_of(image, seed):
    return xxhash.xxh3_64_intdigest(image, seed=seed % 2**64)


def leb128(number):
    encoded = b""
    while number >= 128:
        encoded += bytes([number % 128 + 128])
        number //= 128
    return encoded + bytes([number])


class Sketch:
    """Counters by hash: count, error, text."""

    def __init__(self, k, seed, kind):
        self.k, self.seed, self.kind = k, seed, kind
        self.capacity = max(1000, 10 * k)
        self.counters = {}
        self.total = 0
        self.is_certain = True

    def add(self, number, weight):
        text = f"v{number}" if self.kind == 8 else str(number)
        digest = hash_of(text.encode() if self.kind == 8 else struct.pack("<q", number), self.seed)
        if weight == 0:
            return
        self.total += weight
        if digest in self.counters:
            self.counters[digest][0] += weight
        elif len(self.counters) < self.capacity:
            self.counters[digest] = [weight, 0, text]
        else:
            least = min(count for count, _, _ in self.counters.values())
            candidates = [held for held, counter in self.counters.items() if counter[0] == least]
            self.is_certain = self.is_certain and len(candidates) == 1
            del self.counters[candidates[0]]
            self.counters[digest] = [least + weight, least, text]

    def minimum(self):
        if len(self.counters) < self.capacity:
            return 0
        return min(count for count, _, _ in self.counters.values())

    def united(self, other):
        both = Sketch(self.k, self.seed, self.kind)
        both.total = self.total + other.total
        both.is_certain = self.is_certain and other.is_certain
        mine, its = self.minimum(), other.minimum()
        for digest in self.counters.keys() | other.counters.keys():
            a = self.counters.get(digest, [mine, mine, None])
            b = other.counters.get(digest, [its, its, None])
            text = min(text for text in (a[2], b[2]) if text is not None)
            both.counters[digest] = [a[0] + b[0], a[1] + b[1], text]
        both.counters = dict(both.ranked()[: self.capacity])
        return both

    def ranked(self):
        return sorted(self.counters.items(), key=lambda item: (-item[1][0], item[0]))

    def rows(self, limit):
        def is_behind(item):
            digest, (count, error, _) = item
            certain = count - error
            return -(certain + min(error, math.isqrt(4 * certain))), digest

        chosen = sorted(self.counters.items(), key=is_behind)[: max(limit, self.k)]
        left_out = [counter[0] for digest, counter in self.counters.items() if digest not in dict(chosen)]
        ranked = [counter for _, counter in sorted(chosen, key=lambda item: (-item[1][0], item[0]))]
        outside = max([self.minimum()] + left_out + [count for count, _, _ in ranked[limit:]])
        return [f"{text}:{count}:{error}:{'t' if count - error >= outside else 'f'}" for count, error, text in ranked[:limit]]

    def image(self):
        if not self.is_certain:
            return "\\N"
        head = bytes([0x61, 0x18 if self.seed else 0x10, self.kind if self.total else 0])
        head += struct.pack("<q", self.seed) if self.seed else b""
        body = leb128(self.k) + leb128(self.total) + leb128(len(self.counters))
        for digest, (count, error, text) in sorted(self.counters.items()):
            body += struct.pack("<Q", digest) + leb128(count) + leb128(error) + leb128(len(text)) + text.encode()
        return "\\\\x" + (head + body).hex()


def sketch_of(k, seed, kind, numbers, power, modulus):
    sketch = Sketch(k, seed, kind)
    for number in numbers:
        sketch.add(number, number**power % modulus)
    return sketch


def line_of(kind, k, seed, n, power, modulus):
    whole, third, others = (
        sketch_of(k, seed, kind, numbers, power, modulus)
        for numbers in (range(1, n + 1), range(1, n // 3 + 1), range(n // 3 + 1, n + 1))
    )
    return ["text" if kind == 8 else "integer", k, seed, n, power, modulus, whole.image(), whole.total, whole.minimum(),
            " ".join(whole.rows(10)), third.united(others).image()]


def main():
    for kind in (2, 8):
        for k, seed in ((1, 0), (10, -1), (100, 7), (130, 0), (10000, 2**63 - 1)):
            for n in (0, 1, 2, 30, 999, 1000, 1001, 1400, 2500):
                for power, modulus in ((0, 2), (1, 2**62), (3, 1_000_000_007), (35, 2**51)):
                    print(*line_of(kind, k, seed, n, power, modulus), sep="\t")


main()
