"""What the arguments of a function must be, judged by what the function does with them.

A function that is given a model, an optimizer and batches, runs backward and steps the optimizer,
is a training step. How it calls an argument does not matter, only what it does with it; an
attribute that holds an argument is judged by what all methods of its class do with it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from autograd_lint.facts.body import Called, body, called_of, path_of
from autograd_lint.facts.reaching_definitions import computing

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


def roles_of(nodes: Iterable[ast.AST], given: set[str]) -> Roles:
    """The roles that the `given` names play in functions that belong together.

    Names are as they are written: `model`, or `self.model`. What the code tests, to see whether it
    was given at all, plays none.
    """
    nodes = list(nodes)
    calls = [call for node in nodes for call in body(node).calls]
    plain = given - {name for node in nodes for name in _tested(node)}
    methods = {name: _methods(name, nodes) for name in plain}
    scalers = {name for name in plain if methods[name] >= OF_SCALERS}
    callable_ = {name for name in plain if "" in methods[name]}
    optimizers = _optimizers(calls, methods, scalers)
    optimizer = optimizers.pop() if len(optimizers) == 1 else None
    modules = {name for name in callable_ if methods[name] & OF_MODULES}
    if not modules and optimizer is not None:
        modules = _only_one(callable_ - _rooted(nodes, calls)) or _only_one(callable_)
    return Roles(frozenset(modules), frozenset(scalers), optimizer)


def _methods(name: str, nodes: list[ast.AST]) -> frozenset[str]:
    return frozenset().union(*(called_of(name, node) for node in nodes))


def _tested(node: ast.AST) -> Iterator[str]:
    """The names that conditions ask for by themselves, or compare with None."""
    for part in ast.walk(node):
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
    found = (scaled & methods.keys()) or cleared or (set(_first_steps(calls)) & bare)
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


def _only_one(names: set[str]) -> set[str]:
    return names if len(names) == 1 else set()
