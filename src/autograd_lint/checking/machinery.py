"""What finds and judges, put together late: checking needs it, a run that only looks does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograd_lint.checking.pipeline import Machinery


def standard_machinery() -> Machinery:
    """The interpreter and the rules of this package, imported when the first file needs them."""
    from autograd_lint.analysis import analysed
    from autograd_lint.checking.pipeline import Machinery
    from autograd_lint.rules import registry

    off = frozenset(rule.code for rule in registry.all_rules() if not rule.on_by_default)
    names = {rule.code: rule.name for rule in registry.all_rules()}
    preview = frozenset(rule.code for rule in registry.all_rules() if rule.preview)
    return Machinery(analysed, registry.primary_place, registry.judge, off, names, preview)
