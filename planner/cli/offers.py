"""`gpu-plan offers`: the prices that plans are worked out with; import them, or fetch those of the day."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from planner.cli.output import as_json, print_json, print_table
from planner.door import Problem, plain
from planner.messages import load_messages
from planner.offers.difference import OfferChange
from planner.offers.offer import Offer
from planner.units import format_money

_COLUMNS = ("provider", "package", "per hour", "pricing", "date", "source")


@click.group(invoke_without_command=True)
@as_json
@click.pass_context
def offers(context: click.Context, json_wanted: bool) -> None:
    """List the rental offers that plans are priced with, with their dates and sources; or change them."""
    if context.invoked_subcommand is not None:
        return
    from planner.offers.catalogue import load_offers

    known = load_offers()
    if json_wanted:
        print_json([plain(offer) for offer in known])
        return
    print_table(_COLUMNS, map(_row, known), (False, False, True) + (False,) * 3)


def _row(offer: Offer) -> tuple[str, ...]:
    package = f"{offer.gpu_count} × {offer.gpu}"
    return offer.provider, package, _price(offer), offer.pricing, offer.price_date or "", offer.source


def _price(offer: Offer | None) -> str:
    """In the currency it was quoted in."""
    if offer is None:
        return ""
    if offer.price_per_hour is not None:
        return format_money(offer.price_per_hour, offer.currency)
    return "ask" if offer.price_usd_per_hour is None else format_money(offer.price_usd_per_hour)


@offers.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--provider", default="", help="Seller, where the file names none. Default: the file's name.")
@click.option("--yes", "accepted", is_flag=True, help="Replace the prices. Without it they are only shown.")
@as_json
def import_offers(file: Path, provider: str, accepted: bool, json_wanted: bool) -> None:
    """Take prices from FILE: gpuhunt's or SkyPilot's catalogue, or a CSV or JSON with our own columns."""
    from planner.offers.importers import import_file

    found = import_file(file, provider, _today())
    _replace(found.offers, found.skipped, accepted, json_wanted)


@offers.command()
@click.option("--yes", "accepted", is_flag=True, help="Replace the prices. Without it they are only shown.")
@as_json
def refresh(accepted: bool, json_wanted: bool) -> None:
    """Fetch the prices of the day from gpuhunt's catalogues on the internet."""
    from planner.offers.refresh import refresh as fetch_prices

    def progress(done: int, count: int, provider: str) -> None:
        if provider:
            click.echo(
                load_messages().say("cli.offers.asking", done=done + 1, count=count, provider=provider), err=True
            )

    found = fetch_prices(_today(), progress)
    _replace(found.offers, found.failed, accepted, json_wanted)


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _replace(incoming: tuple[Offer, ...], skipped: tuple[Problem, ...], accepted: bool, json_wanted: bool) -> None:
    """Show what would change; change it when that was asked for."""
    from planner.offers.catalogue import load_offers, save_offers, user_file
    from planner.offers.difference import changes, merged

    messages, current = load_messages(), load_offers()
    found = changes(current, incoming)
    if accepted and found:
        save_offers(merged(current, found))
    if json_wanted:
        print_json(
            {
                "changes": [{"kind": one.kind, "share": one.share, "after": plain(one.after)} for one in found],
                "skipped": [plain(problem) for problem in skipped],
                "saved": accepted and bool(found),
            }
        )
        return
    print_table(("", "provider", "package", "before", "now", "change"), map(_change_row, found))
    for problem in skipped:
        click.echo(messages.say("cli.offers.skipped", problem=problem), err=True)
    if not found:
        click.echo(messages.say("cli.offers.same"))
    elif accepted:
        click.echo(messages.say("cli.offers.saved", path=user_file()))
    else:
        click.echo(messages.say("cli.offers.not_saved"))


def _change_row(change: OfferChange) -> tuple[str, ...]:
    share = "" if change.share is None else f"{change.share:+.0%}"
    package = f"{change.after.gpu_count} × {change.after.gpu}, {change.after.pricing}"
    return change.kind, change.after.provider, package, _price(change.before), _price(change.after), share
