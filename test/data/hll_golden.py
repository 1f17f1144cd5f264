#!/usr/bin/env python3
"""Prints hll_golden.txt: stored HyperLogLogs, made without the extension's code.

A second implementation of the format that src/hll/*.hpp draw, slow and plain, on
python3-xxhash. A line is: form precision seed count image. The values are the
bigints 0 .. count - 1; form is `rest` or `working`.
"""
from xxhash import xxh3_64_intdigest

KIND_INTEGER = 2


def hash_of(value, seed):
    bits = xxh3_64_intdigest(value.to_bytes(8, "little"), seed % 2**64)
    return format(bits, "064b")


def first_one(bits):
    """1 for a 1 in front; one more than there are bits where there is none."""
    return (bits + "1").index("1") + 1


def entries_of(hashes, p):
    """index -> rank, 0 where the index itself shows the register's rank."""
    entries = {}
    for bits in hashes:
        index = int(bits[:26], 2)
        rank = 0 if "1" in bits[p:26] else first_one(bits[26:])
        entries[index] = max(rank, entries.get(index, 0))
    return entries


def registers_of(hashes, p):
    registers = [0] * 2**p
    for bits in hashes:
        index = int(bits[:p], 2)
        registers[index] = max(registers[index], first_one(bits[p:]))
    return registers


def number(value, width):
    """Bits from the lowest upwards."""
    return "".join(str(value >> i & 1) for i in range(width))


def to_bytes(bits):
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))


def coded(entries):
    """LEB128 count, then Rice-coded gaps."""
    count, rest = b"", len(entries)
    while rest >= 128:
        count, rest = count + bytes([rest % 128 + 128]), rest // 128
    count += bytes([rest])
    if not entries:
        return count
    width = (123 * 2**19 // len(entries)).bit_length() - 1
    bits, expected = "", 0
    for index, rank in sorted(entries.items()):
        gap = index - expected
        bits += "0" * (gap >> width) + "1" + number(gap, width) + (number(rank, 6) if rank else "")
        expected = index + 1
    return count + to_bytes(bits)


def table(entries, size):
    """Open addressing; only the working image depends on the order of adding."""
    slots = [0] * (size // 4 - 1)
    for index, rank in entries.items():
        slot = index * len(slots) >> 26
        while slots[slot]:
            slot = (slot + 1) % len(slots)
        slots[slot] = index * 64 + rank
    return b"".join(word.to_bytes(4, "little") for word in [len(entries), *slots])


def image(form, p, seed, count):
    hashes = [hash_of(value, seed) for value in range(count)]
    entries = entries_of(hashes, p)
    dense = len(entries) > 2**p // 8
    layout = {("rest", False): 0, ("rest", True): 1, ("working", False): 2, ("working", True): 3}[form, dense]
    header = bytes([0x11, 0x10 | (8 if seed else 0) | layout, KIND_INTEGER if count else 0])
    if seed:
        header += (seed % 2**64).to_bytes(8, "little")
    header += bytes([p])
    if layout == 0:
        return header + coded(entries)
    if layout == 2:
        return header + table(entries, 28 - len(header))
    registers = registers_of(hashes, p)
    return header + (to_bytes("".join(number(rank, 6) for rank in registers)) if layout == 1 else bytes(registers))


CASES = [
    *[("rest", 14, seed, count) for seed in (0, -1) for count in (0, 1, 2, 10, 100)],
    ("rest", 14, 0, 300),
    *[("rest", 4, 0, count) for count in (0, 1, 2, 3, 100, 100_000)],
    *[("rest", 10, 0x0123456789ABCDEF, count) for count in (127, 128, 129, 2000)],
    ("rest", 18, 0, 50),
    *[("working", 4, seed, count) for seed in (0, -2**63) for count in (0, 1, 2, 3, 1000)],
    *[("working", 14, 0, count) for count in (0, 1, 4)],
]

for case in CASES:
    print(*case, image(*case).hex())
