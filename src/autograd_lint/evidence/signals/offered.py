"""A package offers the function or its class to all who import it.

# package/__init__.py
from .losses import scale
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    owner, offers = case.owner, case.project.offers
    named = owner.cls.name if owner.cls is not None else owner.name
    return case.rests_on_callers and (offers(owner.name) or offers(named))


SIGNAL = Signal("offered", _speaks)
