"""One kind of object of an API server: listed, then watched, in a thread of its own.

A watch goes on from the last version seen, bookmarks included. What is cut is taken up again after
a pause that grows; a version that is too old (410 Gone) leads to a new list.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Generic, Protocol, TypeVar

from ....core.errors import InputError


class Named(Protocol):
    """An object, as it is told of."""

    @property
    def name(self) -> str:
        """Its name, with the namespace if it has one."""


Thing = TypeVar("Thing", bound=Named)

PAGE = 500
"""Objects in a page of a list."""

WATCH_SECONDS = 300
"""A watch is asked to end after so long."""

SILENT_SECONDS = 120.0
"""After so long without a byte a connection counts as cut; bookmarks come every minute or so."""

GONE = 410


@dataclass(frozen=True)
class Listed(Generic[Thing]):
    """All objects there are."""

    things: list[Thing]


@dataclass(frozen=True)
class Changed(Generic[Thing]):
    """An object as it is now, or was when it was deleted."""

    thing: Thing
    deleted: bool


@dataclass(frozen=True)
class Trouble:
    """A cut connection, an answer that is an error, an object that is none: it goes on."""

    why: str


@dataclass(frozen=True)
class Heard:
    """The server watches on, and there is nothing new."""


Told = Listed[Thing] | Changed[Thing] | Trouble | Heard


class Pauses:
    """Pauses between attempts (s): each at random up to twice as long as the one before."""

    def __init__(self, first: float = 0.5, longest: float = 30.0) -> None:
        self._first, self._longest, self._times = first, longest, 0

    def next(self) -> float:
        """The next one."""
        most = min(self._first * 2.0**self._times, self._longest)
        self._times = min(self._times + 1, 30)
        return random.uniform(most / 2, most)

    def begin_again(self) -> None:
        """It has worked."""
        self._times = 0


class _Gone(Exception):
    """The server no longer has that version."""


class Refused(Exception):
    """The server answers with an error."""


class Watcher(Generic[Thing]):
    """Tells of all objects of a kind, and of their changes, until it is stopped.

    `call`: the client's function that lists them, such as `list_node`.
    `read`: makes of an object what is told of it; objects for which it raises `InputError` are left
    out.
    """

    def __init__(
        self,
        call: Callable[..., Any],
        read: Callable[[Mapping[str, Any]], Thing],
        tell: Callable[[Told[Thing]], None],
        *,
        pauses: Pauses | None = None,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        self._call, self._read, self._tell = call, read, tell
        self._pauses = Pauses() if pauses is None else pauses
        self._silent_seconds = silent_seconds
        self._version: str | None = None
        self._stopped = Event()
        self._is_outdated = False
        self._seen = False

    def start(self) -> None:
        """Begin, in another thread."""
        Thread(target=self.run, name="watch", daemon=True).start()

    def stop(self) -> None:
        """End before the next request."""
        self._stopped.set()

    def list_again(self) -> None:
        """List all objects once more, after the next event."""
        self._is_outdated = True

    def run(self) -> None:
        """List and watch until it is stopped."""
        while not self._stopped.is_set():
            self._seen, began = False, time.monotonic()
            try:
                if self._version is None:
                    self._list()
                self._watch()
            except _Gone:
                self._version = None
            except Exception as error:  # of sockets, TLS, the client, JSON: all are tried again
                self._tell(Trouble(f"{type(error).__name__}: {error}"))
            if not self._seen and time.monotonic() - began < WATCH_SECONDS / 2:
                self._stopped.wait(self._pauses.next())

    def _list(self) -> None:
        """Tell of all objects."""
        self._is_outdated = False
        things: list[Thing] = []
        page: dict[str, Any] = {}
        while True:
            document = json.loads(self._asked(limit=PAGE, **page).data)
            for thing in document.get("items") or ():
                things += self._thing(thing)
            metadata = document["metadata"]
            if not metadata.get("continue"):
                break
            page = {"_continue": metadata["continue"]}
        self._tell(Listed(things))
        self._version = metadata["resourceVersion"]

    def _watch(self) -> None:
        """Tell of changes, until the server ends the watch."""
        response = self._asked(
            watch=True,
            resource_version=self._version,
            allow_watch_bookmarks=True,
            timeout_seconds=WATCH_SECONDS,
        )
        self._tell(Heard())
        try:
            for line in _lines(response):
                event = json.loads(line)
                self._take(event["type"], event["object"])
                self._seen = True
                self._pauses.begin_again()
                if self._is_outdated:
                    raise _Gone
                if self._stopped.is_set():
                    return
        finally:
            response.close()

    def _take(self, kind: str, thing: Mapping[str, Any]) -> None:
        """An event: the watch goes on from its version."""
        if kind == "ERROR":
            if thing.get("code") == GONE:
                raise _Gone
            raise Refused(thing.get("message", "an error in a watch"))
        if kind == "BOOKMARK":
            self._tell(Heard())
        else:
            for read in self._thing(thing):
                self._tell(Changed(read, kind == "DELETED"))
        self._version = thing["metadata"]["resourceVersion"]

    def _asked(self, **options: Any) -> Any:
        """The response of the server. Raises `_Gone` and `Refused`."""
        timeouts = (10.0, self._silent_seconds)
        try:
            response = self._call(_preload_content=False, _request_timeout=timeouts, **options)
            status, reason = response.status, response.reason
        except Exception as error:
            # Some versions of the client raise what others return.
            status, reason = getattr(error, "status", None), getattr(error, "reason", "")
            if not isinstance(status, int) or status < 300:
                raise
        if status == GONE:
            raise _Gone
        if status >= 300:
            raise Refused(f"the API server answers {status} {reason}")
        return response

    def _thing(self, document: Mapping[str, Any]) -> list[Thing]:
        try:
            return [self._read(document)]
        except InputError as error:
            self._tell(Trouble(str(error)))
            return []


def _lines(response: Any) -> Iterator[bytes]:
    """The lines of a stream as they come."""
    rest = b""
    for part in response.stream(amt=None, decode_content=False):
        *lines, rest = (rest + part).split(b"\n")
        yield from (line for line in lines if line.strip())
