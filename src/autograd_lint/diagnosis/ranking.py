"""Candidates in the order in which they explain an error, with how probable each is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from autograd_lint.diagnosis.evidence import Evidence
from autograd_lint.diagnosis.fitting import CONTRADICTED, Fit, Way, fits, weight
from autograd_lint.diagnosis.suspects import Suspect
from autograd_lint.findings import Finding
from autograd_lint.immutable import immutable

_UNSEEN = 1.5  # the weight of a cause that nothing here shows
_UNSEEN_BESIDE = 0.15  # the same for each weight of a statement that no run shows
_LEAST = 0.3  # below it too much disagrees
_LEAST_SUSPECTED = 0.04
GOOD = 15.0  # above it a candidate explains the error without more being looked at
_SURE = 40.0  # the same where nothing but the message says what happened


@immutable
class Candidate:
    """A finding as the cause of an error: how likely it is, and what the error says to it."""

    finding: Finding
    pieces: tuple[Fit, ...]
    weight: float
    probability: float = 0.0

    @property
    def is_excluded(self) -> bool:
        """Whether the error says that it cannot be, or too much speaks against it."""
        least = _LEAST_SUSPECTED if self.is_suspected else _LEAST
        return self.weight < least or self.is_denied

    @property
    def is_denied(self) -> bool:
        """Whether the error says that it cannot be."""
        return any(one.ratio <= CONTRADICTED for one in self.pieces)

    @property
    def is_suspected(self) -> bool:
        """Whether no run shows it, and it is suspected for its form alone."""
        return self.pieces[0].what == "form"

    @property
    def disagreeing(self) -> list[Fit]:
        """What speaks against it."""
        return [piece for piece in self.pieces if piece.agrees is False]


@immutable
class Ranked:
    """The candidates, the likeliest first, and those of the same class that do not fit.

    `is_earlier` says that the blame lies with something before the line that raises.
    """

    candidates: tuple[Candidate, ...] = ()
    excluded: tuple[Candidate, ...] = ()
    is_earlier: bool = False

    @property
    def is_shown(self) -> bool:
        """Whether a run shows an error with which all goes together."""
        return bool(self.candidates) and self.candidates[0].weight >= GOOD

    @property
    def is_sure(self) -> bool:
        """Whether the message says by its tensor, too, that it is the error which a run shows."""
        return self.is_explained and self.candidates[0].weight >= _SURE

    @property
    def is_explained(self) -> bool:
        """Whether the first candidate tells where such an error begins, too."""
        return self.is_shown and not (
            self.is_earlier and _tells_only_the_end(self.candidates[0].finding)
        )


def candidates_of(findings: Iterable[Finding], evidence: Evidence, way: Way) -> list[Candidate]:
    """The findings that can lead to an error of this class."""
    found = ((one, fits(one, evidence, way)) for one in findings)
    return [Candidate(one, pieces, weight(one, pieces)) for one, pieces in found if pieces]


def suspected(suspects: Iterable[Suspect]) -> list[Candidate]:
    """Statements that are suspected for their form, as candidates."""
    return [Candidate(one.finding, one.pieces, one.base * _product(one.pieces)) for one in suspects]


def ranked(found: Iterable[Candidate], is_earlier: bool = False) -> Ranked:
    """The candidates in order, each place once."""
    best: dict[tuple[str, int], Candidate] = {}
    every = list(found)
    denied = {_at(one) for one in every if one.is_denied}
    denied -= {_at(one) for one in every if not (one.is_suspected or one.is_denied)}
    every = [one for one in every if not (one.is_suspected and _at(one) in denied)]
    for one in sorted(every, key=_order):
        best.setdefault(_at(one), one)
    kept = told(one for one in best.values() if not one.is_excluded)
    return Ranked(kept, tuple(one for one in best.values() if one.is_excluded), is_earlier)


def told(kept: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Candidates with their probabilities, by their weights."""
    every = tuple(kept)
    by_form = sum(one.weight for one in every if one.is_suspected)
    total = sum(one.weight for one in every) + _UNSEEN + _UNSEEN_BESIDE * by_form
    return tuple(replace(one, probability=one.weight / total) for one in every)


def _at(one: Candidate) -> tuple[str, int]:
    return one.finding.place.filename, one.finding.place.row


def _tells_only_the_end(finding: Finding) -> bool:
    """Whether a finding tells of no other line than the one that raises."""
    predicts = finding.predicts
    if predicts is None or predicts.row is None:
        return False
    rows = {one.place.row for one in finding.related}
    return finding.place.row == predicts.row and rows <= {predicts.row}


def _order(one: Candidate) -> tuple[object, ...]:
    return (
        one.is_excluded,
        -one.weight,
        one.is_suspected,
        one.finding.certainty.rank,
        one.finding.place,
        one.finding.code,
    )


def _product(pieces: Sequence[Fit]) -> float:
    result = 1.0
    for piece in pieces:
        result *= piece.ratio
    return result
