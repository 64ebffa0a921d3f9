"""What a run has found, in the light of what the project shows."""

from __future__ import annotations

import ast
from dataclasses import replace

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.assumption_origin import given_names
from autograd_lint.evidence.default_conditions import is_denied
from autograd_lint.evidence.observed_arguments import Run
from autograd_lint.evidence.probability import ONE_FILE, WHOLE_PROGRAM
from autograd_lint.evidence.signals import ends_with_test, used_nowhere
from autograd_lint.evidence.signals.all_signals import SIGNALS
from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.evidence.signals.named_as_data import named_as_data
from autograd_lint.facts.body import body, parameters_of
from autograd_lint.facts.callers import Callers, Owner, owner_at
from autograd_lint.facts.class_kinds import Definition
from autograd_lint.facts.demonstrations import is_demonstration, is_shown_at_once
from autograd_lint.facts.differentiated_results import is_differentiated_by_callers
from autograd_lint.facts.grad_mode_of_callers import is_reached_with_grad
from autograd_lint.facts.gradient_tests import is_differentiated_in_tests
from autograd_lint.project.mentions import Mention
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source

# What is refused where it stands, as soon as grad mode is on.
_AT_ONCE = {FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED}
# What a cell of a notebook shows to those who learn.
_LOOKED_AT = {Pitfall.RESULT_DROPPED, Pitfall.NON_LEAF_GRAD}
# The methods of a module that a harness calls as whoever trains it does.
_STEPS = {"__init__", "__call__", "forward", "training_step"}


def reconsidered(
    fault: Fault, source: Source, project: Project, run: Run, *, whole: bool = False
) -> Fault:
    """A fault with what signals of the project say of it.

    `whole` says that a run of the program itself shows it, and no harness.

    What rests on a daring assumption already is not looked into, and what a run of the program
    raises outright assumes nothing of callers. `run` runs a caller while somebody listens to what
    it gives.
    """
    row = _row(fault, source)
    if whole:
        fault = _run_by_default(replace(fault, signals=fault.signals | _of_run(source, project)))
    if (
        row
        and fault.kind in ends_with_test.LASTING
        and is_demonstration(source, row, project, whole=whole)
    ):
        ends = Assumption(Kind.OUTLIVES_DEMONSTRATION, weight=2)
        return replace(fault, assumptions=fault.assumptions | {ends})
    if row and fault.kind in _LOOKED_AT and is_shown_at_once(source, row):
        shown = Assumption(Kind.NOT_ONLY_SHOWN, weight=2)
        return replace(fault, assumptions=fault.assumptions | {shown})
    if fault.warned and fault.kind is FaultKind.CUSTOM_FUNCTION:
        refused = Assumption(Kind.REFUSED_LATER, weight=2)  # until then its `apply` does no harm
        return replace(fault, assumptions=fault.assumptions | {refused})
    owner = owner_at(source, row) if row else None
    if owner is not None:
        fault = _evaluated(_granted(fault, owner, project), owner, project)
    if owner is None or row is None or fault.weight > 1:
        return fault
    if fault.kind in _AT_ONCE and not whole:
        fault = replace(fault, assumptions=fault.assumptions | _recorded(owner, project))
    case = Case(fault, source, owner, row, project, run)
    outright = whole and isinstance(fault.kind, FaultKind) and not fault.premises
    for signal in SIGNALS:
        if outright and signal.assumes is not None:
            continue
        if not (signal.costly and fault.weight > 1) and signal.speaks(case):
            fault = _with(signal, fault, owner)
    return fault


def shown_by_statements(fault: Fault, source: Source, project: Project) -> Fault:
    """A fault that statements show without a run, with what the project says of who uses them."""
    row = _row(fault, source)
    owner = owner_at(source, row) if row else None
    if owner is None:
        return fault
    if ends_with_test.ends(fault, source):
        return _with(ends_with_test.SIGNAL, fault, owner)
    idle = used_nowhere.is_idle(fault, owner, project)
    return _with(used_nowhere.SIGNAL, fault, owner) if idle else fault


def _of_run(source: Source, project: Project) -> set[str]:
    """What is known of a run of a program: that it is one, and that it is one file."""
    return {WHOLE_PROGRAM} if project.imported(source.filename) else {WHOLE_PROGRAM, ONE_FILE}


def _run_by_default(fault: Fault) -> Fault:
    """An error of the run of a program, which its options may lead to by default."""
    if not isinstance(fault.kind, FaultKind):
        return fault
    return replace(fault, assumptions=frozenset(map(_by_default, fault.assumptions)))


def _by_default(why: Assumption) -> Assumption:
    by_default = why.condition is not None and why.condition.by_default
    return replace(why, kind=Kind.CONDITION_BY_DEFAULT) if by_default else why


def _granted(fault: Fault, owner: Owner, project: Project) -> Fault:
    """A fault that rests on what is given alone, where the project shows that this requires grad:
    tests differentiate what is at fault, or callers run backward from what it returns."""
    given = frozenset(why for why in fault.assumptions if why.given and why.weight)
    others = fault.assumptions - given
    if not given or sum(why.weight for why in others) > 1:
        return fault
    if owner.function is None or not given_names(fault) - {""} <= _names(owner.function):
        return fault  # it comes from elsewhere
    if named_as_data(fault):
        return fault
    if is_differentiated_in_tests(owner, project):
        kind = Kind.DIFFERENTIATED_IN_TESTS
    elif is_differentiated_by_callers(owner, project):
        kind = Kind.DIFFERENTIATED_BY_CALLERS
    else:
        return fault
    return replace(fault, assumptions=others | {Assumption(kind, owner.path, weight=0)})


def _evaluated(fault: Fault, owner: Owner, project: Project) -> Fault:
    """A fault of an evaluation, which the project is seen to run with grad mode on."""
    others = frozenset(w for w in fault.assumptions if w.kind is not Kind.EVALUATED_WITH_GRAD_MODE)
    if others == fault.assumptions:
        return fault

    def leads_elsewhere(site: Mention, called: Owner) -> bool:
        return any(is_denied(why, site, called) for why in others)

    seen = is_reached_with_grad(owner, project, leads_elsewhere)
    return replace(fault, assumptions=others) if seen else fault


def _names(function: Definition) -> set[str]:
    """The names of a function: its parameters, and what it binds."""
    stored = body(function).stores
    return {*parameters_of(function), *(one.id for one in stored if isinstance(one, ast.Name))}


def _with(signal: Signal, fault: Fault, owner: Owner) -> Fault:
    """A fault of which a signal speaks."""
    assumed, names = fault.assumptions, fault.signals
    if signal.assumes is not None:
        assumed |= {Assumption(signal.assumes, signal.about(owner), weight=2)}
        return replace(fault, assumptions=assumed)
    if signal.data:
        assumed = frozenset(why.as_data() for why in assumed)
    return replace(fault, assumptions=assumed, signals=names | {signal.name})


def _recorded(owner: Owner, project: Project) -> frozenset[Assumption]:
    """That what is refused as soon as grad mode is on is called so, where none is seen to do so.

    Who calls a function in a way that does not show would have been told at once.
    """
    if owner.function is None or (owner.cls is not None and owner.function.name in _STEPS):
        return frozenset()
    indirect = Callers(project).only_indirect(owner)
    if owner.cls is None and not indirect:
        return frozenset()
    return frozenset({Assumption(Kind.GRAD_MODE_ON, owner.name, weight=2 if indirect else 0)})


def _row(fault: Fault, source: Source) -> int | None:
    """The row in a file that a fault speaks of first."""
    events = (fault.modified, fault.built, fault.needed)
    places = [fault.place, *(event.place for event in events if event is not None), fault.caller]
    own = (place.row for place in places if place and place.filename == source.filename)
    return next(own, None)
