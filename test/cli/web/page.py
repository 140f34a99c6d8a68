"""A server of `steno web` under test, and what is asked of it over HTTP."""
import http.client
import json
import re
import signal
import subprocess
import sys
import urllib.parse


class Web:
    """`steno web FILE…`, until the end of the `with` block. Asks with its cookie, unless told otherwise."""

    def __init__(self, steno, *words, wait=60, no_open=True, environment=None, inherited=()):
        self.process = subprocess.Popen([steno, "web", *["--no-open"] * no_open, *map(str, words)],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment,
                                        pass_fds=inherited)
        self.url = self.process.stdout.readline().strip()
        match = re.fullmatch(r"http://([0-9.]+):(\d+)/\?token=([0-9a-f]{32})", self.url)
        if match is None:
            self.process.kill()
            raise SystemExit(f"steno web printed '{self.url}': {self.process.stderr.read()}")
        self.host, self.port, self.token = match[1], int(match[2]), match[3]
        self.wait = wait
        status, headers, _ = self.ask("/?token=" + self.token, cookie=None)
        check(status, 302, "the exchange of the token")
        check(headers["Location"], "/", "where the exchange leads")
        self.set_cookie = headers["Set-Cookie"]
        self.cookie = self.set_cookie.split(";")[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        code = self.process.wait(60)
        if not self.process.stderr.closed:
            self.errors = self.process.stderr.read()
            self.process.stdout.close()
            self.process.stderr.close()
        return code

    def ask(self, path, method="GET", cookie="own", headers=None, body=None):
        """Status, headers, and body of the answer."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=self.wait)
        headers = dict(headers or {})
        if cookie == "own":
            cookie = self.cookie
        if cookie is not None:
            headers["Cookie"] = cookie
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        text = response.read()
        connection.close()
        return response.status, dict(response.getheaders()), text

    def get(self, question, expect=200, **parameters):
        """The answer to /api/QUESTION. Parameters of Python's words end in `_`."""
        asked = urllib.parse.urlencode({name.rstrip("_"): str(value) for name, value in parameters.items()})
        status, headers, body = self.ask(f"/api/{question}?{asked}")
        check(status, expect, (question, parameters, body[:300]))
        check(headers["Content-Type"].split(";")[0], "application/json", question)
        return json.loads(body, parse_constant=lambda word: sys.exit(f"{question}: {word} is no JSON"))

    def lines(self, **parameters):
        """All lines, page by page."""
        lines = []
        cursor = {}
        while True:
            page = self.get("lines", **parameters, **cursor)
            lines += page["lines"]
            if page["next"] is None:
                return lines
            cursor = {"cursor": page["next"]}


def check_verdict(web, steno, *files):
    """/api/verify says what `steno verify` says. The answer."""
    said = subprocess.run([steno, "verify", *map(str, files)], capture_output=True, text=True)
    *gaps, verdict = said.stdout.splitlines()
    answer = web.get("verify")
    check(answer["text"], verdict, "the verdict")
    check(answer["complete"], said.returncode == 0, answer)
    # Each of several files that is not complete has a verdict of its own there.
    own = {f"{path}: " for path in files}
    gaps = [gap for gap in gaps if len(files) == 1 or not any(gap.startswith(path + "incomplete") for path in own)]
    check((answer["gaps"], answer["more"]), (gaps, 0), "the gaps")
    return answer


def check(found, wanted, about):
    if found != wanted:
        shown = [repr(value) if len(repr(value)) < 2000 else repr(value)[:2000] + " …" for value in (found, wanted)]
        sys.exit(f"{str(about)[:1000]}:\n  found  {shown[0]}\n  wanted {shown[1]}")
