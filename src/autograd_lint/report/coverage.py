"""What no run has reached, and why: as text, and for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING

from autograd_lint.coverage import Coverage, Missed, Why

if TYPE_CHECKING:
    from autograd_lint.report.excerpt import Line

_WORDS = {
    Why.NO_CALLER.value: "nothing that was run calls `{function}`",
    Why.CONDITION.value: "this side of the `if` in line {condition} was never taken",
    Why.ENDS_BEFORE.value: "the runs end before it",
    Why.UNKNOWN.value: "its operands are unknown; an annotation, a caller or a test may tell them",
    Why.BUDGET.value: "the budget of the file was used up before it",
}


def text(found: Mapping[str, Coverage]) -> Iterator[Line]:
    """For each file what was missed there, and a line about all of them."""
    for filename, coverage in found.items():
        if coverage.missed:
            yield [(filename, "title"), (f": missed {_share(coverage)}", "")]
            width = max(len(_rows(one)) for one in coverage.missed)
            for one in coverage.missed:
                yield [(f"  {_rows(one):>{width}}  ", "title"), (_reason(one), "")]
    suspects = sum(one.suspects for one in found.values())
    missed = sum(len(one.missed) for one in found.values())
    reached = suspects - missed
    percent = f" ({reached / suspects:.0%})" if suspects else ""
    yield [(f"Reached {reached} of {_statements(suspects)} with known operands{percent}.", "")]


def document(found: Mapping[str, Coverage]) -> str:
    """The same as the text of one JSON array, an object a file."""
    return json.dumps([_record(*one) for one in found.items()], indent=2, ensure_ascii=False)


def _record(filename: str, coverage: Coverage) -> dict[str, object]:
    return {
        "filename": filename,
        "statements": coverage.suspects,
        "reached": coverage.suspects - len(coverage.missed),
        "missed": [asdict(one) for one in coverage.missed],
    }


def _share(coverage: Coverage) -> str:
    verbs = "writes or walks" if coverage.suspects == 1 else "write or walk"
    return f"{len(coverage.missed)} of {_statements(coverage.suspects)} that {verbs}"


def _statements(number: int) -> str:
    return f"{number} statement" if number == 1 else f"{number} statements"


def _rows(one: Missed) -> str:
    return str(one.row) if one.row == one.end_row else f"{one.row}-{one.end_row}"


def _reason(one: Missed) -> str:
    return _WORDS[one.why].format(function=one.function, condition=one.condition)
