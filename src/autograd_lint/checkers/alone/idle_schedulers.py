"""Learning-rate schedulers that never step: a function makes one, and nothing is done with it.

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = StepLR(optimizer, step_size=30)
for epoch in range(90):
    train_one_epoch(model, optimizer)           # scheduler.step() is missing

So is one that is made by a function of the project, and one that is only handed to functions which
never read it.

Source: https://docs.pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import Bound, body, parameters_of, path_of
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.facts.training_statements import is_optimizer
from autograd_lint.project.code import given_to, last_name
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

# What makes schedulers in torch, in timm, in transformers and in diffusers.
_SCHEDULERS = re.compile(
    r"torch\.optim\.lr_scheduler\.|timm\.scheduler\.(\w+\.)*\w+Scheduler$"
    r"|(transformers|diffusers)\.(\w+\.)*get_\w*schedule"
)
# What only reads a scheduler, or takes up where it was.
_READING = frozenset({"get_last_lr", "get_lr", "state_dict", "load_state_dict"})


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """In each function that trains: which of its schedulers is never stepped, nor handed over?"""
    for function in (source.tree, *source.each(ast.FunctionDef)):
        for bound in _schedulers(source, function, project):
            steps = any(_steps(function, one) for one in _optimizers(bound.value))
            if steps and not _is_used(function, bound.path, source, project):
                yield Fault(
                    Pitfall.NEVER_SCHEDULED, source.place(bound.statement), tensor=bound.path
                )


def _schedulers(source: Source, function: ast.AST, project: Project) -> Iterator[Bound]:
    """The schedulers that a function makes and gives a name."""
    for bound in body(function).assigned():
        if isinstance(bound.target, ast.Name) and isinstance(bound.value, ast.Call):
            made = _is_scheduler(source, bound.value)
            # Where a name is defined is asked last: files of the project are parsed for that.
            handed = bound.position is None and any(map(is_optimizer, _optimizers(bound.value)))
            if made or (handed and _comes_of_maker(bound.value, source, project)):
                yield bound


def _is_scheduler(source: Source, code: ast.expr) -> bool:
    """Whether code makes a scheduler of a library."""
    return isinstance(code, ast.Call) and bool(_SCHEDULERS.match(path_in(source, code.func)))


def _comes_of_maker(call: ast.Call, source: Source, project: Project) -> bool:
    """Whether a function of the project is called that gives a scheduler that it has made."""
    found = _defined(last_name(call.func), source, project)
    return bool(found) and all(_makes_one(function, home) for home, function in found)


def _makes_one(function: ast.FunctionDef, source: Source) -> bool:
    """Whether all that a function returns are schedulers which it makes, or None."""
    found = body(function)
    made = [one for result in found.results for one in _values(function, result)]
    given = [one for one in made if not (isinstance(one, ast.Constant) and one.value is None)]
    return bool(given) and all(_is_scheduler(source, one) for one in given)


def _values(function: ast.FunctionDef, result: ast.expr) -> list[ast.expr]:
    """What a result is: what a name was bound to before."""
    if not isinstance(result, ast.Name):
        return [result]
    return [one.value for one in body(function).bindings if one.path == result.id] or [result]


def _defined(name: str, source: Source, project: Project) -> list[tuple[Source, ast.FunctionDef]]:
    """The functions of that name in the file, or else in the project, with their files; none where
    one of them is decorated."""
    found = _named(name, source)
    if not found and name:
        found = [one for file in project.speaking(name) for one in _named(name, file)]
    return [] if any(one.decorator_list for _, one in found) else found


def _named(name: str, source: Source) -> list[tuple[Source, ast.FunctionDef]]:
    return [(source, one) for one in source.each(ast.FunctionDef) if one.name == name]


def _optimizers(made: ast.expr) -> list[str]:
    """The names of the optimizers that a scheduler may be made for."""
    if not isinstance(made, ast.Call):
        return []
    first = [path_of(one) for one in made.args[:1]]
    return [*first, *(name for one in given_to(made) if is_optimizer(name := path_of(one)))]


def _steps(function: ast.AST, optimizer: str) -> bool:
    """Whether a function steps the optimizer in a loop, or hands it over there."""
    loops = (one for one in walk(function) if isinstance(one, (ast.For, ast.While)))
    calls = (call for loop in loops for call in body(loop).calls)
    return bool(optimizer) and any(
        (call.owner == optimizer and call.method == "step")
        or any(path_of(one) == optimizer for one in call.given)
        for call in calls
    )


def _is_used(function: ast.AST, name: str, source: Source, project: Project) -> bool:
    """Whether a function does anything else with a scheduler than to read it, or to hand it to who
    does nothing with it."""
    idle = {
        id(given)
        for call in body(function).calls
        for given in call.given
        if path_of(given) == name and _is_ignored(call.node, given, source, project)
    }
    reading = idle | {
        id(call.node.func.value)
        for call in body(function).calls
        if call.method in _READING and isinstance(call.node.func, ast.Attribute)
    }
    return any(
        isinstance(part, ast.Name)
        and part.id == name
        and isinstance(part.ctx, ast.Load)
        and id(part) not in reading
        for part in walk(function)
    )


def _is_ignored(call: ast.Call, given: ast.expr, source: Source, project: Project) -> bool:
    """Whether no function that a call may be one of reads what it is given for a parameter."""
    found = _defined(last_name(call.func), source, project)
    return bool(found) and not any(_reads(function, call, given) for _, function in found)


def _reads(function: ast.FunctionDef, call: ast.Call, given: ast.expr) -> bool:
    """Whether a function may read an argument of a call."""
    names = parameters_of(function)
    if isinstance(call.func, ast.Attribute) and names[:1] in (["self"], ["cls"]):
        names = names[1:]
    keyword = next((one.arg for one in call.keywords if one.value is given), None)
    position = next((at for at, one in enumerate(call.args) if one is given), len(names))
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    name = keyword or (names[position] if position < len(names) else None)
    if starred or name not in names:
        return True
    parts = (one for statement in function.body for one in walk(statement))
    return any(isinstance(one, ast.Name) and one.id in (name, "locals") for one in parts)
