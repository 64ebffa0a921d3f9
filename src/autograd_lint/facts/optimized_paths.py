"""What the optimizers of a file are given, as it is spelt.

self.actor_opt = torch.optim.Adam(self.actor.parameters())
self.critic_opt = torch.optim.Adam(chain(self.encoder.parameters(), self.critic.parameters()))
    # "self.actor_opt": {"self.actor"}, "self.critic_opt": {"self.encoder", "self.critic"}
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.project.code import given_to, spelt
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

_MAKES = re.compile(r"\boptim\.[A-Z]|^(Adam|AdamW|SGD|RMSprop)$")  # an optimizer of torch
_MAKING = re.compile(r"(^|[._])(get|make|build|create|init|configure|setup)_\w*optim\w*$")
_NAMED = re.compile(r"optim\w*$", re.IGNORECASE)

Paths = frozenset[str]


@query
def optimized_paths(source: Source) -> dict[str, Paths]:
    """The names and attributes that a file binds to optimizers of torch, each with the names and
    attributes in the text of the parameters that any of these optimizers is given."""
    found: dict[str, Paths] = {}
    for node in source.each(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call) and _MAKES.search(spelt(call.func)):
            given = [*call.args[:1], *(one.value for one in call.keywords if one.arg == "params")]
            paths = frozenset(path for one in given for path in _paths(one))
            for target in map(spelt, node.targets):
                found[target] = found.get(target, frozenset()) | paths
    return found


@query
def made_by_functions(source: Source) -> dict[str, Paths]:
    """The names and attributes that a file binds to what functions make that are named after it,
    each with the names and attributes that those are given:
    `self.optimizer, self.scheduler = self.init_optimizers(self.parameters)`."""
    found: dict[str, Paths] = {}
    for node in source.each(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call) and _MAKING.search(spelt(call.func)):
            paths = frozenset(_paths(call)) - {"self"}
            for target in node.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                for told in filter(_NAMED.search, map(spelt, parts)):
                    found[told] = found.get(told, frozenset()) | paths
    return found


def are_apart(one: str, other: str, source: Source) -> bool:
    """Whether two optimizers that a file makes have parameters of their own: nothing that one is
    given is, or holds, what the other is given."""
    made = {**made_by_functions(source), **optimized_paths(source)}
    if one == other or not {one, other} <= made.keys():
        return False
    if not (made[one] and made[other]):
        return False  # functions that are given nothing may give both the same
    return not any(_overlap(a, b) for a in made[one] for b in made[other])


def _overlap(one: str, other: str) -> bool:
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


def _paths(node: ast.AST) -> Iterator[str]:
    """The longest names and attributes in an expression, but for the methods and functions that it
    calls."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
            yield from _paths(node.func.value)
        for argument in given_to(node):
            yield from _paths(argument)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        yield spelt(node)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _paths(child)


def _is_module(node: ast.AST) -> bool:
    """Whether something is the module of a function that puts parameters together."""
    return isinstance(node, ast.Name) and node.id in ("itertools", "utils")
