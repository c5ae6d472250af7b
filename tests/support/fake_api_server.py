"""An API server of Kubernetes as far as a client that lists and watches nodes and pods sees it.

Lists come in pages. A watch tells of what has changed after a version, sends bookmarks and is cut
when told to, and answers a version that it has forgotten with 410 Gone.
"""

import copy
import json
import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Condition, Thread
from urllib.parse import parse_qs, urlparse

KINDS = {"/api/v1/nodes": "nodes", "/api/v1/pods": "pods"}


def node(name, cpu, memory="64Gi", gpu=0, labels=None, **spec):
    """A node that is ready."""
    have = {"cpu": str(cpu), "memory": memory, "nvidia.com/gpu": str(gpu), "pods": "110"}
    return {
        "metadata": {"name": name, "labels": labels or {}},
        "spec": spec,
        "status": {
            "capacity": have,
            "allocatable": have,
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name, cpu, on=None, phase="Pending", memory="0", labels=None):
    """A pod, bound or not."""
    requests = {"cpu": str(cpu), "memory": memory}
    spec = {"containers": [{"name": "main", "resources": {"requests": requests}}]}
    if on is not None:
        spec["nodeName"] = on
    return {
        "metadata": {"name": name, "namespace": "default", "labels": labels or {}},
        "spec": spec,
        "status": {"phase": phase},
    }


def unschedulable(made):
    """The same pod after kube-scheduler has found no node."""
    made["status"]["conditions"] = [
        {"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}
    ]
    return made


class FakeApi:
    """The server; `url` is its address. Its thread ends with `close`."""

    def __init__(self):
        self.asked = []
        """Kind and query of each request."""
        self.refusals = []
        """Statuses of the next answers, instead of what was asked for."""
        self.gone_in_stream = True
        """Whether 410 comes as an event of a watch, or as the status of its answer."""
        self._objects = {"nodes": {}, "pods": {}}
        self._events = []
        self._version, self._oldest = 100, 0
        self._news = Condition()
        self._streams = set()
        self._closed = False
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                with suppress(OSError):
                    api._answer(self)

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def kubeconfig(self, path):
        """Write a kubeconfig file that leads here, and return its path as text."""
        path.write_text(
            json.dumps(
                {
                    "apiVersion": "v1",
                    "kind": "Config",
                    "current-context": "c",
                    "clusters": [{"name": "c", "cluster": {"server": self.url}}],
                    "users": [{"name": "u", "user": {}}],
                    "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
                }
            )
        )
        return str(path)

    def put(self, kind, *things):
        """Objects are there, or are so now."""
        with self._news:
            for thing in things:
                known = self._objects[kind].get(thing["metadata"]["name"])
                self._tell(kind, "ADDED" if known is None else "MODIFIED", thing)

    def delete(self, kind, name):
        """An object is gone."""
        with self._news:
            self._tell(kind, "DELETED", self._objects[kind][name])

    def bookmark(self):
        """All watches that asked for bookmarks get one."""
        with self._news:
            self._version += 1
            for kind in self._objects:
                self._tell(kind, "BOOKMARK", {"metadata": {}})

    def forget(self):
        """No watch can go on from any version so far."""
        with self._news:
            self._version += 1
            self._oldest = self._version

    def cut(self):
        """Cut all watches."""
        with self._news:
            for connection in self._streams:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._streams.clear()
            self._news.notify_all()

    def watches(self):
        """How many watches there are."""
        with self._news:
            return len(self._streams)

    def close(self):
        """End."""
        self._closed = True
        self.cut()
        self._server.shutdown()
        self._server.server_close()

    def _tell(self, kind, what, thing):
        self._version += 1
        thing = copy.deepcopy(thing)
        thing["metadata"]["resourceVersion"] = str(self._version)
        if what == "DELETED":
            del self._objects[kind][thing["metadata"]["name"]]
        elif what != "BOOKMARK":
            self._objects[kind][thing["metadata"]["name"]] = thing
        self._events.append((self._version, kind, what, thing))
        self._news.notify_all()

    def _answer(self, handler):
        address = urlparse(handler.path)
        kind = KINDS[address.path]
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        self.asked.append((kind, query))
        if self.refusals:
            return self._send(handler, {"kind": "Status"}, self.refusals.pop(0))
        if query.get("watch", "").lower() != "true":
            return self._send(handler, self._page(kind, query))
        if int(query["resourceVersion"]) < self._oldest and not self.gone_in_stream:
            return self._send(handler, {"kind": "Status", "code": 410}, 410)
        return self._stream(handler, kind, query)

    def _page(self, kind, query):
        with self._news:
            things = [self._objects[kind][name] for name in sorted(self._objects[kind])]
            version = str(self._version)
        first, limit = int(query.get("continue", 0)), int(query.get("limit", len(things) or 1))
        metadata = {"resourceVersion": version}
        if first + limit < len(things):
            metadata["continue"] = str(first + limit)
        return {"kind": "List", "metadata": metadata, "items": things[first : first + limit]}

    def _send(self, handler, document, status=200):
        content = json.dumps(document).encode()
        handler.send_response(status)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def _stream(self, handler, kind, query):
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        handler.close_connection = True
        seen = int(query["resourceVersion"])
        with self._news:
            if seen < self._oldest:
                gone = {"kind": "Status", "code": 410, "reason": "Expired", "message": "too old"}
                self._write(handler, {"type": "ERROR", "object": gone})
                handler.wfile.write(b"0\r\n\r\n")
                return
            self._streams.add(handler.connection)
            while handler.connection in self._streams and not self._closed:
                for version, of, what, thing in self._events:
                    if version > seen and of == kind:
                        self._write(handler, {"type": what, "object": thing})
                        seen = version
                self._news.wait(0.2)

    def _write(self, handler, event):
        # In two pieces, as a network may cut a line.
        line = json.dumps(event).encode() + b"\n"
        for piece in (line[: len(line) // 2], line[len(line) // 2 :]):
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.flush()
