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
HEAD = 64  # width of an attention head
MAP_CHANNELS, MAP_SIDE = 64, 56  # the early middle of a ResNet
ADAMW_PASSES = 20  # over all parameters or states, one operation after the other as torch.optim runs them
GRAPH_KERNELS = 100
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


def convolution(device: Device, dtype: str, kernel: int, channels: int, batch: int, groups: int = 1) -> Work:
    """Forward, data gradient and weight gradient; as many channels out as in, same size, no bias."""
    positions = batch * CONV_IMAGE**2
    image_bytes = positions * channels * WIDTH_BYTES[dtype]
    weight_bytes = channels**2 // groups * kernel**2 * WIDTH_BYTES[dtype]

    def make() -> Callable[[], Any]:
        image = random(device, dtype, batch, channels, CONV_IMAGE, CONV_IMAGE).requires_grad_()
        weight = random(device, dtype, channels, channels // groups, kernel, kernel).requires_grad_()
        gradient = random(device, dtype, batch, channels, CONV_IMAGE, CONV_IMAGE)

        def call() -> None:
            out = torch.nn.functional.conv2d(image, weight, padding=kernel // 2, groups=groups)
            torch.autograd.grad(out, (image, weight), gradient)

        return call

    # Each of the three reads two of image, weight and output (or its gradient) and writes the third.
    return Work(
        Rotation(device, 3.0 * image_bytes + weight_bytes, make),
        flops=3 * 2.0 * positions * channels**2 // groups * kernel**2,
        bytes=3.0 * (2 * image_bytes + weight_bytes),
    )


def stem(device: Device, dtype: str, side: int, batch: int) -> Work:
    """First convolution of an image classifier: 7×7, stride 2, 3 → 64 channels. The image needs no gradient."""
    width, out_side = WIDTH_BYTES[dtype], (side + 1) // 2
    image_bytes, out_bytes = 3.0 * batch * side**2 * width, 64.0 * batch * out_side**2 * width

    def make() -> Callable[[], Any]:
        image = random(device, dtype, batch, 3, side, side)
        weight = random(device, dtype, 64, 3, 7, 7).requires_grad_()
        gradient = random(device, dtype, batch, 64, out_side, out_side)

        def call() -> None:
            torch.autograd.grad(torch.nn.functional.conv2d(image, weight, stride=2, padding=3), weight, gradient)

        return call

    return Work(
        Rotation(device, image_bytes + 2 * out_bytes, make),
        flops=2 * 2.0 * batch * out_side**2 * 64 * 3 * 49,
        bytes=2 * (image_bytes + out_bytes + 64 * 3 * 49 * width),
    )


def batched_gemm(device: Device, dtype: str, length: int, groups: int) -> Work:
    """``groups`` times length × 64 by 64 × length: the scores of attention that is not fused."""
    width = WIDTH_BYTES[dtype]
    moved_bytes = float(groups * (2 * length * HEAD + length**2) * width)

    def make() -> Callable[[], Any]:
        a, b = random(device, dtype, groups, length, HEAD), random(device, dtype, groups, HEAD, length)
        return partial(torch.bmm, a, b, out=torch.empty(groups, length, length, dtype=a.dtype, device=device.kind))

    return Work(Rotation(device, moved_bytes, make), 2.0 * groups * length**2 * HEAD, moved_bytes)


def attention(device: Device, dtype: str, heads: int, length: int, batch: int) -> Work:
    """Fused attention, forward and backward, heads of width 64, no mask. The backward pass computes 2.5 times as
    much: it makes the scores again."""
    shape = (batch, heads, length, HEAD)
    tensor_bytes = float(math.prod(shape) * WIDTH_BYTES[dtype])

    def make() -> Callable[[], Any]:
        query, key, value = (random(device, dtype, *shape).requires_grad_() for _ in range(3))
        gradient = random(device, dtype, *shape)

        def call() -> None:
            out = torch.nn.functional.scaled_dot_product_attention(query, key, value)
            torch.autograd.grad(out, (query, key, value), gradient)

        return call

    forward_flops = 4.0 * batch * heads * length**2 * HEAD
    # Reads q, k, v, writes o; reads q, k, v, o and o's gradient, writes three.
    return Work(Rotation(device, 4 * tensor_bytes, make), 3.5 * forward_flops, 12 * tensor_bytes)


def lstm(device: Device, hidden: int, length: int, batch: int) -> Work:
    """One layer, forward and backward, fp32, as many inputs as hidden units."""
    layer = torch.nn.LSTM(hidden, hidden, batch_first=True).to(device.kind)
    x = random(device, "fp32", batch, length, hidden).requires_grad_()
    gradient = random(device, "fp32", batch, length, hidden)
    weights = tuple(layer.parameters())

    def call() -> None:
        torch.autograd.grad(layer(x)[0], (x, *weights), gradient)

    matrices = 8 * hidden**2  # four gates of inputs, four of states
    positions_bytes = 4.0 * batch * length * hidden
    return Work(call, 3 * 2.0 * batch * length * matrices, 5 * positions_bytes + 3 * 4.0 * matrices)


def transpose(device: Device, n: int) -> Work:
    """An n×n matrix of fp32 into the other order of its dimensions."""
    source, target = random(device, "fp32", n, n), torch.empty(n, n, device=device.kind)
    return Work(partial(target.copy_, source.t()), 0.0, 2.0 * 4 * n * n)


def batch_norm(device: Device, batch: int) -> Work:
    """Forward and backward in training over 64 channels of 56×56, fp32."""
    shape = (batch, MAP_CHANNELS, MAP_SIDE, MAP_SIDE)
    x, gradient = random(device, "fp32", *shape).requires_grad_(), random(device, "fp32", *shape)
    weight, bias = (torch.ones(MAP_CHANNELS, device=device.kind, requires_grad=True) for _ in range(2))

    def call() -> None:
        out = torch.nn.functional.batch_norm(x, None, None, weight, bias, training=True)
        torch.autograd.grad(out, (x, weight, bias), gradient)

    return Work(call, 0.0, 5.0 * 4 * math.prod(shape))  # as layer_norm


def max_pool(device: Device, batch: int) -> Work:
    """3×3, stride 2, forward and backward, fp32. Forward it writes a quarter and where each value came from
    (8 bytes); backward it is handed both and the input, and writes the input's gradient."""
    shape = (batch, MAP_CHANNELS, MAP_SIDE, MAP_SIDE)
    out_shape = (batch, MAP_CHANNELS, MAP_SIDE // 2, MAP_SIDE // 2)
    x, gradient = random(device, "fp32", *shape).requires_grad_(), random(device, "fp32", *out_shape)

    def call() -> None:
        torch.autograd.grad(torch.nn.functional.max_pool2d(x, 3, 2, 1), x, gradient)

    elements, results = math.prod(shape), math.prod(out_shape)
    return Work(call, 0.0, 3.0 * 4 * elements + 2 * (4.0 + 8.0) * results)


def reduction(device: Device, rows: int) -> Work:
    """Sums of the columns of a matrix of fp32."""
    x, out = random(device, "fp32", rows, ROW), torch.empty(ROW, device=device.kind)
    return Work(partial(torch.sum, x, 0, out=out), 0.0, 4.0 * (rows * ROW + ROW))


def embedding(device: Device, vocabulary: int, width: int, tokens: int) -> Work:
    """Look-up of rows, and the dense gradient of the whole table, fp32."""
    table = random(device, "fp32", vocabulary, width).requires_grad_()
    numbers = torch.randint(vocabulary, (tokens,), device=device.kind)
    gradient = random(device, "fp32", tokens, width)

    def call() -> None:
        torch.autograd.grad(torch.nn.functional.embedding(numbers, table), table, gradient)

    return Work(call, 0.0, 3 * 4.0 * tokens * width + 4.0 * vocabulary * width + 2 * 8.0 * tokens)


def adamw(device: Device, parameters: int) -> Work:
    """An update of eight equal tensors of fp32, in torch's default form for the device."""
    tensors = [random(device, "fp32", parameters // 8).requires_grad_() for _ in range(8)]
    for tensor in tensors:
        tensor.grad = torch.randn_like(tensor)
    optimizer = torch.optim.AdamW(tensors, lr=1e-5)
    return Work(optimizer.step, 0.0, ADAMW_PASSES * 4.0 * parameters)


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


def host_to_device_pageable(device: Device, elements: int) -> Work:
    """The same from ordinary memory, which the driver copies once more on its way."""
    source, target = torch.randn(elements), torch.empty(elements, device=device.kind)
    return Work(partial(target.copy_, source), 0.0, 4.0 * elements)


def device_to_host(device: Device, elements: int) -> Work:
    """fp32 into pinned host memory."""
    source, target = torch.randn(elements, device=device.kind), torch.empty(elements).pin_memory()
    return Work(partial(target.copy_, source, non_blocking=True), 0.0, 4.0 * elements)


def read_one_number(device: Device) -> Work:
    """A number to the host: what ``loss.item()`` in a training loop waits for at least."""
    return Work(torch.zeros(1, device=device.kind).item, 0.0, 0.0)


def graph_of_launches(device: Device) -> Work:
    """The kernels of ``launch`` recorded once and started together (CUDA graph)."""
    number = torch.zeros(1, device=device.kind)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(GRAPH_KERNELS):
            number.add_(1.0)
    return Work(graph.replay, 0.0, 0.0)
