"""What a driver has found, in the light of who else in the project calls the code."""

from __future__ import annotations

import ast
import fnmatch
import os
import re
from collections.abc import Callable
from dataclasses import replace

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault, FaultKind, places
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.assumption_origin import (
    given_parts,
    givers,
    needs_given_tensor,
    works_on_images,
)
from autograd_lint.evidence.clearing import is_cleared_by_callers
from autograd_lint.evidence.data_arguments import is_treated_as_data
from autograd_lint.evidence.default_conditions import (
    asks_strangers,
    is_left_out,
    nobody_asks,
)
from autograd_lint.evidence.duplicated_code import is_chosen_in_place
from autograd_lint.evidence.example_calls import shown_with_data
from autograd_lint.evidence.internal_functions import is_only_used_otherwise
from autograd_lint.evidence.observed_arguments import Heard, is_given_data_by_callers
from autograd_lint.evidence.state_reset import is_begun_anew
from autograd_lint.evidence.superseded_functions import is_superseded
from autograd_lint.evidence.tool_classes import use_of_objects
from autograd_lint.evidence.untrained_classes import is_used_untrained
from autograd_lint.facts.callers import Callers, Owner, Use, owner_at
from autograd_lint.facts.class_kinds import Definition, is_named_module
from autograd_lint.libraries.torch.module_uses import USING
from autograd_lint.project.modules import Project
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

Run = Callable[[Owner, Heard], None]

# A string that names a part of the data which nothing is trained on.
_SPLIT = re.compile(r"['\"](?:\w+_)?(?:dev|eval|test|val|valid|validation)['\"]")
# What is refused where it stands, as soon as grad mode is on.
_AT_ONCE = {FaultKind.LEAF_MODIFIED, FaultKind.LEAF_VIEW_MODIFIED}
# The methods of a module that a driver calls as whoever trains it does.
_STEPS = {"__init__", "__call__", "forward", "training_step"}
# What cannot go wrong without grad mode.
_RECORDED = {
    FaultKind.NUMPY_ON_GRAD,
    FaultKind.SAVED_TENSOR_MODIFIED,
    FaultKind.VIEW_MODIFIED,
}
# What matters to a training that goes on, or to memory that is held for long.
_LASTING = {
    Pitfall.ACCUMULATION_UNSCALED,
    Pitfall.CLIP_IN_VAIN,
    Pitfall.EVALUATION_BUILDS_GRAPHS,
    Pitfall.FREEZE_UNDONE,
    Pitfall.GRADIENTS_PILE_UP,
    Pitfall.GRADIENT_KEEPS_GRAPH,
    Pitfall.GRAPH_KEPT,
    Pitfall.MISSING_ZERO_GRAD,
    Pitfall.NEEDLESS_RETAIN,
    Pitfall.SCHEDULER_FIRST,
}
# What runs a backward, or may have others run one.
_TRAINS = re.compile(
    r"backward|\bgrad\(|_grad\(\w|\.fit\(|\btrain(?:_\w+)?\(|[Tt]rainer|optim|loss|jac|vjp"
)
_ABOUT_OWNER = {
    Kind.ASKED_FOR_BY_NOBODY,
    Kind.GIVEN_BY_NOBODY,
    Kind.OUTLIVES_TEST,
    Kind.GRAD_MODE_ON,
    Kind.CALLERS_CLEAR_NOTHING,
    Kind.CALLED_THOUGH_COPIED,
    Kind.CALLED_WHERE_TRAINED,
    Kind.CALLED_OTHERWISE,
}
# Where pytest looks for tests. Source: https://docs.pytest.org/en/stable/example/pythoncollection.html
_TEST_FILES = ("test_*.py", "*_test.py")


def reconsidered(fault: Fault, source: Source, project: Project, run: Run) -> Fault:
    """A fault that a driver has found; daring where the project calls the code for other ends.

    That is so of what is only called without grad mode, for data or where nothing is trained, of
    the input of a model that no other module is made of, of methods that use a trained model, of
    what happens only where a caller gives what nobody gives, and of what a test leaves behind.
    `run` runs a caller while somebody listens to what it gives.
    """
    row = _row(fault, source)
    owner = owner_at(source, row) if fault.weight < 2 and row else None
    if owner is None or row is None:
        return fault
    if fault.kind in _AT_ONCE:
        fault = replace(fault, assumptions=fault.assumptions | _recorded(owner, project))
    daring = _daring(fault, owner, row, source, project)
    if daring is not None:
        because = Assumption(daring, owner.name if daring in _ABOUT_OWNER else "", weight=2)
        return replace(fault, assumptions=fault.assumptions | {because})
    if _is_given_data(fault, owner, project) or is_given_data_by_callers(
        fault, owner, project, run
    ):
        return replace(fault, assumptions=frozenset(a.as_data() for a in fault.assumptions))
    return fault


def _daring(fault: Fault, owner: Owner, row: int, source: Source, project: Project) -> Kind | None:
    """What would have to be so for a fault, though it is not in the project; None for nothing."""
    if any(nobody_asks(why, source, project) for why in fault.assumptions):
        return Kind.ASKED_FOR_BY_NOBODY
    if any(asks_strangers(why, source, project) for why in fault.assumptions):
        return Kind.GIVEN_BY_NOBODY
    if _is_tests(source) and _would_be_seen(fault, source):
        return Kind.TEST_FAILS
    if fault.kind in _LASTING and _is_tests(source):
        return Kind.OUTLIVES_TEST
    if fault.place is None and _is_tests(source) and not _TRAINS.search(source.text):
        return Kind.BACKWARD_IN_TESTS
    if fault.kind in _RECORDED and _uses_model(source, row):
        return Kind.GRAD_MODE_ON_FOR_USE
    if fault.kind is FaultKind.NUMPY_ON_GRAD and any(map(_is_of_evaluation, fault.assumptions)):
        return Kind.GRAD_MODE_IN_EVALUATION
    if fault.kind in _RECORDED and is_used_untrained(owner, fault.kind):
        return Kind.GRAD_MODE_ON
    if is_begun_anew(fault, owner, row, project):
        return Kind.NOT_RENEWED
    if is_cleared_by_callers(fault, owner, project):
        return Kind.CALLERS_CLEAR_NOTHING
    if fault.kind in _RECORDED and is_chosen_in_place(fault, source):
        return Kind.CHOSEN_IN_PLACE
    if _is_rare(fault, source, project):
        return Kind.CONDITIONS_TOGETHER
    rests = any(why.called or (why.given and why.weight) for why in fault.assumptions)
    if rests and is_superseded(owner, project):
        return Kind.CALLED_THOUGH_COPIED
    penalty = fault.kind is Pitfall.PENALTY_WITHOUT_GRAPH
    lost = penalty or (fault.kind is FaultKind.SAVED_TENSOR_MODIFIED and fault.place is None)
    given = needs_given_tensor(fault)
    called = given and any(why.called for why in fault.assumptions)
    if lost and rests and is_only_used_otherwise(owner, project, given=given, called=called):
        return Kind.CALLED_WHERE_TRAINED
    if rests and _is_called_untrained(owner, project):
        return Kind.CALLED_OTHERWISE
    return None


def _would_be_seen(fault: Fault, source: Source) -> bool:
    """Whether a fault of the code under test raises: who runs the tests has seen it then."""
    raises = isinstance(fault.kind, FaultKind) and not fault.warned and fault.place is not None
    return raises and all(one is None or one.filename != source.filename for one in places(fault))


def _is_rare(fault: Fault, source: Source, project: Project) -> bool:
    """Whether callers who are not seen must have both gradients and a certain configuration.

    That is two conditions, or one that is off unless they ask for it along with their tensor.
    """
    given = any(why.given and why.weight for why in fault.assumptions)
    called = any(why.called for why in fault.assumptions)
    decided = [why for why in fault.assumptions if why.condition is not None]
    off = needs_given_tensor(fault) and any(is_left_out(why, source, project) for why in decided)
    return given and called and (off or len(decided) > 1)


@query
def _is_tests(source: Source) -> bool:
    """Whether a file holds tests, by the names that pytest goes by: each of them runs once."""
    name = os.path.basename(source.filename)
    if not any(fnmatch.fnmatch(name, pattern) for pattern in _TEST_FILES):
        return False
    body = source.tree.body
    named = (part.name for part in body if isinstance(part, Definition | ast.ClassDef))
    return any(one.startswith(("test", "Test")) for one in named)


def _recorded(owner: Owner, project: Project) -> frozenset[Assumption]:
    """That what is refused as soon as grad mode is on is called so, where none is seen to do so.

    Who calls a function in a way that does not show would have been told at once.
    """
    if owner.function is None or (owner.cls is not None and owner.function.name in _STEPS):
        return frozenset()
    hidden = Callers(project).hidden(owner)
    if owner.cls is None and not hidden:
        return frozenset()
    return frozenset({Assumption(Kind.GRAD_MODE_ON, owner.name, weight=2 if hidden else 0)})


def _row(fault: Fault, source: Source) -> int | None:
    """The row in a file that a fault speaks of first."""
    events = (fault.modified, fault.built, fault.needed)
    places = [fault.place, *(event.place for event in events if event is not None), fault.caller]
    own = (place.row for place in places if place and place.filename == source.filename)
    return next(own, None)


def _uses_model(source: Source, row: int) -> bool:
    """Whether a row stands in a method by which a trained model is used."""
    return any(row in rows for rows in _using(source))


@query
def _using(source: Source) -> list[range]:
    """The rows of the functions by which a trained model is used."""
    names = USING - {"sample"}
    found = [f for f in ast.walk(source.tree) if isinstance(f, ast.FunctionDef) and f.name in names]
    return [range(f.lineno, (f.end_lineno or f.lineno) + 1) for f in found]


def _is_of_evaluation(why: Assumption) -> bool:
    """Whether a condition tells the parts of the data apart: one for training, others for tests."""
    condition = why.condition.code_that_holds if why.condition is not None else ""
    return _SPLIT.search(condition) is not None


def _is_called_untrained(owner: Owner, project: Project) -> bool:
    """Whether what a fault assumes of the callers is true of none in the project."""
    function = owner.function
    if function is None:
        return False
    if owner.cls is not None and function.name == "forward":
        return use_of_objects(owner, project) is Use.UNTRAINED
    return Callers(project).use(owner) is Use.UNTRAINED


def _is_given_data(fault: Fault, owner: Owner, project: Project) -> bool:
    """Whether a fault needs a gradient for what is rather data.

    That is what comes with an image, what an object is only given without grad mode or for data,
    as examples show it, too, and the input of a model that is no part of another.
    """
    rests = any(why.given and why.weight for why in fault.assumptions)
    if not rests or not isinstance(fault.kind, FaultKind):
        return False
    uses = {Callers(project).use(one) for one in givers(fault, owner)}
    if works_on_images(owner) or uses == {Use.UNTRAINED} or shown_with_data(owner, project):
        return True
    if any(part and is_treated_as_data(fault, owner, part) for part in given_parts(fault)):
        return True
    if owner.cls is None:
        return False
    if not is_named_module(owner.cls):
        return False
    made = Callers(project, made=True)
    return made.use(Owner(owner.source, None, owner.cls)) is Use.UNTRAINED
