#!/usr/bin/python3
"""An independent reading of docs/FORMAT.md, "hll": builds sketches of the
integers 1..n, or where n is negative of the first -n of some made-up hashes,
and prints a line for COPY each: precision, seed, n, the image at rest, two
working images of the same sketch, the estimate; images in hex.
"""
import math
import random
import struct

import xxhash

rng = random.Random(2)


def hash_of(number, seed):
    return xxhash.xxh3_64_intdigest(struct.pack("<q", number), seed=seed % 2**64)


def made_up_hash():
    """Long runs of zeros, which take too many integers to find: ranks up to the highest."""
    top = rng.getrandbits(64)
    kept = rng.choice([rng.randint(0, 64), rng.randint(0, 30)])
    return top >> (64 - kept) << (64 - kept) | rng.choice([0, 0, 1, 2, rng.getrandbits(20)])


def position_of_one(bits, width):
    """Counted from 1 at the top of `width` bits; width + 1 if all are 0."""
    return width - bits.bit_length() + 1


def entries_of(hashes, p):
    """The entry rank (0 for none) of each index."""
    entries = {}
    for digest in hashes:
        index = digest >> 38
        rank = position_of_one(digest % 2**38, 38) if index % 2 ** (26 - p) == 0 else 0
        entries[index] = max(entries.get(index, 0), rank)
    return entries


def registers_of(hashes, p):
    registers = [0] * 2**p
    for digest in hashes:
        at = digest >> (64 - p)
        registers[at] = max(registers[at], position_of_one(digest % 2 ** (64 - p), 64 - p))
    return registers


def head(form, p, seed, kind):
    flag = 8 if seed else 0
    return bytes([0x11, 0x10 | flag | form, kind]) + (struct.pack("<q", seed) if seed else b"") + bytes([p])


def leb128(number):
    encoded = b""
    while number >= 128:
        encoded += bytes([number % 128 + 128])
        number //= 128
    return encoded + bytes([number])


def sparse_body(entries):
    if not entries:
        return leb128(0)
    k = math.floor(math.log2(123 * 2**19 // len(entries)))
    bits, unary, previous = [], [], -1
    for index in sorted(entries):
        gap = index - previous - 1
        bits += [gap >> i & 1 for i in range(k)]
        unary += [0] * (gap >> k) + [1]
        if entries[index]:
            unary += [entries[index] >> i & 1 for i in range(6)]
        previous = index
    bits += unary
    bits += [0] * (-len(bits) % 8)
    return leb128(len(entries)) + bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8]))
                                        for at in range(0, len(bits), 8))


def table_body(entries, spare):
    slots = [index << 6 | rank for index, rank in entries.items()] + [0] * spare
    rng.shuffle(slots)
    return struct.pack(f"<I{len(slots)}I", len(entries), *slots)


LENGTHS = [
    [1, 2, 3, 4, 5, 6, 8, 8, 10, 10, 10, 10, 10, 10, 10, 10],
    [2, 2, 2, 3, 4, 5, 6, 8, 8, 9, 10, 10, 10, 10, 10, 10],
    [4, 3, 2, 2, 3, 4, 4, 5, 6, 7, 9, 9, 10, 10, 10, 10],
    [7, 4, 2, 2, 3, 3, 4, 4, 5, 7, 7, 8, 10, 10, 10, 10],
    [10, 5, 3, 2, 2, 3, 3, 5, 5, 6, 7, 9, 9, 10, 10, 10],
]


def canonical(lengths):
    """The word of each symbol, as a list of bits."""
    found, word, before = {}, -1, lengths[0]
    for length, symbol in sorted((length, symbol) for symbol, length in enumerate(lengths)):
        word = (word + 1) << (length - before) if word >= 0 else 0
        before = length
        found[symbol] = [int(bit) for bit in f"{word:0{length}b}"]
    return found


WORDS = [canonical(lengths) for lengths in LENGTHS]


def word(rank, load):
    code, offset = (load, 0) if load < 3 else (3 + (load - 3) % 2, (load - 3) // 2)
    if 0 <= rank - offset < 15:
        return WORDS[code][rank - offset]
    return WORDS[code][15] + [rank >> i & 1 for i in range(6)]


def string(bits):
    bits = bits + [0] * (-len(bits) % 8)
    return bytes(sum(bit << i for i, bit in enumerate(bits[at:at + 8])) for at in range(0, len(bits), 8))


def dense_body(registers):
    packed = b"\xff" + b"".join(sum(rank << 6 * i for i, rank in enumerate(registers[at:at + 8])).to_bytes(6, "little")
                                for at in range(0, len(registers), 8))
    counts = [(rank, registers.count(rank)) for rank in sorted(set(registers))]
    load = min(range(127), key=lambda load: sum(count * len(word(rank, load)) for rank, count in counts))
    size = min(len(registers) // 4, 4096)
    words = {rank: word(rank, load) for rank, _ in counts}
    streams = [string([bit for rank in registers[at:at + size] for bit in words[rank]])
               for at in range(0, len(registers), size)]
    coded = bytes([load]) + b"".join(leb128(len(stream)) for stream in streams[:-1]) + b"".join(streams)
    return min(packed, coded, key=len)  # packed ones if they are as long


def sigma(x):
    if x == 1:
        return math.inf
    total, weight, before = x, 1, None
    while total != before:
        x, before = x * x, total
        total += x * weight
        weight *= 2
    return total


def tau(x):
    if x in (0, 1):
        return 0
    total, weight, before = 1 - x, 1, None
    while total != before:
        x, before, weight = math.sqrt(x), total, weight / 2
        total -= (1 - x) ** 2 * weight
    return total / 3


def estimate_registers(registers, p):
    m, q = 2**p, 64 - p
    z = m * tau(1 - registers.count(q + 1) / m)
    for rank in range(q, 0, -1):
        z = (z + registers.count(rank)) / 2
    z += m * sigma(registers.count(0) / m)
    if not z:
        return math.inf
    raw = m * m / (2 * math.log(2) * z)
    return raw / (1 + (1.08 - 0.58 * math.exp(-0.385 * raw / m)) / m)


def columns_of(hashes, p, seed, n):
    limit = 2**p // 8
    entries = entries_of(hashes, p)
    kind = 2 if hashes else 0
    if len(entries) <= limit:
        image = head(0, p, seed, kind) + sparse_body(entries)
        working = [head(2, p, seed, kind) + table_body(entries, spare) for spare in (1, rng.randint(2, 40))]
        estimate = -(2**26) * math.log(1 - len(entries) / 2**26)
    else:
        registers = registers_of(hashes, p)
        image = head(1, p, seed, kind) + dense_body(registers)
        working = [head(3, p, seed, kind) + bytes(registers)] * 2
        estimate = estimate_registers(registers, p)
    return [p, seed, n, *("\\\\x" + made.hex() for made in [image, *working]), math.floor(estimate + 0.5) if estimate <= 9.2e18 else 2**63 - 1]


def main():
    made_up = [rng.getrandbits(4) << 60 | rng.getrandbits(3) for _ in range(100)]  # p = 4, near the highest rank
    made_up += [made_up_hash() for _ in range(2900)]
    for p in (4, 5, 7, 10, 12, 14, 18):
        limit = 2**p // 8
        for seed in (0, 12345, -1):
            # 61 and 62, 123 and 124 are on the two sides of a step of the Rice parameter.
            for n in {0, 1, 2, 3, 17, 61, 62, 123, 124, 1000, limit - 1, limit, limit + 1, 8 * limit} & set(range(40_000)):
                hashes = [hash_of(number, seed) for number in range(1, n + 1)]
                print(*columns_of(hashes, p, seed, n), sep="\t")
            for n in (1, 5, 61, 62, 70, 100, 123, 124, 200, 720, 3000):
                print(*columns_of(made_up[:n], p, seed, -n), sep="\t")


main()
