#!/usr/bin/env python3
"""Who `steno web` answers: its own page, and nobody else; and that clients which are slow, many or wrong hinder nobody.

    guard.py STENO LOG.steno
"""
import atexit
import http.client
import json
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading

from page import Web, check


def ask_strangers(web):
    own = f"{web.host}:{web.port}"
    # The token is missing, wrong, or that of another port.
    for cookie in [None, "", "steno=1", f"steno-{web.port}=", f"steno-{web.port}={'0' * 32}",
                   f"steno-{web.port + 1}={web.token}", f"steno-{web.port}={web.token[:-1]}",
                   f"steno-{web.port}={web.token}0", f"x=y; steno-{web.port}= {web.token}"]:
        for path in ["/", "/api/log", "/api/lines?limit=1", "/index.html", "/nothing"]:
            status, _, body = web.ask(path, cookie=cookie)
            check(status, 401, (path, cookie))
            check(b"records" in body or web.token.encode() in body, False, (path, cookie, body))
    for token in ["", "0" * 32, web.token.upper() + "0", web.token[:-1]]:
        status, headers, _ = web.ask("/?token=" + token, cookie=None)
        check((status, "Set-Cookie" in headers), (401, False), ("token", token))
    check(web.ask("/api/log", cookie=f"a=b; {web.cookie}; c=d")[0], 200, "among other cookies")
    # The host has another name: a page of another site may have a name that leads here.
    for host in ["evil.example", f"evil.example:{web.port}", "127.0.0.1", f"127.0.0.1:{web.port + 1}", "",
                 f"127.0.0.1:{web.port}@evil.example", f"127.0.0.1.evil.example:{web.port}"]:
        check(web.ask("/api/log", headers={"Host": host})[0], 403, ("Host", host))
        check(web.ask("/?token=" + web.token, cookie=None, headers={"Host": host})[0], 403, ("Host", host))
    check(web.ask("/api/log", headers={"Host": f"localhost:{web.port}"})[0], 200, "Host: localhost")
    # The request has another origin, and the cookie.
    for origin in ["https://evil.example", "null", f"https://{own}", f"http://{web.host}:{web.port + 1}", "http://" + web.host]:
        check(web.ask("/api/log", headers={"Origin": origin})[0], 403, ("Origin", origin))
    check(web.ask("/api/log", headers={"Origin": f"http://{own}"})[0], 200, "its own origin")
    for site, status in [("cross-site", 403), ("same-site", 403), ("same-origin", 200), ("none", 200)]:
        for path in ["/api/log", "/api/export?as=csv", "/index.html"]:
            check(web.ask(path, headers={"Sec-Fetch-Site": site})[0], status, (site, path))
    check(web.ask("/api/log", headers={"Host": f"LocalHost:{web.port}"})[0], 200, "Host: LocalHost")
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"]:
        check(web.ask("/api/log", method=method)[0], 405, method)
    check(web.ask("/api/log", method="POST", body="x")[0], 403, "POST without an origin")


def ask_paths(web, log):
    for path in ["/../" + log, "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/./index.html",
                 "/index.html%00.js", "/api/../index.html", "/api/log/../log", "/web/dist/index.html", "/.git/config",
                 "/api", "/api/", "/api/lines/x", "/%", "/%zz", "/index.html/"]:
        status, _, body = web.ask(path)
        check(status in (400, 404), True, (path, status))
        check(b"root:" in body, False, path)


def ask_headers(web):
    for path in ["/", "/api/log", "/nothing"]:
        _, headers, body = web.ask(path)
        policy = headers["Content-Security-Policy"]
        check("default-src 'self'" in policy and "unsafe" not in policy, True, policy)
        check("frame-ancestors 'none'" in policy, True, policy)
        check(headers["X-Content-Type-Options"], "nosniff", path)
        check(headers["Cache-Control"], "no-store", path)
        check("Access-Control-Allow-Origin" in headers, False, path)
        check(web.token.encode() in body, False, path)
    parts = [part.strip() for part in web.set_cookie.split(";")]
    check(parts[0], f"steno-{web.port}={web.token}", "cookie")
    check({"HttpOnly", "SameSite=Strict", "Path=/"} <= set(parts), True, parts)


def raw(web, data, read=True):
    """What comes back for some bytes; None: the connection was closed without a word."""
    with socket.create_connection((web.host, web.port), timeout=30) as connection:
        try:
            connection.sendall(data)
            return connection.recv(100) if read else b""
        except OSError:
            return b""


def ask_too_much(web):
    cookie = f"Host: {web.host}:{web.port}\r\nCookie: {web.cookie}\r\n"
    for data in [b"x" * (1 << 20), b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 100_000 + b"\r\n", b"\0" * 10_000, b"\r\n\r\n",
                 b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n\r\n", b"GET http://evil.example/ HTTP/1.1\r\n\r\n",
                 b"GET /api/lines?where=" + b"a" * 200_000 + b" HTTP/1.1\r\n" + cookie.encode() + b"\r\n",
                 b"POST /api/level HTTP/1.1\r\nContent-Length: 99999999999\r\n" + cookie.encode() + b"\r\n",
                 b"POST /api/level HTTP/1.1\r\nContent-Length: -1\r\n" + cookie.encode() + b"\r\n"]:
        answer = raw(web, data)
        check(b" 200 " in answer, False, (data[:60], answer))
    status, _, body = web.ask("/api/lines?where=" + "a" * 7000)
    check((status, "error" in json.loads(body)), (400, True), "a long condition")
    deep = "(" * 2000 + "level > INFO" + ")" * 2000
    check(web.ask("/api/lines?where=" + deep.replace(" ", "%20").replace(">", "%3E"))[0] in (200, 400, 414), True, "a deep condition")


def ask_many(web):
    """A thousand connections that say nothing, and as many that ask and do not read: others are answered."""
    silent = []
    for _ in range(1000):
        silent.append(socket.create_connection((web.host, web.port), timeout=30))
        if len(silent) >= 400:  # within the limit of files that a process usually has
            silent.pop(0).close()
    for connection in silent:
        connection.close()
    check(web.ask("/api/log")[0], 200, "after a thousand connections")
    request = f"GET /api/lines?limit=2000 HTTP/1.1\r\nHost: {web.host}:{web.port}\r\nCookie: {web.cookie}\r\n\r\n".encode()
    readers = [socket.create_connection((web.host, web.port), timeout=30) for _ in range(60)]
    for connection in readers:
        connection.sendall(request)
    writers = [socket.create_connection((web.host, web.port), timeout=30) for _ in range(40)]
    for connection in writers:
        connection.sendall(b"GET /api/log HT")
    check(web.ask("/api/log")[0], 200, "beside slow readers and writers")
    for connection in readers + writers:
        connection.close()
    check(web.ask("/api/log")[0], 200, "after slow readers and writers")


def ask_slowly(web):
    """More clients than the server has threads, each of which sends a byte now and then, and never a token: they are
    closed, and their places are free."""
    events = http.client.HTTPConnection(web.host, web.port, timeout=60)
    events.request("GET", "/api/live", headers={"Cookie": web.cookie})
    response = events.getresponse()
    check(response.readline(), b"event: change\n", "an event")
    slow = [socket.create_connection((web.host, web.port), timeout=30) for _ in range(200)]
    # Half of them ask with a wrong token: that they have asked is no reason to let them stay.
    for connection in slow[::2]:
        connection.sendall(f"GET /?token={'0' * 32} HTTP/1.1\r\nHost: {web.host}:{web.port}\r\n\r\n".encode())
    ended = threading.Event()

    def drip():
        while not ended.wait(0.25):
            for connection in slow:
                try:
                    connection.sendall(b"x")
                except OSError:
                    pass

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        check(web.ask("/api/log")[0], 200, "beside clients that are slow and have no token")
        for connection in slow:
            connection.settimeout(60)
            try:
                said = b""
                while piece := connection.recv(4096):
                    said += piece
                check(said == b"" or said.startswith(b"HTTP/1.1 401 "), True, ("a slow client without the token", said))
            except ConnectionError:
                pass
    finally:
        ended.set()
        thread.join()
        for connection in slow:
            connection.close()
    # A client that has shown the token may stay, and say nothing: a sign of life comes every ten seconds.
    while not response.readline().startswith(b":"):
        pass
    events.close()


def ask_command(steno, log):
    """Options that would open the logs to others are refused, in one sentence."""
    def refused(code, says, *words):
        done = subprocess.run([steno, "web", "--no-open", *words], capture_output=True, text=True, timeout=60)
        check((done.returncode, done.stdout, len(done.stderr.splitlines())), (code, "", 1), (words, done.stderr))
        check(says in done.stderr, True, (words, done.stderr))

    refused(2, "must be encrypted", log, "--listen", "0.0.0.0")
    refused(2, "must be encrypted", log, "--listen", "::")
    refused(2, "must be encrypted", log, "--listen", "127.evil.example")
    refused(2, "must be encrypted", log, "--listen", "localhost.evil.example")
    refused(2, "belong together", log, "--tls-cert", log)
    refused(2, "no certificate and key", log, "--listen", "0.0.0.0", "--tls-cert", log, "--tls-key", log)
    refused(2, "cannot listen on 192.0.2.1", log, "--listen", "192.0.2.1", "--tls-cert", *make_certificate()) \
        if shutil.which("openssl") else None
    refused(3, "no such file", log + ".missing")
    refused(2, "standard input", log, "-")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        refused(2, "in use", log, "--port", str(taken.getsockname()[1]))


def make_certificate():
    folder = tempfile.mkdtemp(prefix="steno-web-")
    atexit.register(shutil.rmtree, folder)
    key, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                    "2", "-subj", "/CN=localhost", "-keyout", key, "-out", certificate], check=True, capture_output=True)
    return certificate, "--tls-key", key


def ask_encrypted(steno, log):
    """An address of all, with TLS: it answers, and not without."""
    words = make_certificate()
    process = subprocess.Popen([steno, "web", "--no-open", log, "--listen", "0.0.0.0", "--tls-cert", *words],
                               stdout=subprocess.PIPE, text=True)
    try:
        url = process.stdout.readline()
        host, port, token = re.fullmatch(r"https://([^/]+):(\d+)/\?token=(\w+)\n", url).groups()
        trust = ssl.create_default_context(cafile=words[0])
        trust.check_hostname = False
        # The printed name, the machine's, and its address are all answered; others are not.
        for name, status in [(host, 302), (socket.gethostname(), 302), ("127.0.0.1", 302), ("localhost", 302),
                             ("0.0.0.0", 302), ("evil.example", 403), ("127.evil.example", 403)]:
            connection = http.client.HTTPSConnection("127.0.0.1", int(port), timeout=60, context=trust)
            connection.request("GET", "/?token=" + token, headers={"Host": f"{name}:{port}"})
            answer = connection.getresponse()
            check((answer.status, "Secure" in answer.getheader("Set-Cookie", "")), (status, status == 302), name)
            connection.close()
        check(host == "0.0.0.0", False, "an address that no browser can open")
        with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as plain:
            plain.sendall(b"GET /api/log HTTP/1.1\r\n\r\n")
            plain.settimeout(30)
            try:
                check(plain.recv(100).startswith(b"HTTP"), False, "an answer without TLS")
            except ConnectionError:
                pass
    finally:
        process.send_signal(signal.SIGINT)
        check(process.wait(60), 0, "the end")
        process.stdout.close()


def main():
    steno, log = sys.argv[1:3]
    ask_command(steno, log)
    if shutil.which("openssl"):
        ask_encrypted(steno, log)
    # A connection that the server was started with, and has nothing to do with: it stays.
    with socket.create_server(("127.0.0.1", 0)) as listening, \
            socket.create_connection(listening.getsockname()) as inherited, listening.accept()[0] as other, \
            Web(steno, log, inherited=[inherited.fileno()]) as web:
        ask_strangers(web)
        ask_paths(web, log)
        ask_headers(web)
        ask_too_much(web)
        ask_many(web)
        ask_slowly(web)
        check(web.process.poll(), None, "the server still runs")
        other.sendall(b"still there")
        check(inherited.recv(100), b"still there", "a connection of others")
        check(web.stop(), 0, "the end")
        check(web.token in web.errors, False, "nothing of the token on standard error")


if __name__ == "__main__":
    main()
