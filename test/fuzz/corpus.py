#!/usr/bin/env python3
"""Writes the seed corpus test/fuzz/corpus/hll from test/data/hll_golden.txt.

Each image alone, and with the one after it of the same precision and seed.
"""
import pathlib

root = pathlib.Path(__file__).parent
lines = [line.split() for line in (root / "../data/hll_golden.txt").read_text().splitlines()]
folder = root / "corpus/hll"
folder.mkdir(parents=True, exist_ok=True)


def write(name, first, second=b""):
    (folder / name).write_bytes(len(first).to_bytes(2, "little") + first + second)


write("parameterless", bytes.fromhex("1110000000"))
for at, (form, p, seed, count, image) in enumerate(lines):
    name = f"{form}-p{p}-{'seed-' if seed != '0' else ''}{count}"
    write(name, bytes.fromhex(image))
    later = [line for line in lines[at + 1:] if line[1:3] == [p, seed]]
    if later:
        write(name + "-pair", bytes.fromhex(image), bytes.fromhex(later[0][4]))
