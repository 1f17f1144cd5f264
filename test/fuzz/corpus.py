#!/usr/bin/env python3
"""Writes the seed corpora test/fuzz/corpus/TYPE from test/data/TYPE_golden.txt.

Each image alone, and with the one after it of the same parameters.
"""
import pathlib

root = pathlib.Path(__file__).parent


def images_of(sketch):
    """What lines say about images that are given whole, not by a sum: form, parameters, count, image."""
    lines = [line.split() for line in (root / f"../data/{sketch}_golden.txt").read_text().splitlines()]
    return [line[1:] if line[0] == "image" else line for line in lines
            if line[0] not in ("size", "geometry", "union") and ":" not in line[-1]]


def write(sketch, name, first, second=b""):
    folder = root / "corpus" / sketch
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(len(first).to_bytes(2, "little") + first + second)


def write_all(sketch, name_of, lines=None):
    lines = images_of(sketch) if lines is None else lines
    for at, (form, *parameters, count, image) in enumerate(lines):
        write(sketch, name_of(form, *parameters, count), bytes.fromhex(image))
        later = [line for line in lines[at + 1:] if line[1:-2] == parameters]
        if later:
            write(sketch, name_of(form, *parameters, count) + "-pair", bytes.fromhex(image), bytes.fromhex(later[0][-1]))


def seeded(seed):
    return "seed-" if seed != "0" else ""


write("hll", "parameterless", bytes.fromhex("1110000000"))
write_all("hll", lambda form, p, seed, count: f"{form}-p{p}-{seeded(seed)}{count}")

self_sized = ("collected", "oversized", "folded", "grown")
write("bloom", "parameterless", bytes.fromhex("211000"))
write_all("bloom", lambda form, capacity, rate, seed, count: f"{form}-{capacity}-at-{rate}-{seeded(seed)}{count}",
          [line for line in images_of("bloom") if line[0] not in self_sized])
write_all("bloom", lambda form, rate, seed, *numbers: "-".join([form, rate, seeded(seed) + numbers[0], *numbers[1:]]),
          [line for line in images_of("bloom") if line[0] in self_sized])

write("counting_bloom", "parameterless", bytes.fromhex("311000"))
write_all("counting_bloom",
          lambda form, capacity, rate, seed, what, count: f"{form}-{capacity}-at-{rate}-{seeded(seed)}{what}-{count}")

write("cuckoo", "parameterless", bytes.fromhex("411000"))
write_all("cuckoo", lambda form, capacity, rate, seed, count: f"{capacity}-at-{rate}-{seeded(seed)}{count}",
          [["rest", *line[:3], "-".join(line[3:5]), line[5]] for line in images_of("cuckoo")])

write("cms", "parameterless", bytes.fromhex("511000"))
write_all("cms",
          lambda form, epsilon, delta, seed, what, count: f"{form}-{epsilon}-{delta}-{seeded(seed)}{what}-{count}")

write("topk", "parameterless", bytes.fromhex("611000"))
write_all("topk",
          lambda form, k, seed, what, count: f"{form}-k{k}-{seeded(seed)}{what}-{count}")
