"""The rooms of the source stand above each other, and imports lead down."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import pytest

from autograd_lint.engine.machine import Engine
from autograd_lint.vm.frames import Frame
from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.record import Record
from autograd_lint.vm.world import World
from tests.house.importing import Edges, circles, edges

# From the top down: a room may import those behind it.
ROOMS = (
    *(
        "face",
        "plugins",
        "api",
        "cli",
        "server",
        "testing",
        "callbacks",
        "diagnosis",
        "checking",
        "live",
    ),
    *("rules", "report", "fixes", "analysis", "evidence", "scenarios", "checkers", "libraries"),
    *("facts", "vm", "engine", "operators", "project", "configuration", "observed", "ground"),
)
# What is below neither `vm` nor `libraries` although it stands behind them: how a program runs does
# not hang on what its text tells.
NOT_FROM = {"facts": {"libraries", "vm", "engine", "operators"}}
# Files outside of folders, by the room that they belong to.
LOOSE = {
    "face": {"", "__main__"},
    "ground": {
        "addresses",
        "coverage",
        "disk",
        "errors",
        "findings",
        "immutable",
        "levels",
        "places",
    },
}

MOST = 6  # files in a circle
MOST_FIELDS = 15  # of a class that everybody holds who holds an interpreter


def room(module: str) -> str:
    top = module.partition(".")[0]
    return next((name for name, files in LOOSE.items() if module in files), top)


@cache
def graph() -> Edges:
    return edges()


def leads_up(importer: str, imported: str) -> bool:
    above, below = room(importer), room(imported)
    if above in NOT_FROM.get(below, ()):
        return True
    return ROOMS.index(below) < ROOMS.index(above)


def upward() -> set[str]:
    return {
        f"{importer} > {imported}"
        for importer, targets in graph().items()
        for imported in targets
        if leads_up(importer, imported)
    }


def test_every_file_stands_in_a_room() -> None:
    assert {room(module) for module in graph()} <= set(ROOMS)


def test_no_import_leads_up() -> None:
    assert upward() == set()


def test_no_circle_of_imports_has_many_files() -> None:
    assert [circle for circle in circles(graph()) if len(circle) > MOST] == []


@pytest.mark.parametrize("held", [World, Interpreter, Frame, Record, Engine])
def test_what_everybody_holds_has_few_fields(held: type) -> None:
    assert len(fields(held)) <= MOST_FIELDS
