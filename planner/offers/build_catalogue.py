"""Makes resources/offers/offers.csv from a table of published prices.

    python -m planner.offers.build_catalogue PUBLISHED.csv

Kept: every offer of 1 to 6 RTX 3090s, and for comparison iRender's packages of other cards and the two lowest
recent on-demand prices of each newer card alone. Of several prices of one offer the newest stays. Sources and
licences travel with each row (see resources/offers/README.md).
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from pathlib import Path

from planner.hardware.catalogue import by_id
from planner.offers.catalogue import SHIPPED, write_offers
from planner.offers.importers import gpu_id_of
from planner.offers.offer import Offer
from planner.storage import write_atomically

WEIGHED_GPU = "rtx-3090"
WEIGHED_COUNTS = range(1, 7)
_RECENT = "2026"
_PRICES_OF_A_NEWER_CARD = 2
_NO_PUBLIC_PRICE = "no public price: ask the seller for a quote"


def _gpu_id(row: dict[str, str]) -> str | None:
    """ "RTX3090Ti" → "rtx-3090-ti", None for what the catalogue does not know."""
    name = row["gpu_name"].replace("RTX", "RTX ").replace("Ti", " Ti")
    try:
        return gpu_id_of(name, row["gpu_memory_gb"])
    except ValueError:
        return None


def _is_newer(gpu: str, row: dict[str, str]) -> bool:
    """A single card that came after the weighed one, of NVIDIA, at a recent price on demand."""
    spec, weighed = by_id(gpu), by_id(WEIGHED_GPU)
    return (
        spec is not None
        and weighed is not None
        and spec.vendor == weighed.vendor
        and spec.release_date > weighed.release_date
        and row["gpu_count"] == "1"
        and row["pricing"].startswith("on-demand")
        and row["price_date"] >= _RECENT
    )


def _offer(row: dict[str, str], gpu: str) -> Offer:
    def number(column: str) -> float | None:
        return float(row[column]) if row[column] else None

    vcpus, price = number("vcpus"), number("price_usd_per_hour")
    return Offer(
        provider=row["provider"],
        gpu=gpu,
        gpu_count=int(row["gpu_count"]),
        price_usd_per_hour=price,
        price_date=row["price_date"] or None,
        pricing=row["pricing"],
        source=row["source"] if price is not None else "",
        source_url=row["source_url"],
        licence=row["licence"],
        vcpus=int(vcpus) if vcpus is not None else None,
        ram_gb=number("ram_gb"),
        disk_gb=number("disk_gb"),
        region=row["region"],
        billing=row["billing"],
        billing_step_s=1.0 if "second" in row["billing"] else 3600.0,
        notes=row["notes"] if price is not None else _NO_PUBLIC_PRICE,
    )


def build(rows: list[dict[str, str]]) -> tuple[Offer, ...]:
    """Published rows → offers, newest of each, iRender's first."""
    newest: dict[tuple[str, str, int, str], Offer] = {}
    for row in rows:
        gpu = _gpu_id(row)
        weighed = gpu == WEIGHED_GPU and int(row["gpu_count"]) in WEIGHED_COUNTS
        compared = row["provider"] == "irender" and gpu != WEIGHED_GPU
        if gpu is None or not (weighed or compared or _is_newer(gpu, row)):
            continue
        offer = _offer(row, gpu)
        known = newest.get(offer.key)
        if known is None or (offer.price_date or "") >= (known.price_date or ""):
            newest[offer.key] = offer
    own = [offer for offer in newest.values() if offer.gpu == WEIGHED_GPU or offer.provider == "irender"]
    return tuple(
        sorted(
            (*own, *_lowest(offer for offer in newest.values() if offer not in own)),
            key=lambda o: (
                o.provider != "irender",
                o.gpu != WEIGHED_GPU,
                o.gpu,
                o.provider,
                o.pricing,
                o.gpu_count,
            ),
        )
    )


def _lowest(offers: Iterable[Offer]) -> Iterator[Offer]:
    """Of each card the lowest prices."""
    for _, group in groupby(sorted(offers, key=lambda o: (o.gpu, o.price_usd_per_hour or 0.0)), lambda o: o.gpu):
        yield from islice(group, _PRICES_OF_A_NEWER_CARD)


def main(source: Path) -> None:
    with source.open(newline="", encoding="utf-8") as file:
        offers = build(list(csv.DictReader(file)))
    write_atomically(SHIPPED, write_offers(offers).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
