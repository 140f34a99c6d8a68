"""PostgreSQL's protocol, message by message, for what psql and pgbench do not send."""

import os
import socket
import struct


def text_of(value):
    return value.encode() + bytes(1)


class Wire:
    """A connection without a password; answers are pairs of a message's letter and its bytes."""

    def __init__(self, cluster, user="tester", database="postgres"):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        self.socket.connect(os.path.join(cluster.socket, ".s.PGSQL.%s" % cluster.environment.get("PGPORT", "5432")))
        start = struct.pack(">i", 196608) + b"".join(text_of(text) for text in ("user", user, "database", database, ""))
        self.socket.sendall(struct.pack(">i", len(start) + 4) + start)
        self.answers()

    def send(self, *messages):
        self.socket.sendall(b"".join(letter.encode() + struct.pack(">i", len(body) + 4) + body for letter, body in messages))

    def read(self, size):
        got = b""
        while len(got) < size:
            more = self.socket.recv(size - len(got))
            if not more:
                raise AssertionError("the server has closed the connection")
            got += more
        return got

    def answers(self):
        """Until the server is ready for more."""
        found = []
        while not found or found[-1][0] != "Z":
            letter, size = struct.unpack(">ci", self.read(5))
            found.append((letter.decode(), self.read(size - 4)))
        return found

    def ask(self, *messages):
        self.send(*messages, ("S", b""))
        return self.answers()

    def query(self, text):
        self.send(("Q", text_of(text)))
        return self.answers()

    def close(self):
        self.send(("X", b""))
        self.socket.close()


def parse(text, name="", types=()):
    return "P", text_of(name) + text_of(text) + struct.pack(">h", len(types)) + b"".join(struct.pack(">i", oid) for oid in types)


def bind(*values, name="", portal=""):
    """Values as text; None: NULL."""
    body = text_of(portal) + text_of(name) + struct.pack(">hh", 0, len(values))
    for value in values:
        body += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value.encode())) + value.encode()
    return "B", body + struct.pack(">h", 0)


def execute(portal="", rows=0):
    return "E", text_of(portal) + struct.pack(">i", rows)


def close_portal(portal=""):
    return "C", b"P" + text_of(portal)
