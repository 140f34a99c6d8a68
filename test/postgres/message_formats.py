"""Formats of messages and their texts, without a server: what steno reads from a text gives the same text again.
   message_formats.py SOURCE WORK [SEED]"""

import ctypes
import os
import random
import re
import string
import subprocess
import sys

TEXT, SIGNED, UNSIGNED, HEX, DECIMAL = range(5)
VALUES = 24  # of a message, at most: kMessageValues


class Piece(ctypes.Structure):
    _fields_ = [("literal", ctypes.c_void_p), ("literal_size", ctypes.c_size_t), ("kind", ctypes.c_int),
                ("is_wide", ctypes.c_bool), ("is_capital", ctypes.c_bool), ("has_zeros", ctypes.c_bool),
                ("is_left", ctypes.c_bool), ("width", ctypes.c_int), ("decimals", ctypes.c_int), ("number", ctypes.c_int)]


class Format(ctypes.Structure):
    _fields_ = [("values", ctypes.c_int), ("pieces", Piece * VALUES), ("end", ctypes.c_void_p), ("end_size", ctypes.c_size_t),
                ("literals", ctypes.c_void_p)]


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]


class Value(ctypes.Union):
    _fields_ = [("number", ctypes.c_int64), ("real", ctypes.c_double), ("text", Text)]


class Library:
    def __init__(self, source, work):
        os.makedirs(work, exist_ok=True)
        name = os.path.join(work, "message_format.so")
        subprocess.run(["cc", "-std=gnu11", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", name,
                        os.path.join(source, "postgres", "message_format.c")], check=True)
        self.c = ctypes.CDLL(name)
        for function in ("parse_message_format", "match_message", "guess_message_format"):
            getattr(self.c, "steno_" + function).restype = ctypes.c_bool
        self.c.steno_print_message_format.restype = ctypes.c_size_t
        self.c.steno_message_letter.restype = ctypes.c_char
        self.free = ctypes.CDLL(None).free
        self.free.argtypes = [ctypes.c_void_p]

    def guess(self, text, room=2000):
        """The format of a text that has come without one; None: there is none."""
        out = ctypes.create_string_buffer(room)
        return out.value.decode() if self.c.steno_guess_message_format(text.encode(), out, ctypes.c_size_t(room)) else None

    def columns(self, form, text):
        """The brace format and its values; None: this is logged as text."""
        parsed = Format()
        if not self.c.steno_parse_message_format(form.encode(), ctypes.byref(parsed)):
            return None
        try:
            out = ctypes.create_string_buffer(2 * len(form) + VALUES * 18 + 1)
            size = self.c.steno_print_message_format(ctypes.byref(parsed), out)
            values = (Value * VALUES)()
            raw = text.encode()
            kept = ctypes.create_string_buffer(raw, len(raw) + 1)
            if not self.c.steno_match_message(ctypes.byref(parsed), kept, ctypes.c_size_t(len(raw)), values):
                return None
            found = {}
            for i in range(parsed.values):
                letter = self.c.steno_message_letter(ctypes.byref(parsed.pieces[i])).decode()
                value = values[i]
                bits = 32 if letter in "ij" else 64
                number = value.number % 2**bits
                found["m%d" % parsed.pieces[i].number] = (
                    ctypes.string_at(value.text.data, value.text.size).decode() if letter == "S" else
                    value.real if letter == "d" else
                    number - 2**bits if letter in "il" and number >= 2**(bits - 1) else number)
            return out.raw[:size].decode(), found
        finally:
            self.free(parsed.literals)


def check_known(library):
    """Messages of the server as they are."""
    for form, text, braces, values in (
            ("duration: %s ms", "duration: 0.125 ms", "duration: {m1:.3f} ms", [0.125]),
            ("duration: %s ms  %s %s%s%s: %s", "duration: 12.500 ms  execute <unnamed>/C_1: select ': '",
             "duration: {m1:.3f} ms  {m2} {m3}: {m4}", [12.5, "execute", "<unnamed>/C_1", "select ': '"]),
            ("waiting for %s after %ld.%03d ms", "waiting for a after b after 10.007 ms", "waiting for {m1} after {m2:.3f} ms",
             ["a after b", 10.007]),
            ("\"%s\" is %d%% of %lu", "\"a\" is b\" is -5% of 18446744073709551615", "\"{m1}\" is {m2}% of {m3}",
             ["a\" is b", -5, 2**64 - 1]),
            ("redo at %X/%08X {now}", "redo at AB/0000C0DE {now}", "redo at {m1:X}/{m2:08X} {{now}}", [0xAB, 0xC0DE]),
            ("time %d:%02d:%02d", "time 100:05:59", "time {m1}:{m2:02}:{m3:02}", [100, 5, 59]),
            ("%5d|%-5d|", "   42|42   |", "{m1:5}|{m2:<5}|", [42, 42]),
            ("division by zero", "division by zero", "division by zero", []),
            ("could not open \"%s\": %m", "could not open \"/a: b\": No such file", "could not open \"{m1}\": {m2}", ["/a: b", "No such file"]),
            ("%s %zu bytes", " 7 bytes", "{m1} {m2} bytes", ["", 7]),
            ("%+d of %*d", "+1 of   2", "{m1} of {m2}", ["+1", "  2"])):
        found = library.columns(form, text)
        assert found == (braces, {"m%d" % (i + 1): value for i, value in enumerate(values)}), (form, text, found)
    for form, text in (
            ("%s", "anything"), ("%s%s", "ab"), ("", ""), ("größe %d", "größe 1"), ("bell \a", "bell \a"), ("%1$s x", "a x"), ("100%", "100%"),
            ("%d rows", "007 rows"), ("%d rows", "-0 rows"), ("%d rows", "2147483648 rows"), ("%u rows", "-1 rows"), ("%d rows", " 1 rows"),
            ("%x x", "0a x"), ("%x x", "A x"), ("%X x", "a x"), ("%02d:", "007:"), ("%02d:", "7:"), ("%5d.", "  007."), ("%d rows", "1 row"), ("%d", "1 "),
            ("duration: %s ms", "duration: 0.12 ms"), ("duration: %s ms", "duration: 01.000 ms"), ("duration: %s ms", "duration: .125 ms"),
            ("%.3f s", "1234567890123456.000 s"), ("%.1f s", "nan s"), ("%ld s", "9223372036854775808 s"), ("a %s b", "a b"),
            ("%d " * (VALUES + 1), "1 " * (VALUES + 1))):
        assert library.columns(form, text) is None, (form, text, library.columns(form, text))


CHECKPOINT = (
    "%spoint complete:%s wrote {b} buffers ({c:.1f}%%)%s; {d} WAL file(s) added, {e} removed, {f} recycled; write={g:.3f} s, sync={h:.3f} s, total={i:.3f} s; "
    "sync files={j}, longest={k:.3f} s, average={l:.3f} s; distance={m} kB, estimate={n} kB%s")


def check_versions(library):
    """What each version says of a checkpoint has the same names of the same values."""
    values = [9, 0.5, 1, 2, 3, 4.005, 5.006, 6.007, 7, 8.008, 9.009, 10, 11]
    for kind in ("check", "restart"):
        for slru, lsn, more in (("", "", {}), ("", "; lsn={o:%s}/{p:%s}, redo lsn={q:%s}/{r:%s}", {"m14": 0, "m15": 0x1234ABC, "m16": 0, "m17": 0x12}),
                                (", wrote {z} SLRU buffers", "; lsn={o:%s}/{p:%s}, redo lsn={q:%s}/{r:%s}", {"m14": 0, "m15": 0x1234ABC, "m16": 0, "m17": 0x12, "m18": 77})):
            for flags, low in (("", "X"), ("{y}:", "08X"))[:2 if slru else 1]:  # the second: PostgreSQL 19
                pattern = CHECKPOINT % (kind, flags, slru, lsn % (("X", low) * 2) if lsn else "")
                named = {chr(ord("b") + i): "m%d" % (i + 1) for i in range(17)}
                named["z"], named["y"] = "m18", "m19"
                expected = {**{"m%d" % (i + 1): value for i, value in enumerate(values)}, **more, **({"m19": " time wait"} if flags else {})}
                form = re.sub(r"\{\w(:[^}]*)?\}", lambda m: {None: "%s" if m.group(0) == "{y}" else "%d", ":.1f": "%.1f", ":.3f": "%ld.%03d", ":X": "%X", ":08X": "%08X"}[m.group(1)], pattern.replace("%)", "%%)"))
                text = pattern.format(**{letter: expected.get(name, 0) for letter, name in named.items()})
                braces = re.sub(r"\{(\w)", lambda m: "{" + named[m.group(1)], pattern)
                assert library.columns(form, text) == (braces, expected), (form, text, library.columns(form, text), braces, expected)


def check_guesses(library, seed, rounds):
    """What is guessed from a text gives the same text again."""
    for text, braces, values in (
            ("order 17 of 3", "order {m1} of {m2}", [17, 3]),
            ("took 12.050 s, -3 left (-0.5%), 0 of -0", "took {m1:.3f} s, {m2} left ({m3:.1f}%), {m4} of -{m5}", [12.05, -3, -0.5, 0, 0]),
            ("2026-11-03 at 10.0.0.1 {x}", "{m1}-{m2}-{m3:02} at {m4}.{m5}.{m6}.{m7} {{x}}", [2026, 11, 3, 10, 0, 0, 1]),
            ("part-0007 of a-5", "part-{m1:04} of a-{m2}", [7, 5]),
            ("id 123456789012345678 of 1234567890123456789", "id {m1} of 1234567890123456789", [123456789012345678]),
            ("1234567890.123456 1.1234567890 01.5", "{m1}.{m2} {m3}.{m4} {m5:02}.{m6}", [1234567890, 123456, 1, 1234567890, 1, 5]),
            ("100%", "{m1}%", [100])):
        found = library.columns(library.guess(text), text)
        assert found == (braces, {"m%d" % (i + 1): value for i, value in enumerate(values)}), (text, library.guess(text), found)
    for text in ("", "no number", "größe 1", "bell \a 1", "1 " * (VALUES + 1), "12345678901234567890", "7", "-7", "007"):
        assert library.guess(text) is None, text
    assert library.guess("number 7" + "x" * 500, 500) is None and library.guess("7" * 480, 500) is None
    random_ = random.Random(seed)
    for _ in range(rounds):
        text = "".join(random_.choice(("0", "1", "25", "999", "-", ".", " ", ",", "a", "b c", "%", "%d", "{", "}", "{m1}", "=", "0.5", "-0", "00", "1" * random_.randrange(20)))
                       for _ in range(random_.randrange(1, 16)))
        form = library.guess(text)
        if form is None:
            continue
        found = library.columns(form, text)
        assert found is not None and found[0].format(**found[1]) == text, (seed, text, form, found)


CONVERSIONS = ("%d", "%ld", "%u", "%zu", "%x", "%X", "%s", "%m", "%c", "%03d", "%2u", "%-4d", "%08X", "%.1f", "%.3f", "%f", "%ld.%03d",
               "%s ms", "%5s", "%+d", "%%", "%#x", "%g")


def random_text(random_):
    return "".join(random_.choice(string.ascii_lowercase[:3] + " :.,%{}0é" + "5") for _ in range(random_.randrange(6)))


def print_one(random_, conversion):
    """A value as printf prints it."""
    number = random_.choice((0, 1, 7, 999, 1000, 2**31 - 1, random_.randrange(2**31)))
    if conversion == "%ld.%03d":
        return "%d.%03d" % (number, random_.randrange(1000))
    if conversion == "%s ms":
        return random_.choice(("%.3f ms" % (number / 1000), random_text(random_) + " ms"))
    if conversion in ("%s", "%m", "%5s"):
        return conversion.replace("m", "s") % random_text(random_)
    if conversion == "%c":
        return random_.choice(string.printable[:60])
    if conversion == "%%":
        return "%"
    signed = "d" in conversion or "f" in conversion or "g" in conversion
    return conversion.replace("z", "") % (-number if signed and random_.random() < 0.3 else number)


def check_random(library, seed, rounds):
    random_ = random.Random(seed)
    matched = 0
    for _ in range(rounds):
        parts = [random_.choice((random_.choice(CONVERSIONS), random_.choice((" ", ": ", "a", "ab", "0", ".", "{", "}", ""))))
                 for _ in range(random_.randrange(1, 9))]
        form = "".join(parts)
        text = "".join(print_one(random_, part) if part[:1] == "%" else part for part in parts)
        if random_.random() < 0.3 and text:  # another text than the format's
            at = random_.randrange(len(text))
            text = text[:at] + random_.choice(("", "0", "-", " ", "b")) + text[at + 1:]
        found = library.columns(form, text)
        if found is None:
            continue
        matched += 1
        assert found[0].format(**found[1]) == text, (seed, form, text, found)
    assert matched > rounds / 4, (matched, rounds)


def run(source, work, seed=None):
    library = Library(source, work)
    check_known(library)
    check_versions(library)
    seed = random.randrange(2**32) if seed is None else seed
    check_random(library, seed, 20000)
    check_guesses(library, seed, 5000)


if __name__ == "__main__":
    run(*sys.argv[1:3], *[int(seed) for seed in sys.argv[3:]])
