"""Makes resources/offers/offers.csv from a table of published prices.

    python -m planner.offers.build_catalogue PUBLISHED.csv

Kept: every offer of 1 to 6 RTX 3090s, and iRender's packages of other cards for comparison. Of several prices of
one offer the newest stays. Sources and licences travel with each row (see resources/offers/README.md).
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from planner.hardware.catalogue import AmbiguousGpuError, lookup
from planner.offers.catalogue import SHIPPED, write_offers
from planner.offers.offer import Offer
from planner.storage import write_atomically

WEIGHED_GPU = "rtx-3090"
WEIGHED_COUNTS = range(1, 7)
_NO_PUBLIC_PRICE = "no public price: ask the seller for a quote"


def _gpu_id(name: str) -> str | None:
    """ "RTX3090Ti" → "rtx-3090-ti", None for what the catalogue does not know or cannot tell apart."""
    try:
        spec = lookup(name.replace("RTX", "RTX ").replace("Ti", " Ti"))
    except AmbiguousGpuError:
        return None
    return spec.id if spec else None


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
        gpu = _gpu_id(row["gpu_name"])
        weighed = gpu == WEIGHED_GPU and int(row["gpu_count"]) in WEIGHED_COUNTS
        compared = row["provider"] == "irender" and gpu != WEIGHED_GPU
        if gpu is None or not (weighed or compared):
            continue
        offer = _offer(row, gpu)
        known = newest.get(offer.key)
        if known is None or (offer.price_date or "") >= (known.price_date or ""):
            newest[offer.key] = offer
    return tuple(
        sorted(newest.values(), key=lambda o: (o.provider != "irender", o.gpu, o.provider, o.pricing, o.gpu_count))
    )


def main(source: Path) -> None:
    with source.open(newline="", encoding="utf-8") as file:
        offers = build(list(csv.DictReader(file)))
    write_atomically(SHIPPED, write_offers(offers).encode())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
