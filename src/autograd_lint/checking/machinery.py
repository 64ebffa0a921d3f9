"""What finds and judges, put together late: checking needs it, a run that only looks does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from autograd_lint.analysis import Analysed
    from autograd_lint.engine.faults import Fault
    from autograd_lint.findings import Finding
    from autograd_lint.places import Place
    from autograd_lint.project.modules import Project
    from autograd_lint.project.source import Source


class Analyse(Protocol):
    """What runs the programs of a file, as `autograd_lint.analysis.analysed` does."""

    def __call__(
        self,
        source: Source,
        project: Project,
        most: int | None = None,
        coverage: bool = False,
        *,
        within: int | None = None,
    ) -> Analysed: ...


@dataclass(frozen=True)
class Machinery:
    """What finds and judges: the interpreter's analysis, the rules' judgement, the codes of the
    rules that are off by default, the names of all rules by code, and the codes of those in
    preview, which are only looked for where the settings ask for them."""

    analyse: Analyse
    primary_place: Callable[[Fault], Place | None]
    judge: Callable[[Fault, Source], Finding | None]
    off_by_default: frozenset[str] = frozenset()
    names: Mapping[str, str] = field(default_factory=dict)
    preview: frozenset[str] = frozenset()


def standard_machinery() -> Machinery:
    """The interpreter and the rules of this package, imported when the first file needs them."""
    from autograd_lint.analysis import analysed
    from autograd_lint.rules import registry

    off = frozenset(rule.code for rule in registry.all_rules() if not rule.on_by_default)
    names = {rule.code: rule.name for rule in registry.all_rules()}
    preview = frozenset(rule.code for rule in registry.all_rules() if rule.preview)
    return Machinery(analysed, registry.primary_place, registry.judge, off, names, preview)
