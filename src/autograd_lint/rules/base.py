"""What a rule is: documentation, a code and a name, the faults it answers to, its judgement."""

from abc import ABC, abstractmethod
from typing import ClassVar

from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.findings import Finding, Severity
from autograd_lint.rules.reading import Chunk


class Rule(ABC):
    """One rule. Its class docstring is its page, with the same headings in every rule:

    `## What it does`, `## Why it is bad`, `## Example` (a python block that fails on torch),
    `## Use instead` (a python block that runs clean), `## Fix safety`, `## References`.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    kinds: ClassVar[frozenset[FaultKind]]
    severity: ClassVar[Severity] = Severity.ERROR
    on_by_default: ClassVar[bool] = True

    def answers(self, fault: Fault) -> bool:
        """Whether this rule is the one to judge `fault`; of the rules of one kind exactly one is."""
        return fault.kind in self.kinds

    @abstractmethod
    def judge(self, fault: Fault, chunk: Chunk) -> Finding | None:
        """The finding for `fault`, or None where the syntax shows that it is not what it seems.

        `chunk` is the LibCST reading of the smallest top-level statement around the primary place.
        """
