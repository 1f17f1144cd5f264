#!/usr/bin/env python3
"""Prints the code lengths of src/hll/dense_code.hpp, a line for each code, and
what the codes cost: the mean bits a register over loads n / m = 2^-3 .. 2^16.

Lengths are the best of at most 10 bits for the distribution at one load
(package-merge: Larmore and Hirschberg 1990).
"""
import math

SYMBOLS, LONGEST, ESCAPED = 15, 10, 6


def chances(load):
    """Of each rank, 0..63."""
    below = [math.exp(-load / 2**rank) for rank in range(63)] + [1]
    return [high - low for high, low in zip(below, [0] + below)]


def best_lengths(weights):
    items = sorted((weight, (symbol,)) for symbol, weight in enumerate(weights))
    packages = []
    for _ in range(LONGEST):
        pairs = zip(packages[::2], packages[1::2])
        packages = sorted(items + [(a + b, c + d) for (a, c), (b, d) in pairs])
    taken = [symbol for _, symbols in packages[:2 * len(weights) - 2] for symbol in symbols]
    return [taken.count(symbol) for symbol in range(len(weights))]


def code_for(load):
    own = chances(load)[:SYMBOLS]
    return best_lengths([max(chance, 1e-12) for chance in own + [1 - sum(own)]])


def cost(load, code, offset):
    return sum(chance * (code[rank - offset] if 0 <= rank - offset < SYMBOLS else code[-1] + ESCAPED)
               for rank, chance in enumerate(chances(load)))


CODES = [code_for(2**exponent) for exponent in (-1, 0.5, 1.5, 2.3, 2.8)]
for code in CODES:
    print(*code)

choices = [(code, 0) for code in CODES[:3]] + [(code, offset) for offset in range(16) for code in CODES[3:]]
costs = [min(cost(2**(step / 16), *choice) for choice in choices) for step in range(-48, 257)]
print(f"# worst {max(costs):.4f}, mean from 2^4 on {sum(costs[112:]) / len(costs[112:]):.4f}, at 2^-3 {costs[0]:.4f}")
