"""How wide the interval of a prediction must be, from the errors of models that were held out.

    σ² = σ_format² + (Σ share of a kind · σ of the kind)²

A step made of kinds that are hard to predict gets a wide interval, another a narrow one. The σ are those under
which the held-out errors are likeliest (two-sided exponential, as errors have long tails); then all are stretched
so that nine out of ten errors lie within 1.645 σ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from planner.predict.step_time import NORMAL_90
from planner.predict.types import FORMATS, Floats
from planner.workload.optable import KINDS

_START = 0.05
_RIDGE = 2e-3  # pulls the σ of kinds to none: only what the errors ask for
_ITERATIONS, _RATE = 600, 0.02


@dataclass(frozen=True)
class Spread:
    """Standard deviations of ln(predicted / measured)."""

    by_format: Floats  # (F,)
    by_kind: Floats  # (F, K)

    def sigma(self, channels_last: NDArray[np.bool_], shares: Floats) -> Floats:
        """(S,) of steps with these memory formats and (S, F · K) shares."""
        base = self.by_format[channels_last.astype(np.int64)]
        sigma: Floats = np.hypot(base, shares @ self.by_kind.ravel())
        return sigma


def fit_spread(errors: Floats, channels_last: NDArray[np.bool_], shares: Floats) -> Spread:
    """From (S,) held-out ln(predicted / measured), memory formats, and (S, F · K) shares."""
    size = torch.as_tensor(np.abs(errors), dtype=torch.float32)
    layout = torch.as_tensor(channels_last.astype(np.int64))
    share = torch.as_tensor(shares, dtype=torch.float32)
    base = torch.full((len(FORMATS),), float(np.log(_START)), requires_grad=True)
    kinds = torch.full((shares.shape[1],), 0.1, requires_grad=True)
    optimizer = torch.optim.Adam([base, kinds], lr=_RATE)
    for _ in range(_ITERATIONS):
        optimizer.zero_grad()
        sigma = torch.hypot(base.exp()[layout], share @ kinds.clamp(min=0))
        (sigma.log() + 2**0.5 * size / sigma).mean().add(_RIDGE * kinds.clamp(min=0).sum()).backward()
        optimizer.step()
    by_format = base.detach().exp().numpy().astype(np.float64)
    by_kind = kinds.detach().clamp(min=0).numpy().astype(np.float64).reshape(len(FORMATS), len(KINDS))
    fitted = Spread(by_format, by_kind)
    stretch = float(np.quantile(np.abs(errors) / fitted.sigma(channels_last, shares), 0.9)) / NORMAL_90
    return Spread(stretch * by_format, stretch * by_kind)
