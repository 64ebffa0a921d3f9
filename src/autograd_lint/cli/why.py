"""`explain --why CODE:FILE:ROW`: what a finding is judged by, sign by sign."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from autograd_lint.checking.request import Request
from autograd_lint.cli.running import gathered
from autograd_lint.errors import Trouble
from autograd_lint.evidence.counts import load
from autograd_lint.evidence.probability import Step, signs_of, steps
from autograd_lint.findings import Finding
from autograd_lint.levels import Certainty
from autograd_lint.report.json import record

_SPOT = re.compile(r"(?P<code>\w+):(?P<file>.+?)(?::(?P<cell>\d+))?:(?P<row>\d+)")


def findings_at(spot: str) -> list[Finding]:
    """The findings of a code in a row of a file, or of a cell of a notebook, at any certainty.

    Raises Trouble where the text does not name such a place, or nothing is found there.
    """
    found = _SPOT.fullmatch(spot)
    if found is None:
        raise Trouble(f"--why {spot}: give CODE:FILE:ROW, for a notebook CODE:FILE:CELL:ROW")
    code, row, cell = found["code"].upper(), int(found["row"]), found["cell"]
    asked = Request(
        paths=(found["file"],), select=(code,), certainty="possible", preview=True, quiet=True
    )
    told = gathered(asked, _refuse).findings
    here = [
        one
        for one in told
        if one.code == code and one.place.row == row and (cell is None or one.cell == int(cell))
    ]
    if not here:
        rows = sorted({one.place.row for one in told if one.code == code})
        where = f"row{'s' * (len(rows) > 1)} {', '.join(map(str, rows))}"
        others = f"; it is found in {where}" if rows else ""
        raise Trouble(f"--why {spot}: {code} is not found there{others}")
    return here


def _refuse(trouble: str) -> NoReturn:
    raise Trouble(trouble)


def as_record(finding: Finding) -> dict[str, Any]:
    """A finding as JSON, with the signs that it is judged by."""
    signs = [
        {
            "sign": one.said,
            "right": one.counted.right,
            "wrong": one.counted.wrong,
            "adds": one.counted.weight,
        }
        for one in _steps(finding)
    ]
    return {**record(finding), "signs": signs}


def as_text(finding: Finding) -> Iterator[str]:
    """The signs of a finding, each with what was counted of it and what it adds."""
    yield f"{finding.place}: {finding.code} {finding.message}"
    yield f"{finding.certainty.value}, {finding.probability:.0%} of findings like it are right"
    if not finding.assumptions:
        yield "It assumes nothing."
    if not _steps(finding):
        return
    yield ""
    yield from _table(_steps(finding))
    yield ""
    yield "The sum is the log odds that the finding is right. Counted on labelled findings."
    if finding.signals:
        yield f"signals: {', '.join(finding.signals)}"
    yield from (f"{one.kind}: {one.text}" for one in finding.assumptions)


def _table(found: Sequence[Step]) -> Iterator[str]:
    width = max(len(one.said) for one in found)
    yield f"{'sign':<{width}}  {'right':>6}  {'wrong':>6}  {'adds':>6}"
    for one in found:
        right, wrong = one.counted.right, one.counted.wrong
        yield f"{one.said:<{width}}  {right:>6g}  {wrong:>6g}  {one.counted.weight:>+6.2f}"
    yield f"{'sum':<{width}}  {'':>6}  {'':>6}  {sum(one.counted.weight for one in found):>+6.2f}"


def _steps(finding: Finding) -> list[Step]:
    """What leads to its probability; nothing where it is certain, or nothing was counted."""
    certain = finding.certainty is Certainty.CERTAIN
    return [] if certain else list(steps(signs_of(finding), load()))
