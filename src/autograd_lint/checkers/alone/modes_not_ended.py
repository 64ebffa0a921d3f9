"""Training that goes on in the evaluation mode of a validation, where nothing in its loop ends it.

model.train()
for step, (x, y) in enumerate(loader):
    train_on(model, x, y)
    if step % 100 == 0:
        validate(model)     # calls model.eval(), and nothing behind it calls model.train()
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.checkers.alone.walking_calls import definitions
from autograd_lint.engine.assumptions import Assumption, Kind, Prior
from autograd_lint.engine.events import Created, Needed, noted_at
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import parameters_of
from autograd_lint.facts.callers import innermost_function
from autograd_lint.facts.definitions import definition_of
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.mode_words import may_depend_on_mode
from autograd_lint.facts.optimized_paths import optimized_paths
from autograd_lint.facts.training_statements import Does, all_training
from autograd_lint.places import Place
from autograd_lint.project.code import called_name, given_to, last_name, spelt
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import binds, calls_in, walk
from autograd_lint.project.source import Source

_TELLS_MODE = re.compile(r"\.train\(|\btraining\b|\.requires_grad_?\b")
_TRAINS = re.compile(r"(^|_)(train|fit|mode)(_|$)", re.IGNORECASE)
_HARMLESS = {"no_grad", "inference_mode", "staticmethod"}  # decorators that leave modes alone
_NO_CALL = {"eval", "train", "to", "cuda", "state_dict", "load_state_dict", "parameters"}
_DEPTH = 3  # of calls that are followed
Loop = ast.For | ast.While


@dataclass(frozen=True, slots=True, eq=False)
class Called:
    """A function that is called, and the file that defines it."""

    node: ast.FunctionDef
    source: Source


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """A call in a loop behind which a module is in evaluation mode: how the loop spells the module,
    and what begins that mode in the file: the call of `eval`, or that of a function of another
    file. `function` is what is called, where it is not `eval` itself, `inside` where it does so."""

    module: str
    call: ast.Call
    begins: ast.Call
    function: ast.FunctionDef | None = None
    inside: Place | None = None


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Loops that train a module, and run a validation that leaves it in evaluation mode, the inner
    loops first."""
    if is_test(source):
        return
    told: set[ast.Call] = set()
    loops: list[Loop] = [*source.each(ast.For), *source.each(ast.While)]
    for loop in sorted(loops, key=lambda one: one.lineno, reverse=True):
        if _TELLS_MODE.search(source.segment(loop)):
            continue
        for one in _evaluations(loop, source, project):
            trained = _trained_at(one, loop, source, project)
            if trained is None or one.begins in told or _ends_behind(one.call, loop):
                continue
            if _tells_mode_elsewhere(loop, project, one.function):
                break
            if not may_depend_on_mode(one.module, source, project):
                continue
            told.add(one.begins)
            yield _fault(one, trained, source)


def _fault(one: Evaluation, trained: ast.Call, source: Source) -> Fault:
    place = source.place(one.begins)
    return Fault(
        Pitfall.LEFT_IN_EVALUATION,
        place,
        built=Created(place, "eval"),
        needed=Needed(source.place(trained), "call"),
        noted=noted_at(one.inside, "this begins evaluation mode"),
        assumptions=frozenset({Assumption(Kind.DEPENDS_ON_MODE, one.module, weight=Prior.USUAL)}),
    )


def _evaluations(loop: Loop, source: Source, project: Project) -> Iterator[Evaluation]:
    """The calls in a loop that put a module into evaluation mode, themselves or by a function of
    the project."""
    for call in calls_in(loop):
        if _is_eval(call):
            yield Evaluation(spelt(_owner(call)), call, call)
            continue
        called = _called(call, source, project)
        if called is None:
            continue
        tells = _TELLS_MODE.search(called.source.segment(called.node)) is not None
        for inner in filter(_is_eval, calls_in(called.node)):
            if tells and not _leaves_before_its_end(called.node, inner):
                continue
            module = _as_called(_owner(inner), called, call, source)
            if module:
                begins = inner if called.source is source else call
                inside = called.source.place(inner)
                yield Evaluation(module, call, begins, called.node, inside)


def _leaves_before_its_end(function: ast.FunctionDef, begins: ast.Call) -> bool:
    """Whether a function that begins evaluation mode, and ends it, returns in between: from within
    a block, past the only call that ends the mode."""
    owner = spelt(_owner(begins))
    told = _TELLS_MODE.findall(ast.unparse(function))
    ends = [one for one in calls_in(function) if last_name(one.func) == "train"]
    if len(told) != 1 or len(ends) != 1 or spelt(_owner(ends[0])) != owner:
        return False
    nested = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Try)
    if any(isinstance(one, nested) for one in walk(function) if one is not function):
        return False
    returns = (one.lineno for one in walk(function) if isinstance(one, ast.Return))
    return any(begins.lineno < row < ends[0].lineno for row in returns)


def _is_eval(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "eval" and not given_to(call)


def _owner(call: ast.Call) -> ast.expr:
    return call.func.value if isinstance(call.func, ast.Attribute) else call.func


def _called(call: ast.Call, source: Source, project: Project) -> Called | None:
    """The function that a call leads to, by its name in the file, by an import, or as a method of
    the same object; none that a decorator may have changed."""
    name = last_name(call.func)
    own = isinstance(call.func, ast.Name) or spelt(_owner(call)) == "self"
    named = [one for one in source.each(ast.FunctionDef) if one.name == name] if own else []
    found = [Called(one, source) for one in named]
    if not named and isinstance(call.func, ast.Name):
        defined = definition_of(name, source, project)
        if defined is not None and isinstance(defined.node, ast.FunctionDef):
            found = [Called(defined.node, defined.source)]
    if len(found) != 1:
        return None
    decorators = {called_name(one) or last_name(one) for one in found[0].node.decorator_list}
    return found[0] if decorators <= _HARMLESS else None


def _as_called(module: ast.expr, called: Called, call: ast.Call, source: Source) -> str:
    """How the caller of a function spells a module of it; empty where it cannot."""
    root, dot, rest = spelt(module).partition(".")
    function = called.node
    names = parameters_of(function)
    if root == "self" and names[:1] == ["self"]:
        return f"{root}{dot}{rest}" if spelt(call.func).startswith("self.") else ""
    if root in names:
        given = _given(names, call).get(root)
        return f"{spelt(given)}{dot}{rest}" if given is not None else ""
    own = any(binds(one, root) for one in walk(function))
    return "" if own or called.source is not source else f"{root}{dot}{rest}"


def _given(names: list[str], call: ast.Call) -> dict[str, ast.expr]:
    """What a call gives for the parameters of a function, by their names."""
    places = names[1:] if names[:1] == ["self"] else names
    given = dict(zip(places, call.args, strict=False))
    return {**given, **{one.arg: one.value for one in call.keywords if one.arg}}


def _trained_at(one: Evaluation, loop: Loop, source: Source, project: Project) -> ast.Call | None:
    """The call by which a loop trains the module that a validation leaves in evaluation mode, where
    the program tells that it is to be trained: it was put into training mode for that before the
    loop, or an optimizer has its parameters."""
    if not (_begun_before(one.module, loop, source) or _is_optimized(one.module, source)):
        return None
    does = {training.does for training in all_training(loop.body)}
    if {Does.WALKS, Does.STEPS} <= does:
        return next((call for call in calls_in(loop) if _runs(one, call, loop)), None)
    others = (call for call in calls_in(loop) if call is not one.call)
    return next((call for call in others if _trains(call, one, source, project)), None)


def _begun_before(module: str, loop: Loop, source: Source) -> bool:
    """Whether the function around a loop puts a module into training mode before it."""
    around = innermost_function(source, loop.lineno)
    return any(
        last_name(call.func) == "train" and spelt(_owner(call)) == module
        for call in calls_in(around if around is not None else source.tree)
        if call.lineno < loop.lineno
    )


def _is_optimized(module: str, source: Source) -> bool:
    return any(module in paths for paths in optimized_paths(source).values())


def _runs(one: Evaluation, call: ast.Call, loop: Loop) -> bool:
    """Whether a call runs a module in a loop, other than the validation: before a mode that the
    loop sets itself, unless a condition sets that."""
    if call is one.call or (one.call is one.begins and call.lineno > one.call.lineno):
        return False
    return _uses(call, one.module) and call.lineno >= loop.lineno


def _uses(call: ast.Call, module: str) -> bool:
    """Whether a call is one of a module, or of what is given it."""
    told = spelt(call.func)
    own = told == module or (told.startswith(f"{module}.") and last_name(call.func) not in _NO_CALL)
    return own or any(spelt(given) == module for given in given_to(call))


def _trains(call: ast.Call, one: Evaluation, source: Source, project: Project) -> bool:
    """Whether a call leads to a function that trains the module: it runs it, backward and a
    step."""
    called = _called(call, source, project)
    if called is None or _TELLS_MODE.search(called.source.segment(called.node)):
        return False
    does = {training.does for training in all_training(called.node.body)}
    if not {Does.WALKS, Does.STEPS} <= does:
        return False
    run = {spelt(inner.func): inner.func for inner in calls_in(called.node)}
    return one.module in {_as_called(path, called, call, source) for path in run.values()}


def _is(one: ast.AST, function: ast.FunctionDef | None) -> bool:
    """Whether a definition is that of a function; a file may have been parsed twice."""
    if function is None or not isinstance(one, ast.FunctionDef):
        return False
    return (one.name, one.lineno) == (function.name, function.lineno)


def _ends_behind(call: ast.Call, loop: Loop) -> bool:
    """Whether a loop is left behind a call, in the block that it stands in."""
    blocks = (
        block
        for node in walk(loop)
        for name in ("body", "orelse")
        if isinstance(block := getattr(node, name, None), list)
    )
    return any(_leaves_behind(block, call) for block in blocks)


def _leaves_behind(block: list[ast.stmt], call: ast.Call) -> bool:
    at = [one for one, statement in enumerate(block) if call in set(walk(statement))]
    rest = block[at[0] + 1 :] if at else []
    return any(isinstance(one, (ast.Break, ast.Return, ast.Raise)) for one in rest)


def _tells_mode_elsewhere(loop: Loop, project: Project, known_to: ast.FunctionDef | None) -> bool:
    """Whether something that a loop calls may set the mode, as far as the project defines it; other
    than a function of which that is known."""
    known: set[str] = set()
    waiting = [last_name(call.func) for call in calls_in(loop)]
    for _ in range(_DEPTH):
        names = {one for one in waiting if one} - known
        known |= names
        bodies = {name: definitions(name, project) for name in names}
        if any(_TRAINS.search(name) and not found for name, found in bodies.items()):
            return True
        others = (one for found in bodies.values() for one in found if not _is(one, known_to))
        inner = [call for one in others for call in calls_in(one)]
        if any(last_name(call.func) == "train" for call in inner):
            return True
        waiting = [last_name(call.func) for call in inner]
    return False
