#!/usr/bin/env python3
"""Counts from exported HyperLogLogs: reads images in hex, as h::bytea or h::text
give them, one a line, and prints the estimate of each. For a sketch at rest, after
docs/FORMAT.md; it shows how little another language needs.
"""
import math

CODES = "12345688aaaaaaaa", "2223456889aaaaaa", "432234456799aaaa", "742233445778aaaa", "a532233556799aaa"


def words(lengths):
    """The canonical code: symbol of each word, words as strings of bits."""
    found, number = {}, 0
    for length in range(1, 11):
        for symbol, digit in enumerate(lengths):
            if int(digit, 16) == length:
                found[f"{number:0{length}b}"] = symbol
                number += 1
        number *= 2
    return found


def bits_of(data):
    return "".join(f"{byte:08b}"[::-1] for byte in data)


def leb128(data, at):
    if data[at] < 128:
        return data[at], at + 1
    rest, end = leb128(data, at + 1)
    return data[at] - 128 + 128 * rest, end


def decode(bits, count, code, offset):
    ranks, at = [], 0
    while len(ranks) < count:
        end = at + 1
        while bits[at:end] not in code:
            end += 1
        symbol, at = code[bits[at:end]], end
        ranks.append(offset + symbol if symbol < 15 else int(bits[at:at + 6][::-1], 2))
        at += 6 if symbol == 15 else 0
    return ranks


def registers(body, m):
    load, at, size = body[0], 1, min(m // 4, 4096)
    if load == 255:
        bits = bits_of(body[1:])
        return [int(bits[i:i + 6][::-1], 2) for i in range(0, 6 * m, 6)]
    number, offset = (load, 0) if load < 3 else (3 + (load - 3) % 2, (load - 3) // 2)
    code, lengths, ranks = words(CODES[number]), [], []
    for _ in range(m // size - 1):
        length, at = leb128(body, at)
        lengths.append(length)
    for length in lengths + [len(body) - at - sum(lengths)]:
        ranks += decode(bits_of(body[at:at + length]), size, code, offset)
        at += length
    return ranks


def sigma(x):
    return math.inf if x == 1 else x + math.fsum(x**2**k * 2**(k - 1) for k in range(1, 60))


def tau(x):
    return 0 if x == 0 else (1 - x - math.fsum((1 - x**2**-k)**2 * 2**-k for k in range(1, 60))) / 3


def estimate(image):
    head = 11 if image[1] & 8 else 3
    p, body = image[head], image[head + 1:]
    if image[1] & 7 == 0:  # sparse: the number of entries says it all
        return -2**26 * math.log(1 - leb128(body, 0)[0] / 2**26)
    m, q, ranks = 2**p, 64 - p, registers(body, 2**p)
    z = m * tau(1 - ranks.count(q + 1) / m)
    for rank in range(q, 0, -1):
        z = (z + ranks.count(rank)) / 2
    raw = m * m / (2 * math.log(2) * (z + m * sigma(ranks.count(0) / m)))
    return raw / (1 + (1.08 - 0.58 * math.exp(-0.385 * raw / m)) / m)


if __name__ == "__main__":
    for line in open(0):
        print(round(estimate(bytes.fromhex(line.strip().removeprefix("\\x")))))
