"""What a rule is: documentation, a code and a name, the faults it answers to, its judgement."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar

from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.judging import judged
from autograd_lint.findings import Finding, Fix, Prediction, Related, Severity
from autograd_lint.places import Place

if TYPE_CHECKING:  # LibCST is only imported when there is something to judge.
    from autograd_lint.rules.reading import Chunk


class Rule(ABC):
    """One rule. Its class docstring is its page: a line that sums it up, then the same headings in
    every rule:

    `## What it does`, `## Why it is bad`, `## Example` (a python block that fails on torch),
    `## Use instead` (a python block that runs clean), `## Fix safety`, `## References`.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    kinds: ClassVar[frozenset[FaultKind | Pitfall]] = frozenset()
    severity: ClassVar[Severity] = Severity.ERROR
    on_by_default: ClassVar[bool] = True
    preview: ClassVar[bool] = False
    assumes: ClassVar[frozenset[Kind]] = frozenset()
    """What every finding of the rule assumes."""

    @classmethod
    def page(cls) -> str:
        """The documentation in Markdown, without the title."""
        from inspect import cleandoc

        return cleandoc(cls.__doc__ or "")

    @classmethod
    def summary(cls) -> str:
        """The line that sums the rule up."""
        return cls.page().partition("\n")[0]

    def answers(self, fault: Fault) -> bool:
        """Whether this rule is the one to judge `fault`; exactly one rule of a kind is."""
        return fault.kind in self.kinds

    def primary(self, fault: Fault) -> Place | None:
        """The place to change, as the engine knows it; None where no place is known at all."""
        return fault.place or first_place(fault)

    @abstractmethod
    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        """The finding for `fault`, or None where the syntax shows that it is not what it seems.

        `place` is what `primary` said, `chunk` the LibCST reading around it.
        """

    def tell(
        self,
        fault: Fault,
        place: Place,
        *,
        message: str,
        label: str,
        role: str = "",
        reason: str = "",
        help: str = "",
        related: tuple[Related | None, ...] = (),
        fix: Fix | None = None,
    ) -> Finding:
        """A finding of this rule at `place`; related places that are None are left out."""
        found = judged(fault, self.code)
        return Finding(
            code=self.code,
            name=self.name,
            message=message,
            place=place,
            severity=Severity.WARNING if fault.warned else self.severity,
            certainty=found.certainty,
            probability=found.probability,
            assumptions=found.assumptions,
            signals=tuple(sorted(fault.signals)),
            label=label,
            role=role,
            reason=reason,
            help=help,
            related=_related(fault, place, related),
            predicts=prediction_of(fault),
            fix=fix,
            noqa_row=place.row,
            steps=fault.steps,
        )


def _related(fault: Fault, place: Place, told: tuple[Related | None, ...]) -> tuple[Related, ...]:
    """The other places of a rule that add to `place`, and what else led to the fault."""
    found = [other for other in (*told, _writer(fault)) if other and _adds(other, place)]
    if fault.caller is not None and not _speaks_of(fault.caller.filename, place, found):
        found.append(Related("called", "called here", fault.caller))
    drawn = {(one.filename, one.row) for one in (place, *(other.place for other in found))}
    for noted in fault.noted:
        if noted.place and (noted.place.filename, noted.place.row) not in drawn:
            found.append(Related("built", noted.said, noted.place))
    return tuple(found)


def _writer(fault: Fault) -> Related | None:
    """Where the layer that writes was made, if it is one."""
    layer = fault.modified.layer if fault.modified is not None else None
    if layer is None or layer.place is None:
        return None
    return Related("built", f"`{layer.operator}` is made here", layer.place)


def _speaks_of(filename: str, place: Place, others: list[Related]) -> bool:
    """Whether any place is in a file."""
    return any(one.filename == filename for one in (place, *(other.place for other in others)))


def _adds(other: Related, place: Place) -> bool:
    """Where a tensor was made need not be drawn when that is the very construct at fault."""
    return other.role != "built" or other.place.row != place.row or not _within(other.place, place)


def _within(inner: Place, outer: Place) -> bool:
    starts = inner.filename == outer.filename and inner.column >= outer.column
    return starts and (inner.end_row, inner.end_column) <= (outer.end_row, outer.end_column)


def prediction_of(fault: Fault) -> Prediction | None:
    """The error that the real engine will raise, and where; None for a pitfall that leads to none,
    and for a warning."""
    if isinstance(fault.kind, Pitfall):
        return next(filter(None, map(prediction_of, fault.also)), None)
    if fault.warned:
        return None
    filename = fault.place.filename if fault.place else None
    row = fault.place.row if fault.place else None
    kind = fault.kind.value
    return Prediction(kind, filename, row, fault.operator, fault.detail, fault.found)


def first_place(fault: Fault) -> Place | None:
    """The place of the first event of a fault that has one."""
    events = (fault.modified, fault.built, fault.saved, fault.freed, fault.needed)
    return next((event.place for event in events if event and event.place), None)
