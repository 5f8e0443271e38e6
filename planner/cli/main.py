"""The command group and its exit status."""

from __future__ import annotations

import sys

import click

from planner.cli.accuracy import accuracy
from planner.cli.diff import diff
from planner.cli.estimate import estimate
from planner.cli.ledger import ledger
from planner.cli.lists import catalog
from planner.cli.machine import bench, detect
from planner.cli.offers import offers
from planner.cli.plan import plan
from planner.cli.report import replay, report
from planner.door import InvalidInputError
from planner.messages import FALLBACK_LANGUAGE, languages, use_language


class _PlanGroup(click.Group):
    """Turns expected failures into one clear message and the right exit status, never a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except InvalidInputError as error:
            for problem in error.problems:
                click.echo(f"{error.source}: {problem}", err=True)
            ctx.exit(2)
        except BrokenPipeError:  # the reader closed first: `gpu-plan catalog | head`
            sys.stderr.close()
            ctx.exit(0)
        except OSError as error:
            click.echo(str(error), err=True)
            ctx.exit(1)


def _print_versions(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from planner.versions import versions

        click.echo("\n".join(f"{name} {version}" for name, version in versions().items()))
        context.exit()


def _run_self_test(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from planner.cli.self_test import self_test

        context.exit(0 if self_test(main) else 1)


def _use_language(_context: click.Context, _option: click.Parameter, code: str) -> None:
    use_language(code)


@click.group(cls=_PlanGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_versions,
              help="Print the versions of the app and of what it stands on.")  # fmt: skip
@click.option("--self-test", is_flag=True, is_eager=True, expose_value=False, callback=_run_self_test,
              help="Check this installation: detect, plan, print, benchmark.")  # fmt: skip
@click.option("--language", type=click.Choice(languages()), default=FALLBACK_LANGUAGE, show_default=True,
              envvar="GPU_PLANNER_LANGUAGE", show_envvar=True, is_eager=True, expose_value=False,
              callback=_use_language, help="Language of what is printed and of the report.")  # fmt: skip
def main() -> None:
    """Decide whether to train on this machine or to rent RTX 3090s."""


for command in (detect, bench, estimate, plan, report, replay, diff, ledger, offers, catalog, accuracy):
    main.add_command(command)
