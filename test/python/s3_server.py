"""An S3-compatible server of this process, for tests and scripts/measure_s3."""
import threading
import time


class Server:
    """moto's server on the loopback interface; `fault(environ)` may answer in its place."""

    def __init__(self):
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import WSGIRequestHandler, make_server

        class Quiet(WSGIRequestHandler):
            protocol_version = "HTTP/1.1"

            def log(self, *_):
                pass

        self._application = DomainDispatcherApplication(create_backend_app)
        self._lock = threading.Lock()
        self.fault = None
        self.delay = 0.0
        self.requests = []
        self.spans = []  # of these: when each began and ended
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=Quiet)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def _answer(self, environ, start_response):
        with self._lock:
            self.requests.append((environ["REQUEST_METHOD"], environ.get("HTTP_RANGE")))
            begin, slot = time.monotonic(), len(self.requests) - 1
            self.spans.append((begin, begin))
        if self.delay:
            time.sleep(self.delay)
        answer = self.fault(environ) if self.fault else None
        if answer is None:
            body = list(self._application(environ, start_response))
            self.spans[slot] = (begin, time.monotonic())
            return body
        status, body = answer
        if environ["REQUEST_METHOD"] == "HEAD":
            body = b""
        start_response(status, [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
        return [body]

    def stop(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def forget(self):
        with self._lock:
            self.requests.clear()
            self.spans.clear()

    def depth(self):
        """The length of the longest chain of requests, each of which began after the one before it had ended."""
        length, end = 0, float("-inf")
        for begin, ended in sorted(self.spans, key=lambda span: span[1]):
            if begin >= end:
                length, end = length + 1, ended
        return length

    def read_bytes(self):
        """How many bytes of objects were asked for."""
        ranges = [one.removeprefix("bytes=").split("-") for _, one in self.requests if one]
        return sum(int(last) - int(first) + 1 for first, last in ranges)
