"""What the arguments of a function must be, judged by what the function does with them.

A function that is given a model, an optimizer and batches, runs backward and steps the optimizer,
is a training step. What it calls an argument matters only where it calls several of which nothing
else tells whether they are modules. An attribute that holds an argument is judged by what all
methods of its class do with it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograd_lint.facts.body import Called, body, called_of, path_of
from autograd_lint.facts.callers import without_grad
from autograd_lint.facts.reaching_definitions import computing
from autograd_lint.project.module_names import is_named_as_module
from autograd_lint.project.nodes import walk
from autograd_lint.project.query import query

# A module has some of these methods; what else may be called (a loss, a transform) has none.
OF_MODULES = {
    *("train", "eval", "parameters", "named_parameters", "modules", "zero_grad"),
    *("state_dict", "load_state_dict"),
}
_KINDS = re.compile(r"optimi[sz]er|optim|opt|network|net|model")
OF_SCALERS = {"scale", "step", "update"}


@dataclass(frozen=True, slots=True)
class Roles:
    """The names that stand for modules, for lists of them, for gradient scalers and for the one
    optimizer. `pairs` are several optimizers, each with the module that it is named after."""

    modules: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    scalers: frozenset[str] = frozenset()
    optimizer: str | None = None
    pairs: frozenset[tuple[str, str]] = frozenset()


def roles_of(nodes: Iterable[ast.AST], given: set[str]) -> Roles:
    """The roles that the `given` names play in functions that belong together.

    Names are as they are written: `model`, or `self.model`. What the code tests, to see whether it
    was given at all, plays none.
    """
    nodes = list(nodes)
    calls = [call for node in nodes for call in body(node).calls]
    plain = given - {name for node in nodes for name in asked_for(node)}
    same = {name: _same(name, nodes) for name in plain}
    methods = {name: _methods(same[name], nodes) for name in plain}
    parts = {name: _of_parts(same[name], nodes) for name in plain}
    scalers = {name for name in plain if methods[name] >= OF_SCALERS}
    lists = {name for name in plain if "" in parts[name] - methods[name]}
    callable_ = {name for name in plain if "" in methods[name]} | lists
    optimizers = _optimizers(calls, methods, scalers)
    optimizer = next(iter(optimizers)) if len(optimizers) == 1 else None
    modules = {name for name in callable_ if (methods[name] | parts[name]) & OF_MODULES}
    if not modules and optimizer is not None:
        learning = callable_ - _only_without_grad(nodes)
        named = set(filter(is_named_as_module, learning))
        rooted = _rooted(nodes, calls) - named
        modules = _only_one(learning - rooted) or _only_one(learning) or named
    elif len(modules) < len(optimizers):
        others = callable_ - _rooted(nodes, calls)
        modules |= _as_many(optimizers, callable_, others) or _only_one(others)
    return Roles(
        frozenset(modules - lists),
        frozenset(modules & lists),
        frozenset(scalers),
        optimizer,
        _pairs(optimizers, modules - lists) if len(optimizers) > 1 else frozenset(),
    )


def _methods(names: Iterable[str], nodes: list[ast.AST]) -> frozenset[str]:
    return frozenset().union(*(called_of(name, node) for name in names for node in nodes))


def _of_parts(names: Iterable[str], nodes: list[ast.AST]) -> frozenset[str]:
    """The methods that are called of the elements of names: models may come as a list."""
    pairs = [(name, node) for name in names for node in nodes]
    found = [_called_of_elements(node).get(name, frozenset()) for name, node in pairs]
    for name, node in pairs:
        found += [called_of(one, node) for one in _names(node).get((ast.For, name), ())]
    return frozenset().union(*found)


def _same(name: str, nodes: list[ast.AST]) -> frozenset[str]:
    """A name, and the local ones that stand for the same."""
    return frozenset(
        (name, *(one for node in nodes for one in _names(node).get((ast.Assign, name), ())))
    )


@query
def _names(node: ast.AST) -> dict[tuple[type[ast.AST], str], tuple[str, ...]]:
    """The local names that statements bind to something that has a path, by their kind and it."""
    names: dict[tuple[type[ast.AST], str], tuple[str, ...]] = {}
    for bound in body(node).bindings:
        path = path_of(bound.value)
        if path and isinstance(bound.target, ast.Name) and bound.position is None:
            key = type(bound.statement), path
            names[key] = (*names.get(key, ()), bound.path)
    return names


@query
def _called_of_elements(node: ast.AST) -> dict[str, frozenset[str]]:
    """The methods that are called of the elements of a name; an empty one for a call of itself."""
    found: dict[str, set[str]] = {}
    for call in body(node).calls:
        function = call.node.func
        if isinstance(function, ast.Subscript):
            found.setdefault(path_of(function.value), set()).add("")
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Subscript):
            found.setdefault(path_of(function.value.value), set()).add(function.attr)
    return {path: frozenset(methods) for path, methods in found.items()}


@query
def asked_for(node: ast.AST) -> frozenset[str]:
    """The names that conditions ask for by themselves, or compare with None."""
    return frozenset(_tested(node))


def _tested(node: ast.AST) -> Iterator[str]:
    for part in walk(node):
        if isinstance(part, (ast.If, ast.IfExp)):
            asked = part.test.values if isinstance(part.test, ast.BoolOp) else [part.test]
            for test in asked:
                bare = test.operand if isinstance(test, ast.UnaryOp) else test
                yield path_of(bare.left if isinstance(bare, ast.Compare) else bare)


def _optimizers(
    calls: list[Called], methods: Mapping[str, frozenset[str]], scalers: set[str]
) -> set[str]:
    """What a scaler steps; else what is stepped and cleared; else what first steps after backward.

    What runs backward itself, or is called itself, is an engine that owns the step.
    """
    steps = [call for call in calls if call.method == "step"]
    others = methods.keys() - scalers
    bare = {call.owner for call in steps if not call.node.args} & others
    scaled = {path_of(c.node.args[0]) for c in steps if c.owner in scalers and c.node.args}
    cleared = {name for name in bare if "zero_grad" in methods[name]}
    found = scaled.intersection(methods) or cleared or (set(_first_steps(calls)) & bare)
    return {name for name in found if not methods[name] & {"", "backward"}}


def _first_steps(calls: list[Called]) -> Iterator[str]:
    waiting = False
    for call in calls:
        if call.method == "backward":
            waiting = True
        elif waiting and call.method == "step":
            waiting = False
            yield call.owner


def _rooted(nodes: list[ast.AST], calls: list[Called]) -> set[str]:
    """What computes the very value that backward begins at: a loss rather than a model."""
    backward = [call.node for call in calls if call.method == "backward"]
    owners = [call.func.value for call in backward if isinstance(call.func, ast.Attribute)]
    return computing(nodes, {*owners, *(call.args[0] for call in backward if call.args)})


def _only_without_grad(nodes: list[ast.AST]) -> set[str]:
    """The names that are called with grad mode off alone, in a block: teachers, metrics."""
    off = {call for node in nodes for call in _calls_without_grad(node)}
    pairs = [(call.path, call.node in off) for node in nodes for call in body(node).calls]
    return {path for path, _ in pairs} - {path for path, without in pairs if not without}


@query
def _calls_without_grad(node: ast.AST) -> frozenset[ast.AST]:
    """The calls in blocks of a function that switch grad mode off."""
    blocks = (one for one in walk(node) if isinstance(one, ast.With) and without_grad(one))
    return frozenset(one for block in blocks for one in walk(block) if isinstance(one, ast.Call))


def _as_many(optimizers: set[str], *several: set[str]) -> set[str]:
    """Those of several sets of names of which there is one for each of several optimizers: a
    generator and a discriminator."""
    if len(optimizers) < 2:
        return set()
    return next((names for names in several if len(names) == len(optimizers)), set())


def _pairs(optimizers: set[str], modules: set[str]) -> frozenset[tuple[str, str]]:
    """Optimizers, each with the one module that it is named after, as `opt_g` is after `netG`; none
    where that is not said of all of them."""
    found = {
        (optimizer, module)
        for optimizer in optimizers
        for module in modules
        if _is_named_after(_stem(optimizer), _stem(module))
    }
    apart = len({one for one, _ in found}) == len({other for _, other in found}) == len(found)
    return frozenset(found) if apart and len(found) == len(optimizers) else frozenset()


def _stem(name: str) -> str:
    """What a name says beside what kind of object it is: `g` of `self.netG` and of `opt_g`."""
    return _KINDS.sub("", name.rpartition(".")[2].lower()).strip("_")


def _is_named_after(one: str, other: str) -> bool:
    return bool(one and other) and (one.startswith(other) or other.startswith(one))


def _only_one(names: set[str]) -> set[str]:
    return names if len(names) == 1 else set()
