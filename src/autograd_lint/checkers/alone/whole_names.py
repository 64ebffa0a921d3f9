"""Tests for the whole name of a parameter, where it has the names of the modules before it.

no_decay = ["bias", "LayerNorm.weight"]
decayed = [p for n, p in model.named_parameters() if n not in no_decay]     # all of them

for name, parameter in model.named_parameters():
    if name != "fc":                                                        # `fc.weight`
        parameter.requires_grad = False

Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html (named_parameters)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import path_of
from autograd_lint.project.nodes import binds, walk
from autograd_lint.project.source import Source

Loop = ast.For | ast.comprehension


def judge(source: Source) -> Iterator[Fault]:
    """What loops over named parameters compare the name with."""
    literals = _literals(source)
    own = {one.attr for one in source.each(ast.Attribute) if isinstance(one.ctx, ast.Store)}
    for loop, name in _loops(source):
        tests = (*_memberships(loop, name, literals), *_freezing(loop, name, own))
        for test in tests:
            yield Fault(Pitfall.NAME_NEVER_MATCHES, source.place(test), tensor=ast.unparse(test))


def _loops(source: Source) -> Iterator[tuple[Loop, str]]:
    """The loops over the named parameters of a module, with the variable for the name."""
    named = {
        path_of(target)
        for one in source.each(ast.Assign)
        for target in one.targets
        if _is_named_parameters(one.value)
    }
    loops: tuple[Loop, ...] = (*source.each(ast.For), *source.each(ast.comprehension))
    for loop in loops:
        target = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else None
        is_named = _is_named_parameters(loop.iter) or (path_of(loop.iter) or None) in named
        if is_named and isinstance(target, ast.Name) and not _sets(loop, target.id):
            yield loop, target.id


def _is_named_parameters(code: ast.expr) -> bool:
    """Whether it is a call of `named_parameters`, or a list of what that gives."""
    if not isinstance(code, ast.Call):
        return False
    if path_of(code.func) == "list" and len(code.args) == 1:
        return _is_named_parameters(code.args[0])
    return isinstance(code.func, ast.Attribute) and code.func.attr == "named_parameters"


def _sets(loop: Loop, name: str) -> bool:
    """Whether the loop gives the variable another value (`name = name.split(".")[-1]`)."""
    parts = (part for statement in getattr(loop, "body", ()) for part in walk(statement))
    return any(binds(part, name) for part in parts)


def _memberships(loop: Loop, name: str, literals: dict[str, list[str]]) -> Iterator[ast.Compare]:
    """Whether the name is one of a list of last parts: some biases, and some of a layer."""
    parts = loop.ifs if isinstance(loop, ast.comprehension) else loop.body
    for test in (one for part in parts for one in walk(part) if isinstance(one, ast.Compare)):
        if path_of(test.left) == name and isinstance(test.ops[0], (ast.In, ast.NotIn)):
            wanted = _listed(test.comparators[0], literals)
            if "bias" in wanted and any("." in one for one in wanted):
                yield test


def _listed(code: ast.expr, literals: dict[str, list[str]]) -> list[str]:
    return literals.get(path_of(code), []) if path_of(code) else _texts(code)


def _freezing(loop: Loop, name: str, own: set[str]) -> Iterator[ast.Compare]:
    """Whether the name is that of a module, where that decides what requires grad; `own` are the
    attributes that the file sets, among them parameters that have no module before them."""
    statements = () if isinstance(loop, ast.comprehension) else loop.body
    for test in (one.test for one in statements if isinstance(one, ast.If) and _freezes(one)):
        if isinstance(test, ast.Compare) and path_of(test.left) == name:
            text = test.comparators[0].value if isinstance(test.comparators[0], ast.Constant) else 0
            equality = isinstance(test.ops[0], (ast.Eq, ast.NotEq))
            if equality and isinstance(text, str) and "." not in text and text not in own:
                yield test


def _freezes(condition: ast.If) -> bool:
    names = {one.attr for one in walk(condition) if isinstance(one, ast.Attribute)}
    return not names.isdisjoint({"requires_grad", "requires_grad_"})


def _texts(code: ast.expr) -> list[str]:
    """The texts of a list that holds nothing else."""
    if not isinstance(code, (ast.List, ast.Tuple, ast.Set)):
        return []
    values = [one.value for one in code.elts if isinstance(one, ast.Constant)]
    texts = [one for one in values if isinstance(one, str)]
    return texts if len(texts) == len(code.elts) else []


def _literals(source: Source) -> dict[str, list[str]]:
    """The names that are bound once, to a list of texts."""
    bound: dict[str, list[list[str]]] = {}
    for one in source.each(ast.Assign):
        for target in one.targets:
            if path_of(target):
                bound.setdefault(path_of(target), []).append(_texts(one.value))
    return {name: found[0] for name, found in bound.items() if len(found) == 1}
