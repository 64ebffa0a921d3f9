"""What `backward` of a custom Function needs is kept on the class, or under a global name, where
the next call of `forward` replaces it.

def forward(ctx, x):
    Square.x = x                  # of the latest call, whichever backward asks for it
    return x * x

Source: https://docs.pytorch.org/docs/stable/notes/extending.html: the context is that of one call
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import ON_CLASS, Pitfall
from autograd_lint.facts.body import Bound, body, path_of
from autograd_lint.facts.class_kinds import is_custom_function
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """Each class that derives from a custom Function."""
    for cls in source.each(ast.ClassDef):
        methods = {one.name: one for one in cls.body if isinstance(one, ast.FunctionDef)}
        forward, backward = methods.get("forward"), methods.get("backward")
        if forward is None or backward is None or not is_custom_function(cls):
            continue
        for bound in _shared(cls, forward):
            if _hangs_on_call(bound.value, forward) and _reads(backward, bound.path):
                yield Fault(
                    Pitfall.KEPT_ON_CONTEXT,
                    source.place(bound.statement),
                    tensor=bound.path,
                    operator=cls.name,
                    detail=ON_CLASS,
                )


def _shared(cls: ast.ClassDef, forward: ast.FunctionDef) -> Iterator[Bound]:
    """What `forward` sets on the class, or under a global name."""
    names = {name for one in walk(forward) if isinstance(one, ast.Global) for name in one.names}
    for bound in body(forward).assigned():
        owner, _, _ = bound.path.rpartition(".")
        if bound.is_whole and (owner == cls.name or bound.path in names):
            yield bound


def _hangs_on_call(value: ast.expr, forward: ast.FunctionDef) -> bool:
    """Whether a value is made of what this call is given, or of what was made of that."""
    arguments = [*forward.args.posonlyargs, *forward.args.args][1:]
    own = {one.arg for one in arguments} | {one.path for one in body(forward).bindings}
    return any(isinstance(one, ast.Name) and one.id in own for one in walk(value))


def _reads(method: ast.FunctionDef, path: str) -> bool:
    reads = (one for one in walk(method) if isinstance(one, (ast.Name, ast.Attribute)))
    return any(isinstance(one.ctx, ast.Load) and path_of(one) == path for one in reads)
