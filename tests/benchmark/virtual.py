"""A device in virtual time: calls take as long as a function says, and nothing is really computed."""

from __future__ import annotations

from collections.abc import Callable

from planner.benchmark.worker.protocol import Probe, Settings, Work

SETTINGS = Settings(blocks=8, warm_up_compute_s=0.35, warm_up_memory_s=0.1, budget_s=1000.0, floor=0.005)


NOMINAL_HZ = 1.7e9


class OutOfVirtualMemoryError(RuntimeError):
    pass


class VirtualDevice:
    """``slowness(now_s)`` multiplies the nominal seconds that a call returns.

    ``clock_hz(now_s)``: the clock it tells, None for a device that does not; calls are slower in proportion.
    """

    def __init__(
        self,
        slowness: Callable[[float], float] = lambda now_s: 1.0,
        free_bytes: int | None = None,
        clock_hz: Callable[[float], float] | None = None,
    ) -> None:
        self._load = slowness
        self._clock_hz = clock_hz
        self._now_s = 0.0
        self._free_bytes = free_bytes
        self.alive = True
        self.blocks_s: list[float] = []  # what each timing took

    def now(self) -> float:
        return self._now_s

    def clock_hz(self) -> float | None:
        return None if self._clock_hz is None else self._clock_hz(self._now_s)

    def _slowness(self, now_s: float) -> float:
        return self._load(now_s) * (1.0 if self._clock_hz is None else NOMINAL_HZ / self._clock_hz(now_s))

    def time_calls(self, call: Callable[[], float], count: int) -> float:
        took_s = sum(call() * self._slowness(self._now_s) for _ in range(count))
        self._now_s += took_s
        self.blocks_s.append(took_s)
        return took_s

    def free_bytes(self) -> int | None:
        return self._free_bytes

    def release(self) -> None:
        pass

    def is_out_of_memory(self, error: BaseException) -> bool:
        return isinstance(error, OutOfVirtualMemoryError)

    def is_alive(self) -> bool:
        return self.alive


def make_probe(
    call_s: Callable[[int], float] = lambda size: 1e-3,
    sizes: tuple[int, ...] = (1,),
    memory: int | None = None,
    **changes: object,
) -> Probe:
    """A probe whose call of a size takes ``call_s(size)``; sizes over ``memory`` cannot be built."""

    def build(size: int) -> Work:
        if memory is not None and size > memory:
            raise OutOfVirtualMemoryError(f"tried {size}")
        return Work(lambda: call_s(size), flops=float(size), bytes=0.0)

    fields = {
        "name": "gemm",
        "kind": "flops",
        "op_class": "matmul",
        "dtype": "fp32",
        "sizes": sizes,
        "build": build,
        "describe": str,
        "footprint": float,
        "cost": lambda size: float(size) ** 3,
        "compute_bound": True,
    }
    return Probe(**{**fields, **changes})
