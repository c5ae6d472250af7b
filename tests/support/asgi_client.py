"""A client that calls an application without any socket."""

import asyncio
import json
from dataclasses import dataclass


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    content: bytes

    def json(self):
        return json.loads(self.content)


class AsgiClient:
    """Calls an application as a program of this machine does, with the token if there is one."""

    def __init__(self, application, token=None):
        self.application = application
        self.headers = [(b"host", b"127.0.0.1:8080")]
        if token is not None:
            self.headers.append((b"authorization", f"Bearer {token}".encode()))

    def __call__(self, method, path, body=None):
        return asyncio.run(self.ask(method, path, body))

    async def ask(self, method, path, body=None):
        sent = []
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "scheme": "http",
            "path": path, "raw_path": path.encode(), "query_string": b"", "root_path": "",
            "headers": self.headers, "server": ("127.0.0.1", 8080), "client": ("127.0.0.1", 1),
        }  # fmt: skip

        async def receive():
            content = b"" if body is None else json.dumps(body).encode()
            return {"type": "http.request", "body": content, "more_body": False}

        async def send(message):
            sent.append(message)

        await self.application(scope, receive, send)
        headers = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        content = b"".join(part.get("body", b"") for part in sent[1:])
        return Answer(sent[0]["status"], headers, content)

    def ok(self, method, path, body=None):
        """The document of an answer that must be one."""
        answer = self(method, path, body)
        assert answer.status == 200, answer.content
        return answer.json()
