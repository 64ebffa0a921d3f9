"""`module.register_backward_hook`: its hook is given the gradients of the last operator alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source

GRAD_INPUT = 1  # the place of it among what a hook is given


def judge(source: Source) -> Iterator[Fault]:
    """Only modules have a method of that name."""
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if node.func.attr == "register_backward_hook" and node.args:
            owner = source.segment(node.func.value)
            # What leaves a module is right for one operator; what goes on from it, for none.
            weight = 0 if _reads_inputs(source, node.args[0]) else 1
            because = Assumption(Kind.SEVERAL_OPERATORS, owner, weight=weight)
            yield Fault(
                Pitfall.LEGACY_HOOK,
                source.place(node),
                tensor=owner,
                operator="register_backward_hook",
                assumptions=frozenset({because}),
            )


def _reads_inputs(source: Source, hook: ast.expr) -> bool:
    """Whether a hook reads the gradients of what the module was given."""
    name = hook.attr if isinstance(hook, ast.Attribute) else getattr(hook, "id", "")
    functions = [hook] if isinstance(hook, ast.Lambda) else _named(source, name)
    return any(_uses(function) for function in functions)


def _named(source: Source, name: str) -> list[ast.FunctionDef]:
    found = (node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef))
    return [node for node in found if node.name == name]


def _uses(function: ast.FunctionDef | ast.Lambda) -> bool:
    names = [argument.arg for argument in function.args.args]
    given = names[1:] if names[:1] == ["self"] else names
    if len(given) <= GRAD_INPUT:
        return False
    body = function.body if isinstance(function.body, list) else [function.body]
    read = (part for statement in body for part in ast.walk(statement))
    return any(isinstance(part, ast.Name) and part.id == given[GRAD_INPUT] for part in read)
