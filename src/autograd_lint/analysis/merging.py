"""From the faults of several runs to the faults of the program."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from autograd_lint.analysis.outcomes import Outcome
from autograd_lint.engine.assumptions import Assumption, Condition, Kind
from autograd_lint.engine.faults import Fault, FaultKind, places
from autograd_lint.engine.pitfalls import NOTHING_REACHED, Pitfall
from autograd_lint.places import Place
from autograd_lint.vm.paths import Decision

ABSENCES = {
    FaultKind.NO_GRAD_ROOT,
    FaultKind.UNUSED_INPUT,
    FaultKind.RETAIN_GRAD,
    Pitfall.GRADIENT_CUT,
    Pitfall.UNRECORDED_LOSS,
    Pitfall.FORWARD_CUT,
    Pitfall.STEP_BEFORE_BACKWARD,
    Pitfall.ZERO_GRAD_BEFORE_STEP,
}

Key = tuple[object, ...]


def key_of(fault: Fault) -> Key:
    """What makes two faults the same one."""
    return (fault.kind, *places(fault))


def tells_same(fault: Fault, alone: Fault) -> bool:
    """Whether a fault stands where the text tells one, or is one of the same step of an optimizer:
    the run may know another backward to be the one that adds to its gradients."""
    stepped = alone.modified.place if alone.modified is not None else None
    of_step = stepped is not None and fault.modified is not None and fault.modified.place == stepped
    return of_step or fault.place == alone.place


def merge(runs: Sequence[Outcome], *, untried: bool = False) -> list[Fault]:
    """The faults of all runs; one that only some paths lead to assumes what decides it.

    `untried` says that there was no time for other paths: then every condition around it decides.
    """
    begun = [run for run in runs if not run.turned]
    return [*_merged(begun, untried), *_sought(runs, begun)]


def _sought(runs: Sequence[Outcome], begun: Sequence[Outcome]) -> Iterator[Fault]:
    """The faults of runs on paths that were sought; the others reach them seldom, or not at all.

    They rest on the decisions that were turned. A run that has ended before it came to them shows
    nothing of what they lead to. That a number takes the place of a loss there is daring.
    """
    known = {key for run in begun if not run.negated_path for key in _by_key(run.faults)}
    present = [_by_key(run.faults) for run in runs]
    for run, faults in zip(runs, present, strict=True):
        if run.turned and max(run.turned) < len(run.decisions):
            turned = [run.decisions[position] for position in run.turned]
            for key, fault in faults.items():
                absent = fault.kind in ABSENCES
                if key in known or _is_wanted_elsewhere(key, fault, runs, present):
                    continue
                if fault.noted or not absent:
                    because = _assumed(turned, 2 if absent else 0)
                    assumed = fault.assumptions | because
                    yield replace(fault, assumptions=assumed, steps=run.begun)


def _is_wanted_elsewhere(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> bool:
    """Whether backward walks the graph of an evaluation in another run: that is why it is built."""
    evaluates = fault.kind is Pitfall.EVALUATION_BUILDS_GRAPHS
    return evaluates and _passed(key, fault, runs, present)


def _merged(runs: Sequence[Outcome], untried: bool) -> list[Fault]:
    found: dict[Key, Fault] = {}
    present = [_by_key(run.faults) for run in runs]
    for faults in present:
        for key, fault in faults.items():
            if key not in found or _price(fault) < _price(found[key]):
                found[key] = fault
    conditional = _untried if untried else _conditional
    return [conditional(key, fault, runs, present) for key, fault in found.items()]


def _price(fault: Fault) -> tuple[int, bool]:
    """How much has to hold for a fault: of two that assume as much, one that comes first in a run
    needs no other to be fixed before."""
    return fault.weight, fault.behind is not None


def _by_key(faults: Sequence[Fault]) -> dict[Key, Fault]:
    """The faults of a run, each as it was found first, or as it was found on less: a backward comes
    to the last round of a loop first, though an earlier one is wrong by itself."""
    found: dict[Key, Fault] = {}
    for fault in faults:
        known = found.setdefault(key_of(fault), fault)
        if fault.assumptions < known.assumptions and fault.behind == known.behind:
            found[key_of(fault)] = fault
    return found


def _untried(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> Fault:
    found = _conditional(key, fault, runs, present)
    if key not in present[0] and fault.kind not in ABSENCES:
        return found  # the first run has gone past it, by other sides of the same conditions
    if key in present[0] and _guarding(key, fault, runs, present):
        return found
    absent = fault.kind in ABSENCES
    weight = 2 if absent and not _both_ways(key, runs, present) else 0
    around = _enclosing(fault, runs[0])[:2]
    otherwise = Kind.USUAL_PATHS if absent and runs[0].decisions else None
    return replace(found, assumptions=found.assumptions | _assumed(around, weight, otherwise))


def _both_ways(key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]) -> bool:
    """Whether all runs have come upon a fault, the one that decides all the other way too."""
    return all(key in faults for faults in present) and any(run.negated_path for run in runs)


def _conditional(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> Fault:
    if fault.kind is Pitfall.TRAINABLE_IN_VAIN:
        return _wanted(key, fault, runs, present)
    if fault.kind is Pitfall.FORWARD_CUT and not _gives_graph(fault, runs):
        return fault
    if all(key in faults for faults in present):
        return fault
    if key in present[0] and (
        _ends_otherwise(key, runs, present) or _is_not_taken_otherwise(key, runs, present)
    ):
        return fault
    made_there = _guarding(key, fault, runs, present)
    conditions = made_there or _deciding(key, runs, present)
    settled = bool(made_there) or all(one.expected for one in conditions)
    rare = _is_rare(key, fault, runs, present, conditions, settled=settled)
    conditions = conditions or _enclosing(fault, _first_with(key, runs, present))
    if not (conditions or rare) and (
        _raised_elsewhere(key, runs, present) or _is_bound_to_fail(fault, runs)
    ):
        return fault
    because = _assumed(conditions[:2], 2 if rare else 0, otherwise=Kind.USUAL_PATHS)
    return replace(fault, assumptions=fault.assumptions | because)


def _is_rare(
    key: Key,
    fault: Fault,
    runs: Sequence[Outcome],
    present: Sequence[dict[Key, Fault]],
    conditions: Sequence[Decision],
    *,
    settled: bool,
) -> bool:
    """Whether only a rare combination of conditions leads to a fault, or something is missing on
    some path only: that is seldom what happens. `settled`: the conditions hold by default."""
    if not (conditions or key in present[0]):
        return True
    if fault.kind is Pitfall.GRADIENT_CUT:
        # On the other path a gradient gets there, but not in an object that was made for this one.
        otherwise = _trained_otherwise(key, fault, runs, present)
        return otherwise and not _made_so(conditions, fault)
    if fault.kind is Pitfall.UNRECORDED_LOSS:
        return _recorded(key, fault, runs, present)
    if fault.kind is Pitfall.EVALUATION_BUILDS_GRAPHS:
        # On another path backward runs through what is computed there.
        return _passed(key, fault, runs, present)
    if fault.kind is Pitfall.SCHEDULER_FIRST:
        # Which order the steps are in is not for the values of one batch to say.
        return any(one.measured for one in conditions)
    if fault.kind not in ABSENCES or (conditions and settled):
        return False
    # A run that does not come to a backward does not show that its root has a graph there.
    ended = any(why.kind is Kind.IS_DATA for why in fault.assumptions) or (
        fault.kind is FaultKind.NO_GRAD_ROOT
        and not _undecided_around(fault, runs, _first_with(key, runs, present))
    )
    return not (conditions or ended) or _passed(key, fault, runs, present)


def _is_bound_to_fail(fault: Fault, runs: Sequence[Outcome]) -> bool:
    """Whether a backward fails, or trains nothing, in all runs that come to it, whatever they
    decided before."""
    if fault.kind is not FaultKind.NO_GRAD_ROOT and fault.detail != NOTHING_REACHED:
        return False
    return all(_is_tried(one, runs) for run in runs for one in run.decisions)


def _undecided_around(fault: Fault, runs: Sequence[Outcome], run: Outcome) -> bool:
    """Whether a run has decided anything in the functions that run backward and that made its root
    of which no run has tried the other side: that may give it a graph."""
    untried = [one for one in run.decisions if not _is_tried(one, runs)]
    for place in places(fault):
        if place is None:
            continue
        asked = {one.place.row for one in untried if one.place.filename == place.filename}
        around = [node for node in run.entered if _runs_over(node, place.row)]
        if any(_runs_over(node, row) for node in around for row in asked):
            return True
        # The body of a file is none of the functions that were entered.
        own = (row for row in asked if not any(_runs_over(node, row) for node in run.entered))
        if not around and any(own):
            return True
    return False


def _is_tried(decision: Decision, runs: Sequence[Outcome]) -> bool:
    """Whether some run took the other side of a decision."""
    return any(
        (one.place, one.condition) == (decision.place, decision.condition)
        and one.holds is not decision.holds
        for run in runs
        for one in run.decisions
    )


def _raised_elsewhere(
    key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> bool:
    """Whether all runs without a fault ended in an exception of the program, which refused what it
    was given."""
    return all(run.raised for run in _without(key, runs, present))


def _ends_otherwise(key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]) -> bool:
    """Whether the program ends at every decision of the first run if it is taken the other way."""
    ended = [run.decisions[-1] for run in runs if run.raised and run.decisions]
    asked = {(one.place, one.condition) for one in ended}
    decided = ((one.place, one.condition) for one in runs[0].decisions)
    return _raised_elsewhere(key, runs, present) and asked.issuperset(decided)


def _is_not_taken_otherwise(
    key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> bool:
    """Whether no run of the program takes any of the paths without a fault: an object lacks there
    what is read of it, as an optimizer that is only made to train."""
    return all(run.unset for run in _without(key, runs, present))


def _made_so(conditions: Sequence[Decision], fault: Fault) -> bool:
    """Whether nothing but the options with which an object was made decides.

    What stands itself on one side of such an option is what it is asked for.
    """
    row = fault.place.row if fault.place is not None else None
    return bool(conditions) and all(one.lasting and row not in one.steers for one in conditions)


def of_directed_run(run: Outcome, filename: str, rows: Collection[int]) -> list[Fault]:
    """The faults of a directed run that concern those rows, with the conditions that lead there."""
    found = [
        fault
        for fault in run.faults
        if fault.kind not in ABSENCES
        and any(
            p and p.filename == filename and p.row in rows for p in (*places(fault), fault.caller)
        )
    ]
    return [_led(fault, run) for fault in found]


def _led(fault: Fault, run: Outcome) -> Fault:
    led = _assumed(_enclosing(fault, run)[:2], 0, otherwise=Kind.CALL_MADE_SO)
    return replace(fault, assumptions=fault.assumptions | led)


def _passed(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> bool:
    """Whether some run reached the place of a fault without it."""
    return any(fault.place in run.reached for run in _without(key, runs, present))


def _gives_graph(fault: Fault, runs: Sequence[Outcome]) -> bool:
    """Whether on some path what a `forward` returns has a graph."""
    return any(one.place in run.reached for run in runs for one in fault.noted)


def _wanted(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> Fault:
    """What is wanted by an option rests on the conditions around what the option does."""
    around = _enclosing(replace(fault, place=None), _first_with(key, runs, present))
    because = _assumed(around[:2], 0) or frozenset({Assumption(Kind.TO_BE_TRAINED, weight=2)})
    return replace(fault, assumptions=fault.assumptions | because)


def _trained_otherwise(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> bool:
    """Whether the leaf that a gradient does not reach gets one in a run without the fault, or may
    get one: it is not known which it is."""
    first, place = _first_with(key, runs, present), fault.place
    lost = first.cut.get(place) if place is not None else None
    return lost is None or any(lost in run.trained for run in _without(key, runs, present))


def _recorded(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> bool:
    """Whether the function that returned it without a graph has run otherwise as well."""
    row = fault.place.row if fault.place else 0
    around = {node for run in runs for node in run.entered if _runs_over(node, row)}
    innermost = max(around, key=lambda node: node.lineno, default=None)  # type: ignore[attr-defined]
    return any(innermost in run.entered for run in _without(key, runs, present))


def _runs_over(node: ast.AST, row: int) -> bool:
    """Whether a row is one of a function, also of its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    first: int = min([node.lineno, *(one.lineno for one in decorators)])  # type: ignore[attr-defined]
    last: int = node.end_lineno  # type: ignore[attr-defined]
    return first <= row <= last


def _without(
    key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> Iterator[Outcome]:
    """The runs that do not come upon a fault."""
    return (run for run, faults in zip(runs, present, strict=True) if key not in faults)


def _first_with(key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]) -> Outcome:
    """The first run that comes upon a fault: others may have gone past where it stands."""
    return next(run for run, faults in zip(runs, present, strict=True) if key in faults)


def _enclosing(fault: Fault, run: Outcome) -> list[Decision]:
    """The decisions of a run in whose branches the fault's places stand."""
    around = (*places(fault), fault.caller)
    rows = {(place.filename, place.row) for place in around if place is not None}
    found = {
        (decision.place, decision.condition): decision
        for decision in run.decisions
        if decision.branch is not None and _inside(decision.branch, rows)
    }
    return list(found.values())


def _inside(branch: Place, rows: set[tuple[str, int]]) -> bool:
    return any(
        filename == branch.filename and branch.row < row <= branch.end_row for filename, row in rows
    )


def _deciding(
    key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> list[Decision]:
    """The decisions without which the fault would not be there."""
    first, usual = runs[0], key in present[0]
    deciding = _negated(key, runs, present)
    for run, faults in zip(runs[2:], present[2:], strict=True):
        if (key in faults) != usual:
            position = len(run.decision_prefix) - 1
            owner = first if usual else run
            if position < len(owner.decisions):
                deciding.append(owner.decisions[position])
    return deciding


def _guarding(
    key: Key, fault: Fault, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> list[Decision]:
    """The conditions to make a root without a graph, where all runs without it turned off there."""
    if fault.kind is not FaultKind.NO_GRAD_ROOT or fault.built is None:
        return []
    first = _first_with(key, runs, present)
    around = _enclosing(replace(fault, place=None, needed=None), first)
    without = _without(key, runs, present)
    return around if all(_turns_off(run, around) for run in without) else []


def _turns_off(run: Outcome, decisions: Sequence[Decision]) -> bool:
    """Whether a run took the other side at one of some decisions."""
    taken = {(one.place, one.condition): one.holds for one in run.decisions}
    return any(taken.get((d.place, d.condition), d.holds) is not d.holds for d in decisions)


def _negated(
    key: Key, runs: Sequence[Outcome], present: Sequence[dict[Key, Fault]]
) -> list[Decision]:
    """The one condition on the negated path, where that is all it is contrary in."""
    if len(runs) < 2 or key in present[0] or key not in present[1]:
        return []
    decisions = {(d.place, d.condition): d for d in runs[1].decisions}
    return list(decisions.values()) if len(decisions) == 1 else []


def _assumed(
    decisions: Sequence[Decision], weight: int, otherwise: Kind | None = None
) -> frozenset[Assumption]:
    """That the sides were taken which were; `otherwise` is what is assumed where there are none."""
    found = frozenset[Assumption]().union(*(_that(decision, weight) for decision in decisions))
    return found or frozenset({Assumption(otherwise, weight=weight)} if otherwise else ())


def _that(decision: Decision, weight: int) -> frozenset[Assumption]:
    if decision.because and not weight:
        return decision.because
    condition = Condition(
        decision.condition, decision.place, decision.holds, by_default=decision.expected
    )
    weight = 2 if decision.seldom else weight
    return frozenset({Assumption(Kind.CONDITION, weight=weight, condition=condition)})


def foremost(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault as it was found first, and whenever less had to be assumed, in the order of
    places."""
    least: dict[Key, int] = {}
    found = []
    for fault in faults:
        key = key_of(fault)
        if key not in least or fault.weight < least[key]:
            least[key] = fault.weight
            found.append(fault)
    return sorted(found, key=_position)


def distinct(faults: Iterable[Fault]) -> list[Fault]:
    """Each fault once, the least daring variant, in the order of places."""
    best: dict[Key, Fault] = {}
    for fault in faults:
        key = key_of(fault)
        if key not in best or _price(fault) < _price(best[key]):
            best[key] = fault
    return sorted(best.values(), key=_position)


def _position(fault: Fault) -> tuple[str, int, int]:
    place = fault.place or (fault.modified.place if fault.modified else None)
    return (place.filename, place.row, place.column) if place else ("", 0, 0)
