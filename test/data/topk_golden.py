#!/usr/bin/env python3
"""Prints topk_golden.txt: Top-K images, made without the extension's code.

A second implementation of what docs/FORMAT.md says, slow and plain. Hashes are given
numbers, the outputs of SplitMix64 for states 1, 2, ..; so nothing but Python is needed.
A line is

    image form k seed what count image

`what` says which weights the hashes 1 .. count have: `ones`, `squares` (i * i),
`powers` (of two: 2^(i mod 56)), `rank` (1,000,000 / i, rounded down) or `many`
(the upper 32 bits of the hash, and 1). Value i comes with the text text(i), one after
the other, and every third one once more with weight 1 and the text other_text(i). Form
is `rest`, or `union`: of the odd values and of the even ones, each added alike. An
image of more than 2,000 bytes is given by its length and the sum of its bytes, each
times its position counted from 1, modulo 2^64.

Where counters are taken over, the least one is never one of several; so the order in
which they lie does not show.

test/tap/topk_oracle.py has its sketches from here.
"""
MASK = 2**64 - 1
KIND_INTEGER, KIND_TEXT = 2, 8


def mix(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def weight(what, i):
    return {
        "ones": 1,
        "squares": i * i,
        "powers": 2 ** (i % 56),
        "rank": 1_000_000 // i,
        "many": (mix(i) >> 32) + 1,
    }[what]


def text(i):
    return b"" if i % 11 == 0 else f"item {i}{'é' * (i % 4)}".encode()


def other_text(i):
    return (f"an item {i}" if i % 2 else f"item {i} once more").encode()


class Sketch:
    def __init__(self, k, seed, kind=KIND_TEXT):
        self.k, self.seed, self.kind, self.total = k, seed, kind, 0
        self.m = max(1000, 10 * k)
        self.counters = {}  # hash: [count, error, text]
        self.is_certain = True  # false once a least counter was taken over that was one of several

    def add(self, value, added, label):
        if added == 0:
            return
        self.total += added
        if value in self.counters:
            counter = self.counters[value]
            counter[0] += added
            counter[2] = min(counter[2], label)
            return
        taken = 0
        if len(self.counters) == self.m:
            taken = min(counter[0] for counter in self.counters.values())
            least = [held for held, counter in self.counters.items() if counter[0] == taken]
            self.is_certain = self.is_certain and len(least) == 1
            del self.counters[least[0]]
        self.counters[value] = [taken + added, taken, label]

    def minimum(self):
        return min(c[0] for c in self.counters.values()) if len(self.counters) == self.m else 0

    def union(self, other):
        out = Sketch(self.k, self.seed, self.kind)
        out.total = self.total + other.total
        out.is_certain = self.is_certain and other.is_certain
        everything = []
        for value in {*self.counters, *other.counters}:
            sides = [s.counters.get(value, [s.minimum(), s.minimum(), None]) for s in (self, other)]
            label = min(side[2] for side in sides if side[2] is not None)
            everything.append((-sides[0][0] - sides[1][0], value, sides[0][1] + sides[1][1], label))
        for count, value, error, label in sorted(everything)[: self.m]:
            out.counters[value] = [-count, error, label]
        return out

    def image(self):
        out = bytes([0x61, 0x10 | (8 if self.seed else 0), self.kind if self.total else 0])
        if self.seed:
            out += (self.seed % 2**64).to_bytes(8, "little")
        out += varint(self.k) + varint(self.total) + varint(len(self.counters))
        for value, (count, error, label) in sorted(self.counters.items()):
            out += value.to_bytes(8, "little") + varint(count) + varint(error) + varint(len(label)) + label
        return out


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value % 128 | 128])
        value //= 128
    return out + bytes([value])


def built(k, seed, what, values):
    sketch = Sketch(k, seed)
    for i in values:
        sketch.add(mix(i), weight(what, i), text(i))
        if i % 3 == 0:
            sketch.add(mix(i), 1, other_text(i))
    return sketch


def image(form, k, seed, what, count):
    if form == "rest":
        sketch = built(k, seed, what, range(1, count + 1))
    else:
        odd, even = (built(k, seed, what, range(first, count + 1, 2)) for first in (1, 2))
        sketch = odd.union(even)
    assert sketch.is_certain
    return sketch.image()


def shown(stored):
    if len(stored) <= 2000:
        return stored.hex()
    return f"{len(stored)}:{sum((at + 1) * byte for at, byte in enumerate(stored)) % 2**64}"


IMAGES = [
    *[("rest", 10, seed, "ones", count) for seed in (0, -1) for count in (0, 1, 2, 3, 10, 50)],
    *[("rest", k, 0, "rank", 20) for k in (1, 100, 127, 128, 10_000)],
    *[("rest", 10, 0, what, count) for what in ("squares", "powers", "rank", "many") for count in (5, 60)],
    *[("rest", 100, 7, "rank", count) for count in (999, 1_000)],
    *[("rest", 1, 0, what, count) for what in ("squares", "many") for count in (999, 1_000, 1_001, 1_500)],
    ("rest", 110, -(2**63), "many", 2_500),
    *[("union", 10, seed, what, 40) for seed in (0, 5) for what in ("ones", "powers", "many")],
    *[("union", 1, 0, what, count) for what in ("ones", "many") for count in (1_000, 1_001, 1_800, 2_000)],
    *[("union", 100, 0, "many", count) for count in (2_200, 5_000)],
    ("union", 110, 0, "squares", 3_000),
]

if __name__ == "__main__":
    for case in IMAGES:
        print("image", *case, shown(image(*case)))
