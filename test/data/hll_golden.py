#!/usr/bin/env python3
"""Prints hll_golden.txt: stored HyperLogLogs, made without the extension's code.

A second implementation of the format that src/hll/*.hpp draw, slow and plain, on
python3-xxhash. A line is: form precision seed count image. The values are the
bigints 0 .. count - 1; form is `rest` or `working`.
"""
import functools

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


def leb128(number):
    return bytes([number % 128 + 128]) + leb128(number // 128) if number >= 128 else bytes([number])


def coded(entries):
    """LEB128 count, then Rice-coded gaps: remainders, quotients in unary."""
    count = leb128(len(entries))
    if not entries:
        return count
    width = (123 * 2**19 // len(entries)).bit_length() - 1
    remainders, bits, expected = "", "", 0
    for index, rank in sorted(entries.items()):
        gap = index - expected
        remainders += number(gap, width)
        bits += "0" * (gap >> width) + "1" + (number(rank, 6) if rank else "")
        expected = index + 1
    return count + to_bytes(remainders + bits)


# By load: three for registers of which some are empty, two that take turns above.
CODES = [[int(digit, 16) for digit in line] for line in (
    "12345688aaaaaaaa", "2223456889aaaaaa", "432234456799aaaa", "742233445778aaaa", "a532233556799aaa")]


@functools.cache
def code_of(load):
    """The code words of ranks 0..63, as strings of bits, the first bit first."""
    lengths, offset = (CODES[load], 0) if load < 3 else (CODES[3 + (load - 3) % 2], (load - 3) // 2)
    words, following = [""] * 16, 0
    for length in range(1, 11):
        for symbol in range(16):
            if lengths[symbol] == length:
                words[symbol] = format(following, f"0{length}b")
                following += 1
        following *= 2
    return [words[rank - offset] if 0 <= rank - offset < 15 else words[15] + number(rank, 6) for rank in range(64)]


def dense_body(registers):
    packed = b"\xff" + to_bytes("".join(number(rank, 6) for rank in registers))
    load = min(range(127), key=lambda load: sum(len(code_of(load)[rank]) * registers.count(rank) for rank in range(64)))
    code = code_of(load)
    size = min(len(registers) // 4, 4096)
    streams = [to_bytes("".join(code[rank] for rank in registers[at:at + size])) for at in range(0, len(registers), size)]
    coded = bytes([load]) + b"".join(leb128(len(stream)) for stream in streams[:-1]) + b"".join(streams)
    return coded if len(coded) < len(packed) else packed


def table(entries, size):
    """Open addressing; only the working image depends on the order of adding."""
    slots = [0] * (size // 4 - 1)
    for index, rank in entries.items():
        slot = (index * 0x9E3779B1 % 2**32) * len(slots) >> 32
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
    return header + (dense_body(registers) if layout == 1 else bytes(registers))


CASES = [
    *[("rest", 14, seed, count) for seed in (0, -1) for count in (0, 1, 2, 10, 100)],
    ("rest", 14, 0, 300),
    *[("rest", 4, 0, count) for count in (0, 1, 2, 3, 100, 100_000)],
    *[("rest", 10, 0x0123456789ABCDEF, count) for count in (127, 128, 129, 2000)],
    # Loads of all codes, and lengths of streams in one byte and in two.
    *[("rest", p, 0, count) for p, count in ((8, 33), (8, 200), (8, 600), (9, 1500), (9, 2500), (9, 4000), (11, 50_000))],
    ("rest", 18, 0, 50),
    *[("working", 4, seed, count) for seed in (0, -2**63) for count in (0, 1, 2, 3, 1000)],
    *[("working", 14, 0, count) for count in (0, 1, 4)],
]

for case in CASES:
    print(*case, image(*case).hex())
