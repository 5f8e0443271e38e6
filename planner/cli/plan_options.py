"""What `gpu-plan plan` takes: how quantities are typed, and an option for every circumstance of the decision."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import click

from planner.decide.types import Objective
from planner.evidence import Range
from planner.predict.scaling import HostClass
from planner.units import parse_bytes, parse_count, parse_duration_s

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Quote:
    """A price that a seller told."""

    gpu_count: int
    price_per_hour: float
    currency: str


class Quantity(click.ParamType[float]):
    """A number as people type it, with what is wrong said by the parser."""

    def __init__(self, name: str, parse: Callable[[str], float]) -> None:
        self.name = name
        self._parse = parse

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        try:
            return self._parse(str(value))
        except ValueError as error:
            self.fail(str(error), param, ctx)


class RangeType(click.ParamType[Range]):
    """``LIKELY`` or ``LOW..LIKELY..HIGH``."""

    name = "range"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Range:
        if isinstance(value, Range):
            return value
        parts = str(value).split("..")
        try:
            numbers = [parse_count(part) for part in parts]
            if len(numbers) not in (1, 3):
                raise ValueError("write one number or LOW..LIKELY..HIGH")
            return Range(numbers[0], numbers[len(numbers) // 2], numbers[-1])
        except ValueError as error:
            self.fail(str(error), param, ctx)


class QuoteType(click.ParamType[Quote]):
    """``CARDS=PRICE``: the seller's price of a package for an hour, in USD or as in ``4=60000 VND``."""

    name = "cards=price"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Quote:
        if isinstance(value, Quote):
            return value
        cards, _, price = str(value).partition("=")
        found = re.fullmatch(r"(.*?)\s*([A-Z]{3})?", price.strip())
        try:
            return Quote(int(cards), parse_count(found[1] if found else price), (found and found[2]) or "USD")
        except ValueError:
            what = f"{value!r} is no quote: write cards and price an hour, such as 4=3.20 or 4=60000VND"
            self.fail(what, param, ctx)


class RateType(click.ParamType[tuple[str, float]]):
    """``CURRENCY=UNITS``: what one US dollar buys."""

    name = "currency=units"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        if isinstance(value, tuple):
            return value
        currency, _, units = str(value).partition("=")
        try:
            return currency.strip().upper(), parse_count(units)
        except ValueError:
            self.fail(f"{value!r} is no rate: write what one US dollar buys, such as VND=26300", param, ctx)


COUNT, SIZE = Quantity("count", parse_count), Quantity("size", parse_bytes)
HOURS = Quantity("duration", lambda text: parse_duration_s(text) / 3600)

SHARE = Quantity("share", lambda text: parse_count(text.removesuffix("%")) / (100 if text.endswith("%") else 1))
_RANGE = RangeType()

# Options that fill the field of ``Terms`` with their name.
_TERMS = (
    click.option("--deadline", "deadline_h", type=HOURS, help="E.g. 36 (hours), 2h30 or 3d."),
    click.option("--budget", "budget_usd", type=float, help="USD."),
    click.option("--objective", type=click.Choice(get_args(Objective)), help="What to keep small: cost or time."),
    click.option("--confidence", type=SHARE, help="Demanded probability to be on time, e.g. 90%."),
    click.option("--late-cost", "late_usd", type=float, help="USD that being late costs; else late is ruled out."),
    click.option("--upload", "upload_mbit_per_s", type=_RANGE, help="Mbit/s."),
    click.option("--waiting-cost", "waiting_cost_usd_per_h", type=float, help="USD per hour of people waiting."),
    click.option("--blocked-cost", "blocked_usd_per_h", type=float, help="USD per hour this machine is in use."),
    click.option("--tax", "tax_share", type=SHARE, help="On the seller's bill, e.g. 10%."),
    click.option("--bus-bandwidth-gbs", type=_RANGE, help="All-reduce bus bandwidth of the rented host, GB/s."),
    click.option(
        "--host-class",
        type=click.Choice(get_args(HostClass)),
        help="How the rented cards are connected: own PCIe lanes, few or shared ones, a bridge.",
    ),
    click.option("--electricity", "electricity_usd_per_kwh", type=_RANGE, help="USD per kWh."),
    click.option("--setup", "setup_h", type=_RANGE, help="Hours to set up a rented machine."),
    click.option("--idle", "idle_h", type=_RANGE, help="Hours until a rented machine is shut down."),
    click.option("--failed-starts", "failed_start_share", type=SHARE, help="First starts that come to nothing."),
    click.option("--interrupted-every", "interrupted_every_h", type=_RANGE, help="Hours, of a spot machine."),
    click.option(
        "--vcpus-per-gpu", "rented_vcpus_per_gpu", type=_RANGE, help="Of rented machines that do not say."
    ),
    click.option("--disk", "disk_mb_per_s", type=_RANGE, help="MB/s the input is read with."),
    click.option("--hours-per-month", type=float, help="Of training, to compare with buying a card."),
    click.option("--card-price", "card_usd", type=_RANGE, help="USD for a used RTX 3090."),
    click.option("--admin-hours", "admin_h_per_month", type=float, help="A month, to keep an own card running."),
    click.option("--person-cost", "person_usd_per_h", type=float, help="USD for an hour of one person."),
    click.option("--platform", type=click.Choice(["linux", "windows"]), help="Of the rented machine."),
    click.option(
        "--privacy", type=click.Choice(["public", "internal", "personal", "regulated"]), help="Of the data."
    ),
    click.option("--data-country", help="Where personal data was collected: VN, DE, …"),
    click.option("--transfer-assessed", is_flag=True, default=None, help="Moving it abroad is filed and allowed."),
    click.option("--own-datacentre", is_flag=True, default=None, help="This machine stands in a data centre."),
)


def terms_options(command: F) -> F:
    """Add an option for each circumstance."""
    for option in reversed(_TERMS):
        command = option(command)
    return command
