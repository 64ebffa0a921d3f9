"""Training in a file in which nothing ever clears gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.callers import innermost_function
from autograd_lint.facts.clearings import (
    asking,
    clears_for,
    is_cleared_within,
    may_clear,
    rows_of,
)
from autograd_lint.facts.demonstrations import is_demonstration
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.optimized_paths import (
    are_apart,
    made_by_functions,
    optimized_paths,
)
from autograd_lint.facts.training_statements import Block, Does, Training, all_training
from autograd_lint.project.code import called_name, spelt
from autograd_lint.project.importers import Importers
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

# What may make a clearing needless, where it stands in the file itself.
_COMPUTES = re.compile(rb"\bgrad\s*=|\bgrad\(|closure|grad(\.data)?\.(?:copy|set|sub)_\(")
Loop = ast.For | ast.While
Repeated = Loop | ast.FunctionDef
_FEW = 5  # iterations of a loop that trains nothing
_TRAINS = re.compile(r"train|update|learn|optimi[sz]e|step|fit|epoch|backward", re.IGNORECASE)
# Functions that are there to be called again and again, and with them what they call.
_ITERATES = re.compile(r"update|learn|optimi[sz]e|step", re.IGNORECASE)


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """A backward with a step of an optimizer behind it, in a loop or in what is called again and
    again, where nothing clears anything for it: neither itself, nor what else stands in its file,
    in those around it, and in those that speak of the function.

    What trains and clears for that itself clears nothing for others that do not speak of it, and of
    two optimizers that step side by side one clears nothing for the other.
    """
    data = source.text.encode()
    if _COMPUTES.search(data) or is_test(source):
        return
    told: set[ast.Call] = set()
    for repeated, backward, step in _steps(source):
        if backward.call in told or _is_cleared(source, repeated, step, project):
            continue
        if is_demonstration(source, backward.call.lineno, project):
            continue
        told.add(backward.call)
        place = source.place(backward.call)
        because = Assumption(Kind.NOT_CLEARED_BETWEEN, step.about, weight=0)
        stepped = Modified(source.place(step.call), step.about, None, 0, by_optimizer=True)
        yield Fault(
            Pitfall.MISSING_ZERO_GRAD,
            place,
            operator=step.about,
            modified=stepped,
            assumptions=frozenset({because}),
        )


def _is_cleared(source: Source, repeated: Repeated, step: Training, project: Project) -> bool:
    """Whether something may clear the gradients that a step uses in what is run again and again:
    itself, or others for it."""
    besides = _cleared_for_others(source, repeated, step.about)
    if is_cleared_within(source, repeated, besides):
        return True
    around = (one for one in _around(source, project) if project.look(one, may_clear))
    files = (found for one in around if (found := project.file(one)) is not None)
    speaking = () if isinstance(repeated, Loop) else project.speaking(repeated.name)
    asks = asking(source, repeated)
    others = (one for one in (*files, *speaking) if one is not source)
    own = clears_for(asks, source, besides=rows_of(repeated))
    return own or any(clears_for(asks, one) for one in others)


def _cleared_for_others(source: Source, repeated: Repeated, optimizer: str) -> Set[int]:
    """The rows on which only other optimizers clear gradients, for steps of their own."""
    training = list(all_training(repeated.body))
    stepped = {one.about for one in training if one.does is Does.STEPS}
    clearing = [one for one in training if one.does is Does.CLEARS]
    apart = {one for one in stepped if are_apart(one, optimizer, source)}
    rows = {one.call.lineno for one in clearing}
    return rows - {one.call.lineno for one in clearing if one.about not in apart}


def _around(source: Source, project: Project) -> Iterator[str]:
    """The files that a file imports, and those that import it."""
    yield from project.reached(source.filename)
    yield from Importers(project).of(source.filename)


def _steps(source: Source) -> Iterator[tuple[Repeated, Training, Training]]:
    """What is run again and again with a backward and a step behind it, each such pair once: of a
    function then the optimizer is one that the file has made."""
    made = optimized_paths(source).keys() | made_by_functions(source).keys()
    known: set[tuple[ast.Call, str]] = set()
    for repeated in _repeated(source):
        training = list(all_training(repeated.body))
        walks = [one for one in training if one.does is Does.WALKS]
        for step in training:
            before = [one for one in walks if one.call.lineno < step.call.lineno]
            own = isinstance(repeated, Loop) or step.about in made
            given = step.does is Does.STEPS and own and not _handed(repeated.body, step.about)
            if before and given and (before[-1].call, step.about) not in known:
                known.add((before[-1].call, step.about))
                yield repeated, before[-1], step


def _handed(block: Block, optimizer: str) -> bool:
    """Whether other code is given an optimizer, which may clear for it."""
    calls = (node for one in block for node in walk(one) if isinstance(node, ast.Call))
    given = (call for call in calls if optimizer in map(spelt, call.args))
    return any(not spelt(call.func).endswith((".step", ".unscale_")) for call in given)


def _repeated(source: Source) -> Iterator[Repeated]:
    """The loops of more than a few iterations, the innermost first, and the functions that train by
    their names, but for those that the file calls outside of a loop: that may be the only time.
    What a test trains in a loop is only looked at."""
    loops: list[Loop] = [*source.each(ast.For), *source.each(ast.While)]
    lasting = (one for one in loops if not (_is_short(one) or _is_in_test(source, one)))
    yield from sorted(lasting, key=_length)
    once = _called_once(source, {name for loop in loops for name in _called(walk(loop))})
    for function in source.each(ast.FunctionDef):
        if _trains(function.name) and function.name not in once:
            yield function


def _called_once(source: Source, looped: Set[str]) -> set[str]:
    """The names of what the file calls outside of loops, but for what only functions call that are
    there to be called again and again themselves; `looped` are those that loops call."""
    iterating = [one for one in source.each(ast.FunctionDef) if _ITERATES.search(one.name)]
    by_name = {one.name: set(_called(walk(one))) for one in iterating}
    inside = {id(node) for one in iterating for node in walk(one)}
    once = set(_called(one for one in source.each(ast.Call) if id(one) not in inside)) - looped
    while more := {name for one in once & by_name.keys() for name in by_name[one]} - looped - once:
        once |= more
    return once


def _is_in_test(source: Source, loop: Loop) -> bool:
    function = innermost_function(source, loop.lineno)
    return function is not None and function.name.startswith("test")


def _length(loop: Loop) -> int:
    return (loop.end_lineno or loop.lineno) - loop.lineno


def _trains(name: str) -> bool:
    """Whether a function trains, by its name; a test of training runs once."""
    return _TRAINS.search(name) is not None and not name.startswith("test")


def _is_short(loop: Loop) -> bool:
    """Whether a loop has a few iterations, as where something is demonstrated."""
    told = spelt(loop.iter) if isinstance(loop, ast.For) else ""
    number = told.removeprefix("range(").removesuffix(")")
    return number.isdecimal() and int(number) <= _FEW


def _called(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names of the functions and methods that are called."""
    for node in nodes:
        if isinstance(node, ast.Call):
            yield called_name(node)
