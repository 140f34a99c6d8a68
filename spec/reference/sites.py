"""Sites of log statements (file.md §5), and what they say of their records' values (types.md)."""

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

from integers import INT_TYPES, STRING_TYPES, WIDE_TYPES

LEVELS = ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "ERROR", "CRITICAL"]
NOTICE, WARN = 3, 4


class Site(NamedTuple):
    level: int
    style: int
    line: int
    format: bytes
    file: bytes
    function: bytes
    types: str
    context: Tuple[bytes, ...] = ()  # names of the last types, which are fields of context
    meanings: Tuple[Tuple[int, bytes], ...] = ()  # of types, by index (types.md)


# The protocol's own (ring.md §4.1).
OWN_SITES = {2: Site(WARN, 0, 0, b"{records} records dropped here: the ring was full since tick {since}", b"steno", b"",
                     "mm"),
             3: Site(WARN, 0, 0, b"{records} records discarded: {reason}", b"steno", b"", "mS"),
             4: Site(WARN, 0, 0, b"process {pid} ({program}) died at about {time}: {account}", b"steno", b"", "mSSS"),
             6: Site(NOTICE, 0, 0, b"flight recorder: {records} records kept, {overwritten} before them not: {reason}",
                     b"steno", b"", "mmS")}
KNOWN_TYPES = set(INT_TYPES) | set(WIDE_TYPES) | set(STRING_TYPES)


def flags(site: Optional[Site]) -> Dict[int, Dict[int, int]]:
    """types.md, Values that may be absent: by the index of a flag, each argument and what the flag is if that is there."""
    found: Dict[int, Dict[int, int]] = {}
    if site is None or site.style != 0:
        return found
    arguments = len(site.types) - len(site.context)
    for index, name in enumerate(site.context, arguments):
        one = re.fullmatch(rb"\?(\d+)", name) if site.types[index] == "b" else None
        several = re.fullmatch(rb"\|(\d+),(\d+)", name) if site.types[index] == "h" else None
        if one:
            values = {int(one[1]): 1}
        elif several:
            values = {int(several[1]) + n: n for n in range(min(int(several[2]), arguments + 1))}
        else:
            continue
        taken = {argument for flag in found.values() for argument in flag}
        if values and max(values) < arguments and not taken & set(values):
            found[index] = values
    return found


def without_flags(site: Optional[Site], values: List[Tuple[str, object]]) -> List[Tuple[str, object]]:
    """What a record's values are: without flags, and None where there is none."""
    found = flags(site)
    absent = {argument for flag, known in found.items() for argument, value in known.items() if values[flag][1] != value}
    return [(letter, None if i in absent else value) for i, (letter, value) in enumerate(values) if i not in found]


def redacted(site: Optional[Site], values: List[Tuple[str, object]]) -> List[Tuple[str, object]]:
    """types.md, Secrets."""
    secrets = {index for index, meaning in site.meanings if meaning.startswith(b"!")} if site is not None else set()
    return [("S", b"[redacted]") if i in secrets else value for i, value in enumerate(values)]
