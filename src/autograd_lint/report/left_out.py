"""What was not looked at, as a budget was used up: one line, and a note for other programs."""

from __future__ import annotations

from collections.abc import Mapping

from autograd_lint.report.text import relative

_FILES = 3  # that the line names


def line(found: Mapping[str, tuple[str, ...]]) -> str:
    """How many definitions of which files were not run."""
    number = sum(map(len, found.values()))
    named = [f"{len(names)} in {relative(name)}" for name, names in found.items()]
    further = len(named) - _FILES
    files = ", ".join(named[:_FILES]) + (f" and more in {further} others" if further > 0 else "")
    noun = "definition was" if number == 1 else "definitions were"
    return f"{number} {noun} not run, as the budget of a file was used up: {files}"


def note(found: Mapping[str, tuple[str, ...]]) -> dict[str, object]:
    """The same as the last row of the statistics in JSON; its count is no number of findings."""
    files = [{"filename": name, "not_run": list(names)} for name, names in found.items()]
    return {"code": None, "name": "notes", "count": 0, "notes": files}
