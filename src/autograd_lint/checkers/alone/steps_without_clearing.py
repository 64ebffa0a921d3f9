"""Training in a file in which nothing ever clears gradients."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Modified
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.callers import is_test
from autograd_lint.facts.demonstrations import is_demonstration
from autograd_lint.facts.training_statements import Block, Does, Training, all_training
from autograd_lint.project.code import spelt
from autograd_lint.project.importers import Importers
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_CLEARS = re.compile(
    rb"zero_grad|zero_gradients|grad\s*=\s*None|grad(\.data)?\.(zero_|fill_)|set_to_none"
    rb"|clear_?grad|reset_?grad"
)
# What may make a clearing needless, where it stands in the file itself.
_COMPUTES = re.compile(rb"\bgrad\s*=|\bgrad\(|closure|grad(\.data)?\.\w+_\(")
_MAKES = re.compile(r"\boptim\.[A-Z]|^(Adam|AdamW|SGD|RMSprop)$")  # an optimizer of torch
_FEW = 5  # iterations of a loop that trains nothing
_TRAINS = re.compile(r"train|update|learn|optimi[sz]e|step|fit|epoch|backward", re.IGNORECASE)


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """A backward with a step of an optimizer behind it, in a loop or in what is called again and
    again, where neither the file nor those around it, nor those that speak of the function, clear
    anything."""
    data = source.text.encode()
    if _clears(data) or _COMPUTES.search(data) or is_test(source):
        return
    found = {walk.call: (name, walk, step) for name, walk, step in _steps(source)}
    if found and not any(project.look(other, _clears) for other in _around(source, project)):
        for name, walk, step in found.values():
            if name and any(_clears(one.text.encode()) for one in project.speaking(name)):
                continue
            if is_demonstration(source, walk.call.lineno, project):
                continue
            place = source.place(walk.call)
            because = Assumption(Kind.NOT_CLEARED_BETWEEN, step.about, weight=0)
            stepped = Modified(source.place(step.call), step.about, None, 0, by_optimizer=True)
            yield Fault(
                Pitfall.MISSING_ZERO_GRAD,
                place,
                operator=step.about,
                modified=stepped,
                assumptions=frozenset({because}),
            )


def _clears(data: bytes) -> bool:
    """Whether a file has anything by which gradients may be cleared."""
    return _CLEARS.search(data) is not None


def _around(source: Source, project: Project) -> Iterator[str]:
    """The files that a file imports, and those that import it."""
    yield from project.reached(source.filename)
    yield from Importers(project).of(source.filename)


def _steps(source: Source) -> Iterator[tuple[str, Training, Training]]:
    """The first backward and step of what is run again and again, with the function's name where
    it is not a loop: then the optimizer is one that torch makes in the file."""
    made = set(_optimizers(source))
    for name, block in _repeated(source):
        training = list(all_training(block))
        walks = [one for one in training if one.does is Does.WALKS]
        for step in training:
            before = [one for one in walks if one.call.lineno < step.call.lineno]
            known = not name or step.about in made
            if step.does is Does.STEPS and before and known and not _handed(block, step.about):
                yield name, before[-1], step
                break


def _handed(block: Block, optimizer: str) -> bool:
    """Whether other code is given an optimizer, which may clear for it."""
    calls = (node for one in block for node in walk(one) if isinstance(node, ast.Call))
    given = (call for call in calls if optimizer in map(spelt, call.args))
    return any(not spelt(call.func).endswith((".step", ".unscale_")) for call in given)


def _optimizers(source: Source) -> Iterator[str]:
    """What the file binds to optimizers of torch, as it is spelt."""
    for node in source.each(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call) and _MAKES.search(spelt(call.func)):
            yield from map(spelt, node.targets)


def _repeated(source: Source) -> Iterator[tuple[str, Block]]:
    """The bodies of loops of more than a few iterations, and those of functions by whose names they
    train, but for those that the file calls outside of a loop: that may be the only time."""
    loops: list[ast.For | ast.While] = [*source.each(ast.For), *source.each(ast.While)]
    yield from (("", loop.body) for loop in loops if not _is_short(loop))
    once = set(_called(source.each(ast.Call))) - {
        name for loop in loops for name in _called(walk(loop))
    }
    for function in source.each(ast.FunctionDef):
        if _trains(function.name) and function.name not in once:
            yield function.name, function.body


def _trains(name: str) -> bool:
    """Whether a function trains, by its name; a test of training runs once."""
    return _TRAINS.search(name) is not None and not name.startswith("test")


def _is_short(loop: ast.For | ast.While) -> bool:
    """Whether a loop has a few iterations, as where something is demonstrated."""
    told = spelt(loop.iter) if isinstance(loop, ast.For) else ""
    number = told.removeprefix("range(").removesuffix(")")
    return number.isdecimal() and int(number) <= _FEW


def _called(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names of the functions and methods that are called."""
    for node in nodes:
        if isinstance(node, ast.Call):
            yield spelt(node.func).rpartition(".")[2]
