"""Paths that are shown to others do not tell whose they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.paths import without_home

ANNA = Path("/home/anna")


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("/home/anna", "~"),
        ("/home/anna/env/bin/python", "~/env/bin/python"),
        ("/home/anna/a and /home/anna/b", "~/a and ~/b"),
        ("no file '/home/anna/a'", "no file '~/a'"),
        ("/home/annabel/a", "/home/annabel/a"),
        ("/mnt/home/anna/a", "/mnt/home/anna/a"),
        ("/home/anna.old", "/home/anna.old"),
        ("nothing in /home/anna.", "nothing in ~."),
    ],
)
def test_that_the_home_folder_is_a_tilde(told, shown):
    assert without_home(told, ANNA) == shown


def test_that_it_is_found_wherever_it_lies_and_other_values_stay():
    value = {"a": [["/home/anna/x", 3], None], "b": ("/opt/x", True)}
    assert without_home(value, ANNA) == {"a": [["~/x", 3], None], "b": ["/opt/x", True]}


def test_that_a_home_at_the_root_hides_nothing():
    assert without_home("/opt/x", Path("/")) == "/opt/x"
