"""What the rules about pitfalls that raise nothing have in common: words around the events."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from autograd_lint.engine.faults import Fault
from autograd_lint.findings import Finding, Fix, Related, Severity
from autograd_lint.places import Place
from autograd_lint.rules import wording
from autograd_lint.rules.base import Rule
from autograd_lint.rules.wording import quoted, spoken

if TYPE_CHECKING:
    from autograd_lint.rules.reading import Chunk


class SilentRule(Rule):
    """A rule told by templates: `{tensor}` and `{operator}` stand for what the pitfall is about,
    `{code}` for the code at its place. `events` are the labels under its other places, by role,
    `unnamed` is what a pitfall is about that names no tensor.
    """

    severity = Severity.WARNING
    message: ClassVar[str]
    label: ClassVar[str]
    reason: ClassVar[str]
    advice: ClassVar[str]
    events: ClassVar[tuple[tuple[str, str], ...]] = ()
    unnamed: ClassVar[str] = "a tensor"

    def judge(self, fault: Fault, place: Place, chunk: Chunk) -> Finding | None:
        words = self.words(fault, place, chunk)
        return self.tell(
            fault,
            place,
            message=self.says(fault).format(**words),
            label=self.labels(fault).format(**words),
            reason=self.explains(fault).format(**words),
            help=self.advises(fault).format(**words),
            related=tuple(self._related(fault, words)),
            fix=self.mend(fault, place, chunk),
        )

    def words(self, fault: Fault, place: Place, chunk: Chunk) -> dict[str, str]:
        """What stands for the names in the templates."""
        node = chunk.node_at(place)
        code = " ".join(chunk.code(node).split()) if node is not None else ""
        return {
            "tensor": quoted(fault.called or fault.tensor, self.unnamed),
            "operator": spoken(fault.operator.lstrip(".")),
            "code": f"`{code}`" if code and len(code) <= 60 else "this",
        }

    def says(self, fault: Fault) -> str:
        """The template of the message."""
        return self.message

    def labels(self, fault: Fault) -> str:
        """The template of the words under the place."""
        return self.label

    def explains(self, fault: Fault) -> str:
        """The template of the reason."""
        return self.reason

    def advises(self, fault: Fault) -> str:
        """The template of the help."""
        return self.advice

    def mend(self, fault: Fault, place: Place, chunk: Chunk) -> Fix | None:
        """The fix, where one follows from the code."""
        return None

    def _related(self, fault: Fault, words: dict[str, str]) -> list[Related | None]:
        labels = {role: text.format(**words) for role, text in self.events}
        found: list[Related | None] = []
        if "built" in labels:
            found.append(wording.built(fault.built, labels["built"]))
        if "modified" in labels and fault.modified is not None and fault.modified.place:
            found.append(Related("modified", labels["modified"], fault.modified.place))
        if "needed" in labels:
            found.append(wording.needed(fault.needed, labels["needed"]))
        return found
