"""A package offers the function or its class to all who import it, or the function that was run and
has handed on what it is given.

# package/__init__.py
from .losses import scale
"""

from __future__ import annotations

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.assumption_origin import given_names
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.relevance import definitions


def _speaks(case: Case) -> bool:
    owner, offers = case.owner, case.project.offers
    named = owner.cls.name if owner.cls is not None else owner.name
    names = {owner.name, named, *_handing_on(case)}
    return case.rests_on_callers and any(map(offers, names))


def _handing_on(case: Case) -> set[str]:
    """The functions whose results take part in a loss, and which are given themselves what must
    require grad: it comes from those who call them."""
    used = {why.about for why in case.fault.assumptions if why.kind is Kind.IN_LOSS}
    if not used:
        return set()
    functions = (one for one in definitions(case.source.tree.body) if isinstance(one, Definition))
    taken = {one.name: {*parameters_of(one)} for one in functions if one.name in used}
    given = given_names(case.fault)
    return {name for name, parameters in taken.items() if given and given <= parameters}


SIGNAL = Signal("offered", _speaks)
