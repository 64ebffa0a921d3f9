"""The state of a module that goes on training, kept without a copy, where that of its best round,
or of its beginning, is meant.

for epoch in range(epochs):
    train(model, loader)                    # goes on writing what `best` holds
    if evaluate(model) > score:
        best = model.state_dict()
model.load_state_dict(best)                 # changes nothing

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html: `state_dict()` returns
references, so what is kept of it has to be copied
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from autograd_lint.checkers.alone.walking_calls import MODULE, definitions
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import KEPT_ONLY, Pitfall
from autograd_lint.facts.body import Bound, Called, body, path_of
from autograd_lint.facts.callers import covers, innermost_function
from autograd_lint.facts.effects import effects
from autograd_lint.facts.files_of_tests import is_test
from autograd_lint.facts.training_statements import is_scheduler
from autograd_lint.project.code import given_to
from autograd_lint.project.modules import Project
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

DEPTH = 3  # functions that train by calling others
_OF_MODULES = frozenset({"parameters", "named_parameters", "train", "eval", "zero_grad"})
_MOVES = frozenset({"to", "cpu", "cuda", "half", "float", "double"})  # may make new parameters
_SHALLOW = frozenset({"copy.copy", "dict", "OrderedDict", "collections.OrderedDict"})
_NO_MODULE = re.compile(r"optim|sched|scaler|ema\b|loader|sampler|\bopt", re.IGNORECASE)
_BETTER = re.compile(r"best|better|improv", re.IGNORECASE)
_TRAINS = re.compile(r"_?(?:train|fit)(?!er|ing_)", re.IGNORECASE)
_LOADING = "load_state_dict"
_WRITING = frozenset({"torch.save", "pickle.dump"})
_BLOCKS = ("body", "orelse", "finalbody")
_LEAVING = (ast.Break, ast.Return, ast.Raise)
_NAMED = (ast.Name, ast.Attribute)
_Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
_Loop = ast.For | ast.While


@dataclass(frozen=True, slots=True)
class _Kept:
    """A name or an attribute that gets the state of a module; `around` are the statements around
    that, the outermost first, each with the block of it in which the next one stands."""

    path: str
    state: ast.Call
    statement: ast.AST
    scope: _Scope
    around: tuple[tuple[ast.stmt, list[ast.stmt]], ...]

    @property
    def module(self) -> str:
        """The module whose state it is."""
        return _module_of(self.state)

    @property
    def attribute(self) -> str:
        """The last name of an attribute; empty for a name."""
        owner, _, name = self.path.rpartition(".")
        return name if owner else ""


def judge(source: Source, project: Project) -> Iterator[Fault]:
    """Each state that is kept under a name, and read once the module has moved."""
    if is_test(source):
        return
    for bound in body(source.tree).assigned():
        kept = _kept(source, bound)
        if kept is None or not _is_module(source, kept.module) or _is_changed(kept):
            continue
        if (
            _is_best_of_rounds(kept, project)
            or _is_best_of_calls(kept, project)
            or _is_beginning(kept, project)
        ):
            yield Fault(
                Pitfall.STATE_OVERWRITTEN,
                source.place(kept.state),
                tensor=kept.path,
                operator=kept.module,
                detail=KEPT_ONLY,
            )


def _kept(source: Source, bound: Bound) -> _Kept | None:
    """What a binding keeps of a module, if it does."""
    state = next(_states(bound.value), None)
    if state is None or not (bound.path and bound.is_whole):
        return None
    row = bound.target.lineno
    scope: ast.AST = innermost_function(source, row) or source.tree
    if not isinstance(scope, _Scope):
        return None
    return _Kept(bound.path, state, bound.statement, scope, tuple(_around(scope.body, row)))


def _module_of(state: ast.Call) -> str:
    """The module of `module.state_dict()`."""
    return path_of(state.func.value) if isinstance(state.func, ast.Attribute) else ""


def _states(value: ast.expr) -> Iterator[ast.Call]:
    """The calls by which a value is the state of a module, or holds one, uncopied."""
    if isinstance(value, ast.Dict):
        for entry in value.values:
            yield from _states(entry)
    elif isinstance(value, ast.Call):
        function = value.func
        if path_of(function) in _SHALLOW:
            for given in given_to(value):
                yield from _states(given)
        elif _is_state(value):
            yield value


def _is_state(call: ast.Call) -> bool:
    """Whether a call asks a module for its state."""
    function, plain = call.func, not (call.args or call.keywords)
    asks = isinstance(function, ast.Attribute) and function.attr == "state_dict"
    return asks and plain and _names_module(_module_of(call))


def _names_module(path: str) -> bool:
    """Whether what is spelt so may be a module."""
    return path != "" and _NO_MODULE.search(path) is None


def _around(block: list[ast.stmt], row: int) -> Iterator[tuple[ast.stmt, list[ast.stmt]]]:
    """The statements of a block around a row, the outermost first."""
    for statement in block:
        if covers(statement, row):
            for name in _BLOCKS:
                inner: list[ast.stmt] = getattr(statement, name, [])
                if any(covers(one, row) for one in inner):
                    yield statement, inner
                    yield from _around(inner, row)


def _is_module(source: Source, name: str) -> bool:
    """Whether what has a state is a module, by its name or by what a file asks it for."""
    calls = body(source.tree).calls
    asked = any(one.owner == name and one.method in _OF_MODULES for one in calls)
    return asked or MODULE.search(name) is not None


def _is_changed(kept: _Kept) -> bool:
    """Whether the function puts something else into what it keeps, or hands it to who may, or
    keeps something else under that name."""
    found = body(kept.scope)
    for bound in found.bindings:
        if bound.path != kept.path or bound.statement is kept.statement:
            continue
        again = any(_module_of(one) == kept.module for one in _states(bound.value))
        if not bound.is_whole or not (again or _is_nothing(bound.value)):
            return True
    return any(
        one.owner == kept.path or any(path_of(given) == kept.path for given in one.given)
        for one in found.calls
        if not _reads(one)
    )


def _is_nothing(value: ast.expr) -> bool:
    """Whether a value only stands for one that is not there yet."""
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Constant) or (isinstance(value, ast.Call) and not value.args)


def _reads(call: Called) -> bool:
    """Whether a call that is given a state reads it alone."""
    return call.method == _LOADING or call.path in _WRITING or call.path in ("len", "print")


def _is_best_of_rounds(kept: _Kept, project: Project) -> bool:
    """Whether the best round of a loop keeps the state, the next ones train the module, and what
    was kept is read behind the loop, or by a round that is not better."""
    for position, (loop, _) in enumerate(kept.around):
        inner = kept.around[position + 1 :]
        if not isinstance(loop, _Loop) or not _chooses(inner):
            continue
        if _is_another(kept, loop) or not _trains(loop, kept.module, project):
            continue
        side = inner[-1][1] if inner else []
        return _is_read(kept, loop, side) or _is_loaded_elsewhere(kept, project)
    return False


def _chooses(around: tuple[tuple[ast.stmt, list[ast.stmt]], ...]) -> bool:
    """Whether a branch among some statements is that of what is better than all before it: it
    stores what its condition asks for, or the condition says so by a name. It does not end there.
    """
    for branch, side in around:
        if not isinstance(branch, ast.If):
            continue
        inside = ast.Module(side, [])
        if any(isinstance(one, _LEAVING) for one in walk(inside)):
            return False
        asked = {path_of(one) for one in walk(branch.test) if isinstance(one, _NAMED)} - {""}
        stored = {path_of(one) for one in body(inside).stores}
        if asked & stored or any(map(_BETTER.search, asked)):
            return True
    return False


def _is_another(kept: _Kept, loop: ast.AST) -> bool:
    """Whether each round of a loop may have another module, or new parameters in it."""
    found = body(loop)
    bound = any(one.path == kept.module for one in found.bindings)
    return bound or any(one.owner == kept.module and one.method in _MOVES for one in found.calls)


def _is_read(kept: _Kept, loop: ast.stmt, side: list[ast.stmt]) -> bool:
    """Whether a state is loaded, written or returned behind a loop, or loaded by the module in
    another branch of it than that which has kept it."""
    end, own = loop.end_lineno or 0, ast.Module(side, [])
    for call in body(kept.scope).calls:
        behind = call.node.lineno > end
        elsewhere = covers(loop, call.node.lineno) and not _stands_in(own, call.node)
        loads = call.method == _LOADING and (behind or (elsewhere and call.owner == kept.module))
        saves = behind and call.path in _WRITING
        if (loads or saves) and call.node.args and _is_of(call.node.args[0], kept.path):
            return True
    results = (one for one in body(kept.scope).results if one.lineno > end)
    parts = (
        part for one in results for part in (one.elts if isinstance(one, ast.Tuple) else [one])
    )
    return any(path_of(part) == kept.path for part in parts)


def _is_of(value: ast.expr, path: str) -> bool:
    """Whether a value is what stands under a path, or an entry of that."""
    return path_of(value.value if isinstance(value, ast.Subscript) else value) == path


def _stands_in(code: ast.AST, node: ast.AST) -> bool:
    return any(one is node for one in walk(code))


def _is_best_of_calls(kept: _Kept, project: Project) -> bool:
    """Whether a function that is called again and again keeps the state of its best call in an
    object, and what was kept is loaded elsewhere: by another branch, or another function."""
    loops = any(isinstance(one, _Loop) for one, _ in kept.around)
    branches = [(one, side) for one, side in kept.around if isinstance(one, ast.If)]
    if loops or not kept.attribute or not branches or not _chooses(tuple(branches)):
        return False
    branch, side = branches[-1]
    asked = {path_of(one) for one in walk(branch.test) if isinstance(one, ast.Attribute)}
    stored = {path_of(one) for one in body(ast.Module(side, [])).stores}
    return bool(asked & stored) and _is_loaded_elsewhere(kept, project)


def _is_loaded_elsewhere(kept: _Kept, project: Project) -> bool:
    """Whether code of the project loads an attribute of that name, but for the branch in which it
    is kept."""
    if not kept.attribute:
        return False
    own = ast.Module(kept.around[-1][1] if kept.around else [], [])
    for source in project.speaking(kept.attribute):
        for call in body(source.tree).calls:
            given = call.node.args[0] if call.method == _LOADING and call.node.args else None
            if isinstance(given, ast.Subscript):
                given = given.value
            named = isinstance(given, ast.Attribute) and given.attr == kept.attribute
            if named and not _stands_in(own, call.node):
                return True
    return False


def _is_beginning(kept: _Kept, project: Project) -> bool:
    """Whether a module is trained behind where its state is kept, and is to go back to that."""
    if any(isinstance(one, _Loop | ast.If) for one, _ in kept.around):
        return False
    loads = [
        call.node.lineno
        for call in body(kept.scope).calls
        if call.method == _LOADING and call.owner == kept.module
        if call.node.args and path_of(call.node.args[0]) == kept.path
        if call.node.lineno > kept.state.lineno
    ]
    for statement in _behind(kept):
        again = isinstance(statement, _Loop) and any(covers(statement, row) for row in loads)
        later = any(row > (statement.end_lineno or 0) for row in loads)
        same = (again or later) and not _is_another(kept, statement)
        if same and _trains(statement, kept.module, project):
            return True
    return False


def _behind(kept: _Kept) -> Iterator[ast.stmt]:
    """The statements behind that which keeps a state, in its block and in those around it."""
    for block in (kept.scope.body, *(inner for _, inner in kept.around)):
        yield from (one for one in block if one.lineno > kept.state.lineno)


def _trains(code: ast.stmt, module: str, project: Project) -> bool:
    """Whether a statement trains a module: by itself, or by a function that is given it, or by a
    method of the object that holds it."""
    if isinstance(code, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return False
    found = body(code)
    if _moves(code):
        return any(
            module in (one.path, one.owner) or any(path_of(arg) == module for arg in one.given)
            for one in found.calls
        ) or module.startswith("self.")
    holder = module.rpartition(".")[0]
    return any(
        _walks(call.method, project)
        for call in found.calls
        if any(path_of(arg) == module for arg in call.given) or (holder and call.owner == holder)
    )


def _moves(code: ast.AST) -> bool:
    """Whether code has an optimizer step, or a framework train."""
    found = effects(code)
    return found.delegates or any(not is_scheduler(one) for one in found.stepped)


def _walks(name: str, project: Project, depth: int = DEPTH) -> bool:
    """Whether functions of that name train, or call what does; what the project does not define
    does where its name says so."""
    found = definitions(name, project)
    if not found:
        return depth == DEPTH and _TRAINS.match(name) is not None
    if any(map(_moves, found)):
        return True
    called = {call.method for one in found for call in body(one).calls} - {name}
    return depth > 1 and any(
        _walks(one, project, depth - 1) for one in called if not one.startswith("__")
    )
