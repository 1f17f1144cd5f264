#!/usr/bin/env python3
"""Writes the seed corpora test/fuzz/corpus/TYPE from test/data/TYPE_golden.txt.

Each image alone, and with the one after it of the same parameters.
"""
import pathlib

root = pathlib.Path(__file__).parent


def lines_of(sketch):
    return [line.split() for line in (root / f"../data/{sketch}_golden.txt").read_text().splitlines()]


def write(sketch, name, first, second=b""):
    folder = root / "corpus" / sketch
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(len(first).to_bytes(2, "little") + first + second)


def write_all(sketch, lines, name_of):
    """Lines end in count and image, in front of them are form and parameters."""
    for at, (form, *parameters, count, image) in enumerate(lines):
        name = name_of(form, *parameters, count)
        write(sketch, name, bytes.fromhex(image))
        later = [line for line in lines[at + 1:] if line[1:-2] == parameters]
        if later:
            write(sketch, name + "-pair", bytes.fromhex(image), bytes.fromhex(later[0][-1]))


def seeded(seed):
    return "seed-" if seed != "0" else ""


write("hll", "parameterless", bytes.fromhex("1110000000"))
write_all("hll", lines_of("hll"), lambda form, p, seed, count: f"{form}-p{p}-{seeded(seed)}{count}")

write("bloom", "parameterless", bytes.fromhex("211000"))
write_all("bloom", [line[1:] for line in lines_of("bloom") if line[0] == "image" and line[-1][:5] != "xxh3:"],
          lambda form, capacity, rate, seed, count: f"{form}-{capacity}-at-{rate}-{seeded(seed)}{count}")

write("cms", "parameterless", bytes.fromhex("511000"))
write_all("cms", [line[1:] for line in lines_of("cms") if line[0] == "image" and ":" not in line[-1]],
          lambda form, epsilon, delta, seed, what, count: f"{form}-{epsilon}-{delta}-{seeded(seed)}{what}-{count}")

write("topk", "parameterless", bytes.fromhex("611000"))
write_all("topk", [line[1:] for line in lines_of("topk") if ":" not in line[-1]],
          lambda form, k, seed, what, count: f"{form}-k{k}-{seeded(seed)}{what}-{count}")

write("cuckoo", "parameterless", bytes.fromhex("411000"))
write_all("cuckoo", [["rest", *line[1:4], "-".join(line[4:6]), line[6]] for line in lines_of("cuckoo")
                     if line[0] == "image" and ":" not in line[-1]],
          lambda form, capacity, rate, seed, count: f"{capacity}-at-{rate}-{seeded(seed)}{count}")
