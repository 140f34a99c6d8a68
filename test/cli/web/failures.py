#!/usr/bin/env python3
"""`steno web` where something fails: files that cannot be read or change while it runs, exports that cannot be whole,
answers that are too big. Each is said, and the server goes on.

    failures.py STENO INCIDENT_LOG LIVE_PROGRAM
"""
import http.client
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.parse
from pathlib import Path

from page import Web, check, check_verdict

FORMS = ["text", "json", "csv", "logfmt"]


def wait_for(holds):
    """Until it holds; a test that waits for ever is ended from outside."""
    while not holds():
        time.sleep(0.05)


def export(web, form):
    """The bytes of an export; None: the connection ended before the export did."""
    connection = http.client.HTTPConnection(web.host, web.port, timeout=60)
    connection.request("GET", f"/api/export?as={form}", headers={"Cookie": web.cookie})
    response = connection.getresponse()
    check(response.status, 200, form)
    try:
        return response.read()
    except (http.client.IncompleteRead, ConnectionError):
        return None
    finally:
        connection.close()


def export_damaged(steno, log, folder):
    """An export is what `cat` prints, or it has no end: never a part that looks whole."""
    copy = folder / "damaged.steno"
    data = log.read_bytes()
    copy.write_bytes(data)
    with Web(steno, copy) as web:
        for form in FORMS:
            wanted = subprocess.run([steno, "cat", "--format", form, copy], check=True, capture_output=True).stdout
            check(form == "text" or export(web, form) == wanted, True, ("as cat prints it", form))
        # A disk that gives other bytes than when the log was opened: nothing else says that they changed.
        before = copy.stat()
        with open(copy, "r+b") as file:
            file.seek(len(data) // 3)
            file.write(b"\xff" * (len(data) // 3))
        os.utime(copy, ns=(before.st_atime_ns, before.st_mtime_ns))
        for form in FORMS:
            check(export(web, form), None, ("an export of a part", form))
        copy.write_bytes(data)
        check(web.get("log")["records"] > 0, True, "after the exports")


def export_log(web, status, **parameters):
    """The answer to an export of a log: its bytes, or the sentence that says why there is none."""
    asked = urllib.parse.urlencode({"as": "steno", **parameters})
    found, headers, body = web.ask(f"/api/export?{asked}")
    check(found, status, body[:300])
    check("Content-Disposition" in headers, status == 200, headers)
    return body if status == 200 else json.loads(body)["error"]


def export_logs(steno, log, folder):
    """A log is made before its answer begins, in a file without a name: what fails is said in the answer."""
    copy, temporary = folder / "copy.steno", folder / "temporary"
    data = log.read_bytes()
    copy.write_bytes(data)
    temporary.mkdir()
    with Web(steno, copy, environment={**os.environ, "TMPDIR": str(temporary)}) as web:
        whole = export_log(web, 200)
        check(list(temporary.iterdir()), [], "names of temporary files")
        check(export_log(web, 404, where="message == 'nothing says this'"),
              "no record is selected, so there is no log of them", "nothing selected")
        check("did you mean" in export_log(web, 400, where="hots == 1"), True, "a wrong name")
        # The log lies ready, and nobody has read it yet.
        connection = http.client.HTTPConnection(web.host, web.port, timeout=60)
        connection.request("GET", "/api/export?as=steno", headers={"Cookie": web.cookie})
        response = connection.getresponse()
        check((response.status, list(temporary.iterdir())), (200, []), "names while it is sent")
        check(len(response.read()) > 0, True, "the rest of it")
        connection.close()
        resource.prlimit(web.process.pid, resource.RLIMIT_FSIZE, (len(whole) // 2, len(whole) // 2))
        said = export_log(web, 507)
        check((said.startswith("the log cannot be made: "), list(temporary.iterdir())), (True, []), said)
        temporary.rmdir()
        check(export_log(web, 507), f"no temporary file can be made in {temporary}: No such file or directory; set "
              "TMPDIR to a directory for them, and start 'steno web' again", "no directory")
        check(web.get("log")["records"] > 0, True, "after the exports")
    with Web(steno, copy) as web:
        times = copy.stat()
        with open(copy, "r+b") as file:
            file.seek(len(data) // 3)
            file.write(b"\xff" * (len(data) // 3))
        os.utime(copy, ns=(times.st_atime_ns, times.st_mtime_ns))
        check(export_log(web, 500).startswith(f"the log cannot be made whole: {copy}: "), True, "a damaged log")


def ask_unreadable(steno, log, other, folder):
    """Each file that cannot be read is named, from the start and when it becomes so."""
    bad, good = folder / "bad.steno", folder / "good.steno"
    bad.write_text("x")
    good.write_bytes(log.read_bytes())
    with Web(steno, good, bad, folder / "none.steno") as web:
        first = web.get("log")
        check(len(first["damage"]), 2, first["damage"])
        verdict = web.get("verify")
        check((verdict["complete"], verdict["exact"], verdict["gaps"]), (False, False, first["damage"]), verdict)
        check([name in " ".join(first["damage"]) for name in ("bad.steno", "none.steno")], [True, True], first["damage"])
        check(first["records"] > 0, True, "the records of the other file")
        bad.write_bytes(other.read_bytes())
        wait_for(lambda: len(web.get("log")["damage"]) == 1)
        both = web.get("log")["records"]
        check(both > first["records"], True, "records of both files")
        new = folder / "new"
        new.write_text("y")
        new.rename(good)
        wait_for(lambda: len(web.get("log")["damage"]) == 2)
        check(web.get("log")["records"], both - first["records"], "of the other one")
        bad.unlink()
        wait_for(lambda: len(web.get("log")["damage"]) == 3)
        last = web.get("log")
        check((last["records"], last["files"]), (0, []), last)
        check(web.get("verify")["complete"], False, "no file")
        for question in ["timeline", "lines", "threads", "breakdown?by=logger", "diff", "export?as=text"]:
            check(web.ask("/api/" + question)[0] < 500, True, question)
        check(web.stop(), 3, "the end: a file could not be read")


def truncate(steno, log, folder):
    """A log that somebody makes shorter in place, again and again, while it is read."""
    copy, data = folder / "truncated.steno", log.read_bytes()
    copy.write_bytes(data)
    with Web(steno, copy) as web:
        for _ in range(20):
            wait_for(lambda: web.ask("/api/log")[0] == 200 and web.get("log")["records"] > 0)
            os.truncate(copy, 0)
            for question in ["lines?q=e&limit=2000", "breakdown?by=logger", "timeline", "log"]:
                status, headers, body = web.ask("/api/" + question)
                check(status in (200, 503), True, (question, status, body))
                check("Retry-After" in headers, status == 503, headers)
            wait_for(lambda: web.ask("/api/log")[0] == 200 and web.get("log")["damage"])
            check(web.get("log")["records"], 0, "of an empty file")
            with open(copy, "r+b") as file:
                file.write(data)
        check(web.process.poll(), None, "the server still runs")


def verify_losses(steno, log, program, folder):
    """What is missing though nothing is damaged, and what is damaged: as `steno verify` says."""
    dropped, cut = folder / "dropped.steno", folder / "cut.steno"
    subprocess.run([program, dropped, "drops"], check=True)
    data = log.read_bytes()
    cut.write_bytes(data[:len(data) // 2 // 8 * 8])
    with Web(steno, dropped) as web:
        answer = check_verdict(web, steno, dropped)
        check((answer["lost"] > 0, web.get("log")["damage"]), (True, []), answer)
    with Web(steno, cut) as web:
        check_verdict(web, steno, cut)
    with Web(steno, log) as web:
        check(check_verdict(web, steno, log)["complete"], True, "a whole log")
    with Web(steno, log, dropped, cut) as web:
        check_verdict(web, steno, log, dropped, cut)


def page_slowest(steno, program, folder):
    """Pages end where an answer is too big, and the next one goes on there: no line is left out."""
    path = folder / "long.steno"
    subprocess.run([program, path, "700"], check=True)
    with Web(steno, path) as web:
        pages, cursor = [], {}
        while not pages or cursor:
            answer = web.get("lines", order="slowest", by="n", limit=2000, **cursor)
            pages.append([next(a["value"] for a in line["args"] if a["name"] == "n") for line in answer["lines"]])
            cursor = {"cursor": answer["next"]} if answer["next"] is not None else {}
        check(len(pages) > 1, True, "the answer is too small for this test")
        check(sum(pages, []), list(range(699, -1, -1)), [len(page) for page in pages])
    # Secrets, where they are shown, are also what conditions see.
    with Web(steno, path, "--show-secrets") as web:
        row, = web.get("breakdown", by="word", bins=10)["rows"]
        check((row["value"], row["count"], sum(row["spark"])), ("sesame", 700, 700), row)


def break_down_a_line(steno, program, folder):
    """Statements of one place are told apart, and so are their records."""
    path = folder / "line.steno"
    subprocess.run([program, path, "line"], check=True)
    with Web(steno, path) as web:
        rows = web.get("breakdown", by="statement")["rows"]
        check(sorted((row["value"], row["count"], row["errors"]) for row in rows),
              [("first of a line: {n}", 1, 0), ("first of a line: {n}", 3, 0), ("second of a line: {n}", 3, 3)], rows)
        for row in rows:
            lines = web.lines(where=row["filter"])
            check([(line["text"], line["site"]) for line in lines], [(row["value"], row["site"])] * row["count"], row)


def open_browser(steno, log, folder):
    """What a browser is started with: no token where others see it, and signals as programs expect them."""
    programs = folder / "programs"
    programs.mkdir()
    said = folder / "said"
    opener = programs / "xdg-open"
    opener.write_text(f'''#!/bin/sh
{{ echo "$1"; stat -c %a "$1"; cat "$1"; while read line; do echo "$line"; done < /proc/self/status; }} > {said}.part
mv {said}.part {said}
''')
    opener.chmod(0o755)
    environment = {**os.environ, "DISPLAY": ":7", "PATH": f"{programs}:{os.environ['PATH']}", "TMPDIR": str(folder)}
    environment.pop("XDG_RUNTIME_DIR", None)
    with Web(steno, log, no_open=False, environment=environment) as web:
        wait_for(said.exists)
        name, mode, *rest = said.read_text().splitlines()
        check((web.token in name, Path(name).parent, mode), (False, folder, "600"), name)
        check(web.url in rest[0], True, rest)
        signals = {line.split(":")[0]: int(line.split()[1], 16) for line in rest
                   if line.startswith(("SigBlk", "SigIgn"))}
        own = 3 << 31  # signals 32 and 33, which the C library ignores in all that it starts
        check((signals["SigBlk"], signals["SigIgn"] & ~own), (0, 0), signals)
        children = Path(f"/proc/{web.process.pid}/task/{web.process.pid}/children")
        wait_for(lambda: not children.exists() or children.read_text() == "")
        # A browser says of this way that another site has begun it, and does not send the cookie along it.
        status, headers, body = web.ask("/?token=" + web.token, cookie=None, headers={"Sec-Fetch-Site": "cross-site"})
        check((status, "Location" in headers, b"url=/\"" in body), (200, False, True), body)
        check(headers["Set-Cookie"], web.set_cookie, "the cookie")
        check(web.stop(), 0, "the end")
        check(Path(name).exists(), False, "the file at the end")


def main():
    steno, incident_log, program = sys.argv[1:4]
    with tempfile.TemporaryDirectory(prefix="steno-web-") as name:
        folder = Path(name)
        (folder / "night").mkdir()
        subprocess.run([incident_log, folder / "night", "3"], check=True)
        other, *_, log = sorted((folder / "night").glob("*.steno"), key=lambda path: path.stat().st_size)
        export_damaged(steno, log, folder)
        export_logs(steno, log, folder)
        ask_unreadable(steno, log, other, folder)
        verify_losses(steno, log, program, folder)
        truncate(steno, log, folder)
        page_slowest(steno, program, folder)
        break_down_a_line(steno, program, folder)
        open_browser(steno, log, folder)


if __name__ == "__main__":
    main()
