# Made by tests/support/generator_stub.py from the parameters of the generators.

from collections.abc import Callable, Sequence
from typing import Any, Literal, ParamSpec, TypeVar, overload

from ..core.registry import Entry
from .datacenter.datacenter import Datacenter
from .hierarchy.hierarchy import Hierarchy
from .mapreduce.instance import Instance

P = ParamSpec("P")
T = TypeVar("T")

@overload
def generate(
    generator: Literal["ljr"],
    jobs: int = ...,
    nodes: int = ...,
    *,
    seed: int,
    racks: int | Literal["as published"] = ...,
    map_slots: int = ...,
    reduce_slots: int = ...,
    node_rate: float = ...,
    rack_rate: float = ...,
    remote_rate: float = ...,
    maps_mean: float = ...,
    maps_variance: float = ...,
    maps_range: tuple[int, int] | None = ...,
    reduces_mean: float = ...,
    reduces_variance: float = ...,
    reduces_range: tuple[int, int] | None = ...,
    map_time_mean: float = ...,
    map_time_variance: float = ...,
    reduce_time_mean: float = ...,
    reduce_time_variance: float = ...,
    slow_share: float = ...,
    factor: tuple[float, float] = ...,
    slow_factor: tuple[float, float] = ...,
    block_mb: Sequence[float] = ...,
    block_scale: float = ...,
    replicas: int = ...,
    output_ratios: Sequence[float] = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["ljr-small"],
    jobs: int = ...,
    nodes: int = ...,
    *,
    seed: int,
    racks: int = ...,
    map_slots: int = ...,
    reduce_slots: int = ...,
    max_maps: int = ...,
    max_reduces: int = ...,
    replicas: int = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["hmhs"],
    jobs: int = ...,
    *,
    seed: int,
    workload: Literal["single", "hybrid"] = ...,
    map_machines: int = ...,
    reduce_machines: int = ...,
    cluster: int = ...,
    slow_share: float | None = ...,
    maps: tuple[int, int] = ...,
    reduces: tuple[int, int] = ...,
    map_time: tuple[float, float] = ...,
    reduce_time: tuple[float, float] = ...,
    long_share: float = ...,
    long_map_time: tuple[float, float] = ...,
    long_reduce_time: tuple[float, float] = ...,
    large_share: float = ...,
    large_maps: tuple[int, int] = ...,
    large_reduces: tuple[int, int] = ...,
    factor: tuple[float, float] = ...,
    slow_factor: tuple[float, float] = ...,
    factors_by_job: bool = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["hmhs-small"],
    jobs: int = ...,
    map_machines: int = ...,
    reduce_machines: int = ...,
    *,
    seed: int,
    max_maps: int = ...,
    max_reduces: int = ...,
    cluster: int = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["smso"],
    jobs: int = ...,
    nodes: int = ...,
    *,
    seed: int,
    map_slots: int = ...,
    reduce_slots: int = ...,
    gamma: float = ...,
    outages: Literal["nodes", "slots"] = ...,
    maps_mean: float = ...,
    maps_variance: float = ...,
    maps_range: tuple[int, int] | None = ...,
    reduces_mean: float = ...,
    reduces_variance: float = ...,
    reduces_range: tuple[int, int] | None = ...,
    processing: tuple[float, float] = ...,
    transfer_rate: float = ...,
    encryption_rate: float = ...,
    priority: float = ...,
    encrypted: float = ...,
    block_mb: Sequence[float] = ...,
    output_ratios: Sequence[float] = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["smso-small"],
    jobs: int = ...,
    nodes: int = ...,
    *,
    seed: int,
    map_slots: int = ...,
    reduce_slots: int = ...,
    max_maps: int = ...,
    max_reduces: int = ...,
    gamma: float = ...,
    outages: Literal["nodes", "slots"] = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["two-stage"],
    jobs: int = ...,
    map_machines: int = ...,
    reduce_machines: int = ...,
    *,
    seed: int,
    times: tuple[int, int] = ...,
) -> Instance: ...
@overload
def generate(
    generator: Literal["lotes"],
    classes: int = ...,
    configurations: int = ...,
    resources: int = ...,
    machines: int = ...,
    *,
    seed: int,
    capacity: tuple[float, float] = ...,
    request: tuple[float, float] = ...,
    mean_time: tuple[float, float] = ...,
    speed: tuple[float, float] = ...,
    allowed: float = ...,
) -> Datacenter: ...
@overload
def generate(
    generator: Literal["google-2011"], scale: float = ..., *, at_least: int = ...
) -> Datacenter: ...
@overload
def generate(
    generator: Literal["mch"],
    depth: int = ...,
    *,
    seed: int,
    fanout: tuple[int, int] = ...,
    group_share: float = ...,
    nodes: int | None = ...,
    partial: float = ...,
    resources: int = ...,
    capacity: float = ...,
    demand: tuple[float, float] = ...,
    weight: tuple[float, float] = ...,
    limited: float = ...,
    tasks: tuple[int, int] = ...,
) -> Hierarchy: ...
@overload
def generate(
    generator: Literal["mch-binary"],
    levels: int = ...,
    *,
    seed: int,
    partial: float = ...,
    resources: int = ...,
    capacity: float = ...,
    demand: tuple[float, float] = ...,
    weight: tuple[float, float] = ...,
    limited: float = ...,
    tasks: tuple[int, int] = ...,
) -> Hierarchy: ...
@overload
def generate(generator: Callable[P, T], *arguments: P.args, **parameters: P.kwargs) -> T: ...
@overload
def generate(generator: Entry, *arguments: Any, **parameters: Any) -> Any: ...
