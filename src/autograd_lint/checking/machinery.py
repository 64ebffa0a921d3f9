"""What finds and judges, put together late: checking needs it, a run that only looks does not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
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
class Codes:
    """What the codes of rules stand for: the names of all rules by code, the codes of those that
    are off by default, and of those in preview, which are only looked for where the settings ask
    for them."""

    names: Mapping[str, str]
    off_by_default: frozenset[str]
    preview: frozenset[str]


@dataclass(frozen=True)
class Machinery:
    """What finds and judges: the interpreter's analysis, the rules' judgement, and what their
    codes stand for, which is asked for at the first finding."""

    analyse: Analyse
    primary_place: Callable[[Fault], Place | None]
    judge: Callable[[Fault, Source], Finding | None]
    codes: Callable[[], Codes]


def standard_machinery() -> Machinery:
    """The interpreter and the rules of this package, imported when the first file needs them."""
    from autograd_lint.analysis import analysed
    from autograd_lint.rules import registry

    return Machinery(analysed, registry.primary_place, registry.judge, _standard_codes)


@cache
def _standard_codes() -> Codes:
    """The codes of the rules of this package: each rule is a file that is imported for it."""
    from autograd_lint.rules.registry import all_rules

    off = frozenset(rule.code for rule in all_rules() if not rule.on_by_default)
    preview = frozenset(rule.code for rule in all_rules() if rule.preview)
    return Codes({rule.code: rule.name for rule in all_rules()}, off, preview)
