"""What a table of offers would change in another one, to be looked at before prices are replaced."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from planner.offers.offer import Offer
from planner.offers.price import newest

Kind = Literal["new", "changed", "dated"]


@dataclass(frozen=True, slots=True)
class OfferChange:
    """One offer that is new, has another price, or the same price with another date."""

    kind: Kind
    before: Offer | None
    after: Offer

    @property
    def share(self) -> float | None:
        """Rise of the price as a share of the old one; None: there is nothing to compare."""
        old = self.before.price_usd_per_hour if self.before else None
        new = self.after.price_usd_per_hour
        return None if not old or new is None else new / old - 1


def changes(current: Iterable[Offer], incoming: Iterable[Offer]) -> tuple[OfferChange, ...]:
    """What taking ``incoming`` would do, new offers last. Quotes that the user typed are never touched."""
    known = {offer.key: offer for offer in newest(current)}
    found = [_change(known.get(offer.key), offer) for offer in newest(incoming)]
    order = ("changed", "dated", "new")
    return tuple(sorted(filter(None, found), key=lambda change: order.index(change.kind)))


def _change(before: Offer | None, after: Offer) -> OfferChange | None:
    if before is None:
        return OfferChange("new", None, after)
    if before == after:
        return None
    return OfferChange("dated" if _price(before) == _price(after) else "changed", before, after)


def _price(offer: Offer) -> tuple[float | None, float | None, str]:
    return offer.price_usd_per_hour, offer.price_per_hour, offer.currency


def merged(current: Iterable[Offer], accepted: Iterable[OfferChange]) -> tuple[Offer, ...]:
    """``current`` with the accepted changes: rows of the same offer are replaced, new ones come at the end."""
    after = {change.after.key: change.after for change in accepted}
    waiting, rows = dict(after), []
    for offer in current:
        if offer.key not in after:
            rows.append(offer)
        elif offer.key in waiting:
            rows.append(waiting.pop(offer.key))
    return (*rows, *waiting.values())
