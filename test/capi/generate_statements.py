#!/usr/bin/env python3
"""Writes a file of C with statements of generated printf formats and arguments, each beside an snprintf of the same.

    generate_statements.py FILE
"""
import random
import sys

STATEMENTS = 400
INTEGERS = {"hh": ("signed char", "unsigned char", 7), "h": ("short", "unsigned short", 15), "": ("int", "unsigned", 31),
            "l": ("long", "unsigned long", 63), "ll": ("long long", "unsigned long long", 63),
            "z": ("ssize_t", "size_t", 63), "j": ("intmax_t", "uintmax_t", 63)}


def flags(pick, allowed):
    chosen = "".join(flag for flag in allowed if pick.random() < 0.25)
    if "-" in chosen:
        chosen = chosen.replace("0", "")
    if "+" in chosen:
        chosen = chosen.replace(" ", "")
    return chosen


def sizes(pick, arguments, precision):
    """A width and perhaps a precision; some of them are arguments."""
    text = ""
    for begin, chance in (("", 0.4), (".", 0.4 if precision else 0)):
        if pick.random() >= chance:
            continue
        if pick.random() < 0.2:
            text += begin + "*"
            arguments.append(str(pick.randint(0, 12)))
        else:
            text += begin + str(pick.randint(1, 12))
    return text


def field(pick, arguments):
    kind = pick.choice("iiiiuuxffgseslcp")
    if kind in "iux":
        length = pick.choice(list(INTEGERS))
        signed, unsigned, bits = INTEGERS[length]
        conversion = {"i": pick.choice("di"), "u": "u", "x": pick.choice("xXo")}[kind]
        chosen = flags(pick, "-+ 0" if kind == "i" else "-0" if kind == "u" else "-#0")
        size = sizes(pick, arguments, "0" not in chosen)
        value = pick.choice([0, 1, pick.getrandbits(bits), pick.getrandbits(6)])
        if kind == "i" and pick.random() < 0.5:
            value = -value
        suffix = "ll" if kind == "i" else "ull"
        arguments.append(f"({signed if kind == 'i' else unsigned}){value}{suffix}")
        return "%" + chosen + size + length + conversion
    if kind in "fge":
        chosen = flags(pick, "-+ #0")
        size = sizes(pick, arguments, True)
        value = pick.choice([0.0, 1.5, -2.25, 0.1, pick.uniform(-1e6, 1e6), pick.uniform(-1, 1)])
        if pick.random() < 0.2:
            arguments.append(f"{value!r}L")
            return "%" + chosen + size + "L" + kind
        arguments.append(f"{value!r}" + pick.choice(["", "f"]))
        return "%" + chosen + size + kind
    if kind == "c":
        size = sizes(pick, arguments, False)
        arguments.append(f"'{pick.choice('abcxyz')}'")
        return "%" + flags(pick, "-") + size + "c"
    if kind == "p":
        arguments.append(f"(void*){pick.getrandbits(40)}")
        return "%p"
    chosen = flags(pick, "-")
    size = sizes(pick, arguments, True)
    arguments.append('"' + "".join(pick.choice("abc .-") for _ in range(pick.randint(0, 20))) + '"')
    return "%" + chosen + size + "s"


def main():
    pick = random.Random(11)
    lines = ['#include <stdint.h>', '#include <stdio.h>', '#include <sys/types.h>', '#include "statements.h"', "",
             "void c_log_generated(void) {"]
    for _ in range(STATEMENTS):
        arguments = []
        text = " ".join(field(pick, arguments) for _ in range(pick.randint(1, 5)))
        call = ", ".join([f'"{text}|"', *arguments])
        lines += [f"  snprintf(c_next_expected(), sizeof c_expected[0], {call});", f"  STENO_INFOF({call});"]
    lines += ["}", ""]
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.write("\n".join(lines))


if __name__ == "__main__":
    main()
