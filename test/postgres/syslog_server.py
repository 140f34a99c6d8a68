"""A syslog daemon of our own: rsyslog on /dev/log, which writes a file or forwards to a second one on loopback."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

SOCKET = "/dev/log"  # where the C library's syslog() writes


class SyslogServer:
    """`forward`: None, "udp" or "tcp". Needs root, rsyslogd, and nobody else at /dev/log."""

    def __init__(self, forward=None, port=15514):
        self.daemon = shutil.which("rsyslogd") or "/usr/sbin/rsyslogd"
        if os.geteuid() != 0 or not os.path.exists(self.daemon) or os.path.lexists(SOCKET):
            raise SystemExit("syslog: wants root, rsyslogd, and no other daemon at " + SOCKET)
        self.directory = tempfile.mkdtemp(prefix="steno-syslog-")
        self.file = os.path.join(self.directory, "messages")
        write = 'action(type="omfile" file="%s")\n' % self.file
        here = 'module(load="imuxsock" SysSock.RateLimit.Interval="0" SysSock.Name="%s")\n' % SOCKET
        self.running = []
        if forward is not None:
            # PostgreSQL cuts messages at 1 KiB itself.
            there = 'module(load="im%s")\ninput(type="im%s" port="%d" address="127.0.0.1")\n' % (forward, forward, port)
            self.start("remote", there + write)
            # Whom rsyslog does not find at first it tries again after half a minute.
            self.wait_for(lambda: forward == "udp" or self.is_open(port), "port %d" % port)
            self.start("local", here + 'action(type="omfwd" target="127.0.0.1" port="%d" protocol="%s")\n' % (port, forward))
        else:
            self.start("local", here + write)
        self.wait_for(lambda: os.path.exists(SOCKET), SOCKET)

    def wait_for(self, condition, what):
        end = time.monotonic() + 60
        while not condition():
            if time.monotonic() > end:
                self.stop()
                raise SystemExit("syslog: rsyslogd makes no " + what)
            time.sleep(0.02)

    @staticmethod
    def is_open(port):
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    def start(self, name, text):
        path = os.path.join(self.directory, name)
        with open(path + ".conf", "w") as out:
            out.write('global(workDirectory="%s")\n' % self.directory + text)
        self.running.append(subprocess.Popen([self.daemon, "-n", "-f", path + ".conf", "-i", path + ".pid"],
                                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))

    def settle(self):
        """Waits until nothing has come for two seconds, and something has."""
        self.wait_for(lambda: os.path.exists(self.file), self.file)
        size, since = -1, time.monotonic()
        while time.monotonic() - since < 2:
            now = os.path.getsize(self.file)
            if now != size:
                size, since = now, time.monotonic()
            time.sleep(0.05)
        return self.file

    def stop(self):
        for process in self.running[::-1]:
            process.terminate()
            process.wait()
        shutil.rmtree(self.directory, ignore_errors=True)
        if os.path.lexists(SOCKET):
            os.unlink(SOCKET)
