#!/usr/bin/env python3
"""Writes the seed corpora test/fuzz/corpus/TYPE from test/data/TYPE_golden.txt.

Each image alone, and with the one after it of the same parameters.
"""
import pathlib

root = pathlib.Path(__file__).parent


def images_of(sketch):
    """Lines about images that are given whole, not by a sum. Those of hll are of nothing else."""
    lines = [line.split() for line in (root / f"../data/{sketch}_golden.txt").read_text().splitlines()]
    if sketch != "hll":
        lines = [line[1:] for line in lines if line[0] == "image"]
    return [line for line in lines if ":" not in line[-1]]


def write(sketch, name, first, second=b""):
    folder = root / "corpus" / sketch
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(len(first).to_bytes(2, "little") + first + second)


def write_all(sketch, name_of):
    """Lines end in count and image, in front of them are form and parameters."""
    lines = images_of(sketch)
    for at, (form, *parameters, count, image) in enumerate(lines):
        name = name_of(form, *parameters, count)
        write(sketch, name, bytes.fromhex(image))
        later = [line for line in lines[at + 1:] if line[1:-2] == parameters]
        if later:
            write(sketch, name + "-pair", bytes.fromhex(image), bytes.fromhex(later[0][-1]))


def seeded(seed):
    return "seed-" if seed != "0" else ""


write("hll", "parameterless", bytes.fromhex("1110000000"))
write_all("hll", lambda form, p, seed, count: f"{form}-p{p}-{seeded(seed)}{count}")

write("bloom", "parameterless", bytes.fromhex("211000"))
write_all("bloom",
          lambda form, capacity, rate, seed, count: f"{form}-{capacity}-at-{rate}-{seeded(seed)}{count}")

write_all("bloom", [line for line in lines_of("bloom") if line[0] not in ("size", "image") and line[-1][:5] != "xxh3:"],
          lambda form, rate, seed, *numbers: "-".join([form, rate, seeded(seed) + numbers[0], *numbers[1:]]))

write("cms", "parameterless", bytes.fromhex("511000"))
write_all("cms",
          lambda form, epsilon, delta, seed, what, count: f"{form}-{epsilon}-{delta}-{seeded(seed)}{what}-{count}")

write("topk", "parameterless", bytes.fromhex("611000"))
write_all("topk",
          lambda form, k, seed, what, count: f"{form}-k{k}-{seeded(seed)}{what}-{count}")

write("counting_bloom", "parameterless", bytes.fromhex("311000"))
write_all("counting_bloom", [line for line in lines_of("counting_bloom") if ":" not in line[-1]],
          lambda form, capacity, rate, seed, what, count: f"{form}-{capacity}-at-{rate}-{seeded(seed)}{what}-{count}")
