#!/usr/bin/python3
"""What docs/FORMAT.md says of "topk", with the sketches of test/data/topk_golden.py: builds
them of 1..n, in that order, of which i has the weight i ** power % modulus, as integers or
as the texts v1, v2 and so on. Prints a line for COPY each: text or integer, k, seed, n, power, modulus,
the image, N, the most that a value without a counter came, the first 10 rows, and the
image of the union of the sketches of 1..n/3 and of the others; images in hex. An image
is NULL where a counter was taken over while others were as small, since any of these
may be the one.
"""
import math
import pathlib
import struct
import sys

import xxhash

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "data"))
from topk_golden import KIND_INTEGER, KIND_TEXT, Sketch  # noqa: E402


def rows(sketch, limit):
    def is_behind(item):
        digest, (count, error, _) = item
        certain = count - error
        return -(certain + min(error, math.isqrt(4 * certain))), digest

    chosen = sorted(sketch.counters.items(), key=is_behind)[: max(limit, sketch.k)]
    left_out = [counter[0] for digest, counter in sketch.counters.items() if digest not in dict(chosen)]
    ranked = [counter for _, counter in sorted(chosen, key=lambda item: (-item[1][0], item[0]))]
    outside = max([sketch.minimum()] + left_out + [count for count, _, _ in ranked[limit:]])
    return [f"{text.decode()}:{count}:{error}:{'t' if count - error >= outside else 'f'}" for count, error, text in ranked[:limit]]


def shown(sketch):
    return "\\\\x" + sketch.image().hex() if sketch.is_certain else "\\N"


def sketch_of(k, seed, kind, numbers, power, modulus):
    sketch = Sketch(k, seed, kind)
    for number in numbers:
        text = f"v{number}" if kind == KIND_TEXT else str(number)
        hashed = text.encode() if kind == KIND_TEXT else struct.pack("<q", number)
        digest = xxhash.xxh3_64_intdigest(hashed, seed=seed % 2**64)
        sketch.add(digest, number**power % modulus, text.encode())
    return sketch


def line_of(kind, k, seed, n, power, modulus):
    whole, third, others = (
        sketch_of(k, seed, kind, numbers, power, modulus)
        for numbers in (range(1, n + 1), range(1, n // 3 + 1), range(n // 3 + 1, n + 1))
    )
    return ["text" if kind == KIND_TEXT else "integer", k, seed, n, power, modulus, shown(whole), whole.total, whole.minimum(),
            " ".join(rows(whole, 10)), shown(third.union(others))]


def main():
    for kind in (KIND_INTEGER, KIND_TEXT):
        for k, seed in ((1, 0), (10, -1), (100, 7), (130, 0), (10000, 2**63 - 1)):
            for n in (0, 1, 2, 30, 999, 1000, 1001, 1400, 2500):
                for power, modulus in ((0, 2), (1, 2**62), (3, 1_000_000_007), (35, 2**51)):
                    print(*line_of(kind, k, seed, n, power, modulus), sep="\t")


main()
