#!/usr/bin/python3
"""An independent reading of docs/FORMAT.md, "Values": makes random values of
every type, their byte images and XXH3 hashes, and prints a line for COPY each:
SQL type, literal, seed, hash as a bigint.

Usage: value_oracle.py VALUES_PER_TYPE
"""
import struct
import sys
from datetime import date, timedelta
from decimal import Decimal

import xxhash

from value_scalars import *

NULL = struct.pack("<I", 0xFFFFFFFF)
KINDS = {"int4": 2, "text": 8, "numeric": 6, "date": 12, "int4[]": 0x40 | 2}


def part(image):
    return NULL if image is None else word32(len(image)) + image


def quoted(literal):
    return '"' + literal.replace("\\", "\\\\").replace('"', '\\"') + '"'


def array(make):
    shape = [rng.randint(1, 3) for _ in range(rng.choice([0, 1, 1, 1, 2, 3]))]
    lower = [rng.choice([1, 1, rng.randint(-5, 5)]) for _ in shape]
    image = word32(len(shape)) + b"".join(word32(size) + word32(low) for size, low in zip(shape, lower))

    def braces(depth):
        nonlocal image
        if depth == len(shape):
            literal, element = ("NULL", None) if rng.random() < 0.1 else make()
            image += part(element)
            return "NULL" if element is None else quoted(literal)
        return "{" + ",".join(braces(depth + 1) for _ in range(shape[depth])) + "}"

    literal = braces(0) if shape else "{}"
    if any(low != 1 for low in lower):
        literal = "".join(f"[{low}:{low + size - 1}]" for low, size in zip(lower, shape)) + "=" + literal
    return literal, image


def range_of(low, high, make, discrete):
    """A range between two ordered numbers; bounds may be missing."""
    if rng.random() < 0.05:
        return "empty", b"\x01"
    low_literal, low_image = ("", b"") if low is None else make(low)
    high_literal, high_image = ("", b"") if high is None else make(high)
    inclusive = (low is not None and (discrete or rng.random() < 0.5),
                 high is not None and not discrete and rng.random() < 0.5)
    flags = 2 * inclusive[0] | 4 * inclusive[1] | 8 * (low is None) | 16 * (high is None)
    literal = ("[" if inclusive[0] else "(") + low_literal + "," + high_literal + ("]" if inclusive[1] else ")")
    return literal, bytes([flags]) + (part(low_image) if low is not None else b"") \
        + (part(high_image) if high is not None else b"")


def a_word(number):
    return str(number), word(number)


def a_day(number):
    return (date(2000, 1, 1) + timedelta(days=number)).isoformat(), word(number)


def a_decimal(number):
    return f"{number / 4:.3f}", plain(Decimal(number) / 4)


def random_range(make, discrete):
    low, high = sorted(rng.sample(range(-10**5, 10**5), 2))
    return range_of(rng.choice([low, low, None]), rng.choice([high, high, None]), make, discrete)


def multirange(make, discrete):
    ends = sorted(rng.sample(range(-10**5, 10**5, 3), 2 * rng.randint(0, 4)))
    made = [range_of(low, high, make, discrete) for low, high in zip(ends[::2], ends[1::2])]
    made = [(literal, image) for literal, image in made if literal != "empty"]
    return "{" + ",".join(literal for literal, _ in made) + "}", \
        word32(len(made)) + b"".join(image for _, image in made)


def record():
    columns = [("int4", integer(32)), ("text", text()), ("numeric", numeric()), ("date", day()),
               ("int4[]", array(lambda: integer(32)))]
    literals, image = [], b""
    for kind, (literal, value) in columns:
        is_null = rng.random() < 0.1
        literals.append("" if is_null else quoted(literal))
        image += bytes([KINDS[kind]]) + part(None if is_null else value)
    return "(" + ",".join(literals) + ")", image


def json_string():
    made = characters(40) + rng.choice(["", "\t", '"', "\\", "é"])
    escaped = made.replace("\\", "\\\\").replace('"', '\\"').replace("\t", "\\t")
    return f'"{escaped}"', made.encode()


def jsonb(depth=3):
    kind = rng.choice("ntfdsddss" + "aoao" * (depth > 0))
    if kind in "ntf":
        return {"n": "null", "t": "true", "f": "false"}[kind], kind.encode()
    if kind == "d":
        made = finite_decimal()
        return made, b"d" + part(plain(Decimal(made)))
    if kind == "s":
        literal, image = json_string()
        return literal, b"s" + part(image)
    count = rng.choice([0, 1, 2, 5])
    values = [jsonb(depth - 1) for _ in range(count)]
    if kind == "a":
        return "[" + ", ".join(literal for literal, _ in values) + "]", \
            b"a" + word32(count) + b"".join(image for _, image in values)
    members = {}  # the last of equal keys counts
    literals = []
    for literal, image in values:
        key_literal, key = json_string()
        literals.append(f"{key_literal}: {literal}")
        members[key] = image
    return "{" + ", ".join(literals) + "}", \
        b"o" + word32(len(members)) + b"".join(part(key) + members[key] for key in sorted(members))


TYPES = {
    "bool": boolean, "int2": lambda: integer(16), "int4": lambda: integer(32), "int8": lambda: integer(64),
    "oid": lambda: unsigned(32), "xid": lambda: unsigned(32), "cid": lambda: unsigned(32),
    "xid8": lambda: unsigned(64), "float4": lambda: floating(True), "float8": lambda: floating(False),
    "numeric": numeric, "money": money, "text": text, "varchar": text, "char(30)": padded, "name": name,
    '"char"': single_char, "bytea": binary, "uuid": uuid, "date": day, "timestamp": lambda: timestamp(False),
    "timestamptz": lambda: timestamp(True), "time": time, "timetz": timetz, "interval": interval,
    "inet": lambda: address(False), "cidr": lambda: address(True), "macaddr": lambda: mac(6),
    "macaddr8": lambda: mac(8), "varbit": bits, "pg_lsn": lsn, "mood": label, "jsonb": jsonb,
    "positive": lambda: a_word(rng.getrandbits(30)), "int4[]": lambda: array(lambda: integer(32)),
    "text[]": lambda: array(text), "numeric[]": lambda: array(numeric), "mood[]": lambda: array(label),
    "int4range": lambda: random_range(a_word, True), "int8range": lambda: random_range(a_word, True),
    "daterange": lambda: random_range(a_day, True), "numrange": lambda: random_range(a_decimal, False),
    "int4multirange": lambda: multirange(a_word, True), "nummultirange": lambda: multirange(a_decimal, False),
    "visit": record, "visit[]": lambda: array(record),
}


def main():
    for sql_type, make in TYPES.items():
        for _ in range(int(sys.argv[1])):
            literal, image = make()
            seed = rng.choice([0, 0, 1, -1, rng.getrandbits(64) - 2**63])
            digest = xxhash.xxh3_64_intdigest(image, seed=seed % 2**64)
            signed = digest - 2**64 if digest >= 2**63 else digest
            escaped = literal.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")
            sys.stdout.buffer.write(f"{sql_type}\t{escaped}\t{seed}\t{signed}\n".encode())


main()
