"""Random values of scalar types, each as a SQL literal and its byte image, after
docs/FORMAT.md, "Values". value_oracle.py has the types that hold others.
"""
import ipaddress
import random
import struct
from datetime import date, datetime, timedelta
from decimal import Decimal

rng = random.Random(1)


def word(number):
    return struct.pack("<q", number) if number < 2**63 else struct.pack("<Q", number)


def word32(number):
    return struct.pack("<i", number)


def integer(bits):
    edge = rng.choice([0, 1, -1, 2 ** (bits - 1) - 1, -(2 ** (bits - 1))])
    number = rng.choice([edge, rng.getrandbits(bits) - 2 ** (bits - 1), rng.randint(-300, 300)])
    return str(number), word(number)


def unsigned(bits):
    number = rng.choice([0, 2**bits - 1, rng.getrandbits(bits)])
    return str(number), word(number)


def characters(longest):
    blocks = [(0x20, 0x7E), (0xA1, 0x17F), (0x391, 0x3C9), (0x4E00, 0x9FA5), (0x1F600, 0x1F64F)]
    count = rng.choice([0, 1, rng.randint(2, 20), rng.randint(0, longest)])
    block = rng.choice(blocks)
    return "".join(chr(rng.randint(*rng.choice([block, blocks[0]]))) for _ in range(count))


def text():
    made = rng.choice([characters(600), characters(20) + rng.choice("\t\n\\\"'{},() ")])
    return made, made.encode()


def padded():
    made = characters(20).rstrip(" ")
    return made + " " * rng.randint(0, 5), made.encode()


def name():
    made = characters(15)
    return made, made.encode()


def single_char():
    code = rng.choice([0, rng.randint(0x20, 0x7E)])
    return chr(code) if code else "", bytes([code])


def label():
    made = rng.choice(["low", "großartig", "ひどい", "two words", "it's"])
    return made, made.encode()


def boolean():
    made = rng.random() < 0.5
    return rng.choice(["true", "t", "on", "1"] if made else ["false", "f", "off", "0"]), word(int(made))


def floating(single):
    number = rng.choice([0.0, -0.0, 1.5, float("inf"), float("-inf"), float("nan"), 5e-324, rng.uniform(-1e3, 1e3),
                         rng.choice([1, -1]) * 10 ** rng.uniform(-300, 300)])
    if single:
        if abs(number) < float("inf") and not 1e-37 < abs(number) < 1e38:
            number = rng.choice([-0.0, rng.gauss(0, 100)])
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    if number != number:
        return "NaN", bytes.fromhex("000000000000f87f")
    return repr(number), struct.pack("<d", number if number != 0 else 0.0)


def plain(number):
    """Digits without an exponent and without zeros that end a fraction."""
    if number == 0:
        return b"0"
    digits = format(number, "f")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits).encode()


def finite_decimal():
    digits = "".join(rng.choice("0123456789") for _ in range(rng.choice([1, 3, 9, 40])))
    fraction = rng.choice(["", ".0", ".50", ".000", "." + str(rng.getrandbits(60))])
    exponent = rng.choice(["", "", f"e{rng.randint(-20, 20)}"])
    return rng.choice(["", "-"]) + (digits.lstrip("0") or "0") + fraction + exponent


def numeric():
    if rng.random() < 0.02:
        made = rng.choice(["NaN", "Infinity", "-Infinity"])
        return made, made.encode()
    made = finite_decimal()
    return made, plain(Decimal(made))


def money():
    cents = rng.choice([0, rng.randint(-10**6, 10**6), rng.randint(-10**15, 10**15)])
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}", word(cents)


def binary():
    made = rng.randbytes(rng.choice([0, 1, 3, 8, 16, 17, 100, 128, 129, 200, 240, 241, 3000]))
    return "\\x" + made.hex(), made


def uuid():
    made = rng.randbytes(16)
    return made.hex(), made


def day():
    if rng.random() < 0.03:
        sign = rng.choice(["", "-"])
        return sign + "infinity", word(-(2**31) if sign else 2**31 - 1)
    made = date(2000, 1, 1) + timedelta(days=rng.randint(-700_000, 2_900_000))
    return made.isoformat(), word((made - date(2000, 1, 1)).days)


def timestamp(zone):
    if rng.random() < 0.03:
        sign = rng.choice(["", "-"])
        return sign + "infinity", word(-(2**63) if sign else 2**63 - 1)
    start = datetime(2000, 1, 1)
    made = start + timedelta(days=rng.randint(-700_000, 2_900_000), microseconds=rng.randrange(86_400_000_000))
    offset = rng.randint(-15, 15) if zone else 0
    return made.isoformat(" ") + (f"{offset:+03}:00" if zone else ""), \
        word((made - timedelta(hours=offset) - start) // timedelta(microseconds=1))


def clock():
    microseconds = rng.choice([0, 86_400_000_000, rng.randrange(86_400_000_000)])
    seconds, fraction = divmod(microseconds, 1_000_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}", microseconds


def time():
    literal, microseconds = clock()
    return literal, word(microseconds)


def timetz():
    literal, microseconds = clock()
    offset = rng.randint(-15, 15)
    return f"{literal}{offset:+03}:30", word(microseconds) + word32(-(offset * 3600 + (1800 if offset >= 0 else -1800)))


def interval():
    months, days = rng.randint(-2000, 2000), rng.choice([0, 30, -30, rng.randint(-10**6, 10**6)])
    microseconds = rng.choice([0, 86_400_000_000, rng.randint(-10**15, 10**15)])
    length = (months * 30 + days) * 86_400_000_000 + microseconds
    return f"{months} mons {days} days {microseconds} microseconds", length.to_bytes(16, "little", signed=True)


def address(network):
    version = rng.choice([4, 6])
    width = 32 if version == 4 else 128
    bits = rng.choice([width, rng.randint(0, width)])
    number = rng.getrandbits(width)
    if network:
        number &= ~((1 << (width - bits)) - 1)
    made = ipaddress.IPv4Address(number) if version == 4 else ipaddress.IPv6Address(number)
    return f"{made}/{bits}", bytes([version, bits]) + made.packed


def mac(size):
    made = rng.randbytes(size)
    return ":".join(f"{byte:02x}" for byte in made), made


def bits():
    made = "".join(rng.choice("01") for _ in range(rng.choice([1, 7, 8, 9, 64, rng.randint(1, 300)])))
    whole = made + "0" * (-len(made) % 8)
    return made, word32(len(made)) + bytes(int(whole[i:i + 8], 2) for i in range(0, len(whole), 8))


def lsn():
    number = rng.getrandbits(64)
    return f"{number >> 32:X}/{number & 0xFFFFFFFF:X}", word(number)
