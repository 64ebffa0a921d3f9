"""What was found before a syntax error: while a text cannot be parsed, its last findings stay, and
move with the lines that are as they were."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from autograd_lint.configuration.selection import PARSE_ERROR
from autograd_lint.findings import Finding, Related
from autograd_lint.immutable import immutable
from autograd_lint.places import Place
from autograd_lint.server.programs import Part, Program


def is_broken(program: Program, findings: Sequence[Finding]) -> bool:
    """Whether a part of a program cannot be parsed, by what was found in it."""
    return any(one.code == PARSE_ERROR and program.named(one.place.filename) for one in findings)


def held(
    before: Program, found: Sequence[Finding], after: Program, anew: Sequence[Finding]
) -> tuple[Finding, ...]:
    """The findings in a program as it was that still have their lines in what it has become, and
    are not among those that were found `anew`. They have no fixes: none was tried on this text.
    """
    moves = {part.name: _move(part, after.named(part.name)) for part in before.parts}
    known = {(one.code, one.place) for one in anew}
    moved = (one for finding in found for one in _moved(finding, moves))
    return tuple(one for one in moved if (one.code, one.place) not in known)


@immutable
class _Move:
    """Rows up to `first` stay, those behind `last` move `by` rows, the others are gone."""

    first: int
    last: int
    by: int

    def place(self, place: Place) -> Place | None:
        """Where a place is now; None where its lines are gone."""
        if place.end_row <= self.first:
            return place
        if place.row > self.last:
            return replace(place, row=place.row + self.by, end_row=place.end_row + self.by)
        return None


_GONE = _Move(0, 1 << 30, 0)


def _move(before: Part, after: Part | None) -> _Move:
    if after is None:
        return _GONE
    old, new = before.lines, after.lines
    most = min(len(old), len(new))
    first = next((row for row in range(most) if old[row] != new[row]), most)
    same = range(1, most - first + 1)
    behind = next((row - 1 for row in same if old[-row] != new[-row]), most - first)
    return _Move(first, len(old) - behind, len(new) - len(old))


def _moved(finding: Finding, moves: dict[str, _Move]) -> Iterator[Finding]:
    place = _placed(finding.place, moves)
    if place is not None:
        related = tuple(one for other in finding.related for one in _related(other, moves))
        row = finding.noqa_row + place.row - finding.place.row
        yield replace(finding, place=place, related=related, noqa_row=row, fix=None)


def _related(other: Related, moves: dict[str, _Move]) -> Iterator[Related]:
    place = _placed(other.place, moves)
    if place is not None:
        yield replace(other, place=place)


def _placed(place: Place, moves: dict[str, _Move]) -> Place | None:
    move = moves.get(place.filename)
    return place if move is None else move.place(place)
