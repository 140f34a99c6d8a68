#!/usr/bin/env python3
"""What redact takes out of logs, against what the patterns match in them.

    redact_check.py STENO SOURCE

The reader of spec/reference says what the values were and what they are.
"""
import re
import sys
import tempfile
from pathlib import Path

from new_logs import end, expect, run

SOURCE = Path(sys.argv[2])
sys.path.insert(0, str(SOURCE / "spec/reference"))
import steno_file  # noqa: E402
from little_endian import Unsupported  # noqa: E402

VECTORS = sorted((SOURCE / "spec/vectors").glob("*.steno"))
VECTORS = [path for path in VECTORS if path.name != "same_tag.steno"]  # sessions that alternate do not after a copy
PROTOCOL = (2, 3, 4, 6)  # numbers of statements that say how much was lost: counts stay


def records(path, show_secrets=False):
    """None: they cannot be read here, without the command zstd."""
    try:
        return [record for record in steno_file.records(path.read_bytes(), show_secrets) if record.site is not None]
    except Unsupported:
        return None


def is_match(pattern, text):
    return re.search(pattern.encode(), text) is not None


def list_after(stored, letter, pattern):
    """A list of numbers: those that match are 0, and so are bytes of a text that matches."""
    size = {"b": 1, "a": 1, "h": 1, "s": 2, "t": 2, "i": 4, "j": 4, "f": 4}.get(letter, 8)
    mark = re.search("…\\[\\+[0-9]+ bytes\\]$".encode(), stored)
    end = mark.start() if mark else len(stored)
    result = b""
    for at in range(0, end - end % size, size):
        element = stored[at:at + size]
        number = int.from_bytes(element, "little", signed=letter in "asil")
        is_integer = letter in "asilhtjm"
        result += bytes(size) if is_integer and is_match(pattern, str(number).encode()) else element
    result += bytes(end % size) + stored[end:]
    if size == 1:
        for found in re.finditer(pattern.encode(), stored[:end]):
            result = result[:found.start()] + bytes(found.end() - found.start()) + result[found.end():]
    return result


def value_after(record, index, pattern):
    letter, value = record.values[index]
    meaning = dict(record.site.meanings).get(index, b"")
    if value is None:
        return value
    if letter == "S" and meaning.startswith(b"["):
        return list_after(value, chr(meaning[1]), pattern)
    if letter == "S":
        return re.sub(pattern.encode(), b"[redacted]", value)
    if letter in "UW":
        encoding = "utf-16-le" if letter == "U" else "utf-32-le"
        matches = is_match(pattern, value.decode(encoding, errors="replace").encode())
        return "[redacted]".encode(encoding) if matches else value
    if letter in "asilnhtjmop" and record.site_id not in PROTOCOL:
        number = value if isinstance(value, int) else int.from_bytes(value, "little", signed=letter == "n")
        if is_match(pattern, (hex if letter == "p" else str)(number).encode()):
            return 0 if isinstance(value, int) else bytes(16)
    return value


def check_values(out):
    """Each value that matches is replaced, and all others are what they were."""
    changed = set()
    for vector in VECTORS:
        before = records(vector)
        if before is None:
            continue
        for pattern in ("^7$", "[0-9]+", "\\x07", "^-", "[13]", "^[0-9]$", "0x7f", "testprog", "ixtee|hirty"):
            out.unlink(missing_ok=True)
            run("redact", vector, "--match", pattern, "-o", out)
            after = records(out) if out.exists() else []
            if after is None:
                continue
            if not expect(len(after) == len(before), "records", vector.name, pattern):
                continue
            for old, new in zip(before, after):
                for index, (letter, value) in enumerate(old.values):
                    expect(new.values[index] == (letter, value_after(old, index, pattern)), vector.name, pattern, letter,
                           old.site.meanings, value, "->", new.values[index])
                    if new.values[index][1] != value:
                        kind = "list" if dict(old.site.meanings).get(index, b"")[:1] == b"[" else letter
                        changed.add(kind if old.site_id not in PROTOCOL else "own")
    expect(changed >= {*"asilnhtjmopSUW", "list", "own"}, "values of these types changed:", changed)


def check_formats(out):
    """Formats print, whatever the pattern replaces in them, and by what."""
    for vector in VECTORS:
        before = run("cat", vector)[1].count(b"{!format")
        for pattern, text in (("d", "[redacted]"), ("d", "100%"), ("[a-z]+", "{x}%d}"), ("[%{}:]", "_"), ("i", "")):
            out.unlink(missing_ok=True)
            run("redact", vector, "--match", pattern, "--texts", "--with", text, "-o", out)
            printed = run("cat", out)[1] if out.exists() else b""
            expect(printed.count(b"{!format") <= before, "formats", vector.name, pattern, text, printed[:300])
    out.unlink(missing_ok=True)
    run("redact", SOURCE / "spec/vectors/meanings.steno", "--match", "buy|ms", "--texts", "-o", out)
    names = {dict(record.site.meanings).get(2) for record in records(out)}
    expect(b"=0 [redacted],1 sell,255 neither" in names, "names of an enumeration", names)
    out.unlink()


def check_counts(out):
    """Each pattern's number of matches, as Python finds them; one that matches nothing is no success."""
    vector = SOURCE / "spec/vectors/two_sessions.steno"
    before = records(vector)
    if before is None:
        return
    patterns = ["[a-z]+", "[0-9]", "zzz-not-there"]
    expected = dict.fromkeys(patterns, 0)
    for record in before:
        for index, (letter, value) in enumerate(record.values):
            if value is None:
                continue
            for pattern in patterns:
                if letter == "S" and not dict(record.site.meanings).get(index, b"").startswith(b"["):
                    expected[pattern] += len(re.findall(pattern.encode(), value))
                elif letter in "asilhtjmp" and record.site_id not in PROTOCOL:
                    expected[pattern] += is_match(pattern, (hex if letter == "p" else str)(value).encode())
    arguments = [word for pattern in patterns for word in ("--match", pattern)]
    status, text, error = run("redact", vector, *arguments, "--force", "-o", out)
    for pattern in patterns:
        n = expected[pattern]
        line = f"  '{pattern}': {n:,} {'match' if n == 1 else 'matches'} in values\n"
        expect(line in text.decode(), "matches of", pattern, line, text)
    expect(status == 1 and out.exists(), "a pattern that matches nothing", status)
    expect(f"steno: --match 'zzz-not-there' matched nothing, so it took nothing out of {out}" in error, "what is said", error)
    status, text, error = run("redact", vector, "--match", "[a-z]+", "--texts", "--force", "-o", out)
    expect(status == 0 and " in formats and names" in text.decode() and not error, "patterns that match", status, error)
    # Only texts are redacted.
    program = before[0].site.format.decode()[:4]
    status, _, error = run("redact", vector, "--match", "^" + re.escape(program), "--force", "-o", out)
    if status == 1:
        expect("--texts replaces them" in error, "matches in texts", error)


def check_secrets(out):
    """Secrets are counted, and taken out whatever matches them."""
    vector = SOURCE / "spec/vectors/secrets.steno"
    before = records(vector, True)
    if before is None:
        return
    wanted = sum(len(re.findall(b"k+", value)) for record in before for index, (letter, value) in enumerate(record.values)
                 if letter == "S" and value and dict(record.site.meanings).get(index, b"").startswith(b"!"))
    expect(wanted > 0, "the vector has no such secret")
    status, text, error = run("redact", vector, "--match", "k+", "--match", "zzz-not-there", "--force", "-o", out)
    expect(f", {wanted} in secrets\n" in text.decode(), "matches in secrets", wanted, text)
    expect(status == 1 and "--match 'k+' matched nothing" not in error, "what is said", status, error)
    for record in records(out, True):
        for index, (letter, value) in enumerate(record.values):
            if dict(record.site.meanings).get(index, b"").startswith(b"!"):
                expect(not value or not any(value if isinstance(value, bytes) else [value]), "a secret", letter, value)


def main():
    with tempfile.TemporaryDirectory() as name:
        out = Path(name) / "public.steno"
        check_values(out)
        check_formats(out)
        check_counts(out)
        check_secrets(out)


main()
end()
