"""What monitoring reads: counters and histograms in Prometheus's text format."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.requests import Request
from starlette.responses import Response

from .calls import Answer, Call
from .service import Service

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.2, 0.5, 1.0, 5.0)
"""Upper ends of the histograms."""


class Metrics:
    """What a service did since it was started."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = registry = CollectorRegistry()
        self._answers = Counter(
            "slotwise_answers", "Answers by call and status", ["call", "status"], registry=registry
        )
        self._seconds = Histogram(
            "slotwise_answer_seconds",
            "From the head of a request to its answer, with the wait for the disk",
            ["call"],
            buckets=SECONDS,
            registry=registry,
        )
        kinds = ("machines", "running", "waiting")
        self._counts = [
            Gauge(f"slotwise_{kind}", text, registry=registry)
            for kind, text in zip(
                kinds, ("Machines", "Jobs that run", "Jobs that wait"), strict=True
            )
        ]

    def answered(self, call: str, status: int, seconds: float) -> None:
        self._answers.labels(call, str(status)).inc()
        self._seconds.labels(call).observe(seconds)

    def calls(self) -> list[Call]:
        """Where it is read."""
        return [Call("GET", "/metrics", self.read, "Counters and histograms for Prometheus")]

    async def read(self, request: Request) -> Answer:
        """All of it."""
        for gauge, number in zip(self._counts, self._service.dispatcher.counts, strict=True):
            gauge.set(number)
        return Response(generate_latest(self._registry), media_type=CONTENT_TYPE_LATEST)
