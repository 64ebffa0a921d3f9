"""What the arguments of a function must be, judged by what the function does with them.

A function that is given a model, an optimizer and batches, runs backward and steps the optimizer,
is a training step. How it calls an argument does not matter, only what it does with it; an
attribute that holds an argument is judged by what all methods of its class do with it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from autograd_lint.facts.reaching_definitions import computing, name_of

# A module has some of these methods; what else may be called (a loss, a transform) has none.
OF_MODULES = {
    *("train", "eval", "parameters", "named_parameters", "modules", "zero_grad"),
    *("state_dict", "load_state_dict"),
}
OF_SCALERS = {"scale", "step", "update"}


@dataclass(frozen=True, slots=True)
class Roles:
    """The names that stand for modules, for gradient scalers and for the one optimizer."""

    modules: frozenset[str] = frozenset()
    scalers: frozenset[str] = frozenset()
    optimizer: str | None = None


@dataclass(frozen=True, slots=True)
class _Called:
    """A call of `name`, or of the method `method` of `name`; `name` is empty for other owners."""

    name: str
    method: str
    node: ast.Call


def roles_of(nodes: Iterable[ast.AST], given: set[str]) -> Roles:
    """The roles that the `given` names play in functions that belong together.

    Names are as they are written: `model`, or `self.model`. What the code tests, to see whether it
    was given at all, plays none.
    """
    nodes = list(nodes)
    calls = [call for node in nodes for call in _calls(node)]
    plain = given - {name for node in nodes for name in _tested(node)}
    methods: dict[str, set[str]] = {}
    for call in calls:
        methods.setdefault(call.name, set()).add(call.method)
    scalers = {name for name in plain if methods.get(name, set()) >= OF_SCALERS}
    callable_ = {name for name in plain if "" in methods.get(name, set())}
    optimizers = _optimizers(calls, methods, scalers) & plain
    optimizer = optimizers.pop() if len(optimizers) == 1 else None
    modules = {name for name in callable_ if methods[name] & OF_MODULES}
    if not modules and optimizer is not None:
        modules = _only_one(callable_ - _rooted(nodes, calls)) or _only_one(callable_)
    return Roles(frozenset(modules), frozenset(scalers), optimizer)


def _calls(node: ast.AST) -> list[_Called]:
    """The calls in a piece of code, in the order in which they are carried out as a rule."""
    nodes = [part for part in ast.walk(node) if isinstance(part, ast.Call)]
    nodes.sort(key=lambda call: (call.end_lineno or 0, call.end_col_offset or 0))
    return [called for part in nodes for called in _called(part)]


def _called(call: ast.Call) -> Iterator[_Called]:
    own = name_of(call.func)
    if own is not None:
        yield _Called(own, "", call)
    if isinstance(call.func, ast.Attribute):
        yield _Called(name_of(call.func.value) or "", call.func.attr, call)


def _tested(node: ast.AST) -> Iterator[str]:
    """The names that conditions ask for by themselves, or compare with None."""
    for part in ast.walk(node):
        if isinstance(part, (ast.If, ast.IfExp)):
            asked = part.test.values if isinstance(part.test, ast.BoolOp) else [part.test]
            for test in asked:
                bare = test.operand if isinstance(test, ast.UnaryOp) else test
                name = name_of(bare.left if isinstance(bare, ast.Compare) else bare)
                if name is not None:
                    yield name


def _optimizers(calls: list[_Called], methods: dict[str, set[str]], scalers: set[str]) -> set[str]:
    """What a scaler steps; else what is stepped and cleared; else what first steps after backward.

    What runs backward itself, or is called itself, is an engine that owns the step.
    """
    steps = [call for call in calls if call.method == "step"]
    bare = {call.name for call in steps if not call.node.args and call.name not in scalers}
    scaled = {name_of(c.node.args[0]) or "" for c in steps if c.name in scalers and c.node.args}
    cleared = {name for name in bare if "zero_grad" in methods[name]}
    found = scaled or cleared or (set(_first_steps(calls)) & bare)
    return {name for name in found if not methods.get(name, set()) & {"", "backward"}}


def _first_steps(calls: list[_Called]) -> Iterator[str]:
    waiting = False
    for call in calls:
        if call.method == "backward":
            waiting = True
        elif waiting and call.method == "step":
            waiting = False
            yield call.name


def _rooted(nodes: list[ast.AST], calls: list[_Called]) -> set[str]:
    """What computes the very value that backward begins at: a loss rather than a model."""
    backward = [call.node for call in calls if call.method == "backward"]
    owners = [call.func.value for call in backward if isinstance(call.func, ast.Attribute)]
    return computing(nodes, [*owners, *(call.args[0] for call in backward if call.args)])


def _only_one(names: set[str]) -> set[str]:
    return names if len(names) == 1 else set()
