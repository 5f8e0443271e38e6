"""The work that is timed, on random data (zeros run 13–15 % faster: fewer bits flip). One function per op.

Bytes count what must be read and written at least once, FLOPs only matrix arithmetic, as in the op tables.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, Callable

import torch

from .devices import Device
from .protocol import Work

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
WIDTH_BYTES = {"fp32": 4, "fp16": 2, "bf16": 2}
CACHES_FILLED = 3  # rotated inputs are worth this many times the last-level cache
_MOST_SETS = 64

ROW = 1024  # length of the rows that are normalised
CONV_IMAGE = 28  # height and width: the middle of a ResNet
CHAIN_KERNELS_BYTES = 2 + 3 + 2  # tensors read + written: x·1.5, t + x, relu


def random(device: Device, dtype: str, *shape: int) -> torch.Tensor:
    """Normal random numbers; made in fp32, which every device can."""
    return torch.randn(*shape, device=device.kind).to(DTYPES[dtype])


class Rotation:
    """Calls one of several functions after the other, so that no call finds its inputs in the cache."""

    def __init__(self, device: Device, set_bytes: float, make: Callable[[], Callable[[], Any]]) -> None:
        sets = math.ceil(CACHES_FILLED * device.cache_bytes / set_bytes)
        self._calls = [make() for _ in range(max(1, min(_MOST_SETS, sets)))]
        self._next = 0

    def __call__(self) -> None:
        self._calls[self._next]()
        self._next = (self._next + 1) % len(self._calls)


def gemm(device: Device, dtype: str, n: int) -> Work:
    """n×n times n×n."""
    moved_bytes = 3.0 * n * n * WIDTH_BYTES[dtype]

    def make() -> Callable[[], Any]:
        a, b = random(device, dtype, n, n), random(device, dtype, n, n)
        return partial(torch.mm, a, b, out=torch.empty_like(a))

    return Work(Rotation(device, moved_bytes, make), 2.0 * n**3, moved_bytes)


def convolution(device: Device, dtype: str, kernel: int, channels: int, batch: int) -> Work:
    """Forward, data gradient and weight gradient; as many channels out as in, same size, no bias."""
    positions = batch * CONV_IMAGE**2
    image_bytes = positions * channels * WIDTH_BYTES[dtype]
    weight_bytes = channels**2 * kernel**2 * WIDTH_BYTES[dtype]

    def make() -> Callable[[], Any]:
        image = random(device, dtype, batch, channels, CONV_IMAGE, CONV_IMAGE).requires_grad_()
        weight = random(device, dtype, channels, channels, kernel, kernel).requires_grad_()
        gradient = random(device, dtype, batch, channels, CONV_IMAGE, CONV_IMAGE)

        def call() -> None:
            out = torch.nn.functional.conv2d(image, weight, padding=kernel // 2)
            torch.autograd.grad(out, (image, weight), gradient)

        return call

    # Each of the three reads two of image, weight and output (or its gradient) and writes the third.
    return Work(
        Rotation(device, 3.0 * image_bytes + weight_bytes, make),
        flops=3 * 2.0 * positions * channels**2 * kernel**2,
        bytes=3.0 * (2 * image_bytes + weight_bytes),
    )


def copy(device: Device, elements: int) -> Work:
    """fp32 to another place on the device. Larger than any cache."""
    source = random(device, "fp32", elements)
    return Work(partial(torch.empty_like(source).copy_, source), 0.0, 2.0 * 4 * elements)


def pointwise_chain(device: Device, elements: int) -> Work:
    """Three kernels in a row, fp32, each reading and writing whole tensors."""
    x, out = random(device, "fp32", elements), torch.empty(elements, device=device.kind)

    def call() -> None:
        torch.mul(x, 1.5, out=out)
        out.add_(x)
        out.relu_()

    return Work(call, 0.0, float(CHAIN_KERNELS_BYTES) * 4 * elements)


def layer_norm(device: Device, rows: int) -> Work:
    """Forward and backward over rows of 1024, fp32."""
    x, gradient = random(device, "fp32", rows, ROW).requires_grad_(), random(device, "fp32", rows, ROW)
    weight, bias = (torch.ones(ROW, device=device.kind, requires_grad=True) for _ in range(2))

    def call() -> None:
        out = torch.nn.functional.layer_norm(x, (ROW,), weight, bias)
        torch.autograd.grad(out, (x, weight, bias), gradient)

    return Work(call, 0.0, 5.0 * 4 * rows * ROW)  # reads x, writes y; reads x and y's gradient, writes x's


def softmax(device: Device, rows: int) -> Work:
    """Forward and backward over rows of 1024, fp32."""
    x, gradient = random(device, "fp32", rows, ROW).requires_grad_(), random(device, "fp32", rows, ROW)

    def call() -> None:
        torch.autograd.grad(torch.softmax(x, -1), x, gradient)

    return Work(call, 0.0, 5.0 * 4 * rows * ROW)  # reads x, writes y; reads y and its gradient, writes x's


def launch(device: Device) -> Work:
    """A kernel with nothing to do: what it costs to start one."""
    return Work(partial(torch.zeros(1, device=device.kind).add_, 1.0), 0.0, 0.0)


def host_to_device(device: Device, elements: int) -> Work:
    """fp32 from pinned host memory; bytes count once, as they cross the link."""
    source = torch.randn(elements).pin_memory()
    target = torch.empty(elements, device=device.kind)
    return Work(partial(target.copy_, source, non_blocking=True), 0.0, 4.0 * elements)
