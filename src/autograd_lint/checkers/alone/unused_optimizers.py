"""A class keeps an optimizer that nothing ever reads, and runs backward in a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.events import Created
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """What no code of the file asks an object for, no code of the file steps."""
    read = _read(source.tree)
    for cls in source.each(ast.ClassDef):
        if "step" in _read(cls):
            continue
        kept = [(name, node) for name, node in _optimizers(cls) if name not in read]
        backwards = list(_backwards_in_loops(cls)) if kept else []
        for backward in backwards[:1]:
            name, made = kept[0]
            because = Assumption(Kind.MEANT_TO_LEARN, f"self.{name}", weight=0)
            yield Fault(
                Pitfall.NEVER_STEPPED,
                source.place(backward),
                operator="optimizer",
                built=Created(source.place(made), "optimizer"),
                assumptions=frozenset({because}),
            )


def _read(tree: ast.AST) -> set[str]:
    """The attributes that some code reads."""
    return {
        node.attr
        for node in walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }


def _optimizers(cls: ast.ClassDef) -> Iterator[tuple[str, ast.AST]]:
    """The attributes to which a class assigns an optimizer of torch, given parameters."""
    for node in walk(cls):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        made = node.value
        given = [ast.unparse(one) for one in (*made.args, *(k.value for k in made.keywords))]
        if "optim" in ast.unparse(made.func) and any("parameters()" in text for text in given):
            for target in node.targets:
                if isinstance(target, ast.Attribute) and ast.unparse(target.value) == "self":
                    yield target.attr, node


def _backwards_in_loops(cls: ast.ClassDef) -> Iterator[ast.Call]:
    """The calls of `backward` that a loop repeats."""
    loops = (node for node in walk(cls) if isinstance(node, (ast.For, ast.While)))
    calls = (one for loop in loops for one in walk(loop) if isinstance(one, ast.Call))
    for call in calls:
        called = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if called == "backward" and not call.args:
            yield call
