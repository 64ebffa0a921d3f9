"""Hooks that a loop registers, and that read its variables when they run: those of the last round.

for layer, mask in zip(layers, masks):
    layer.weight.register_hook(lambda grad: grad * mask)    # all of them use the last mask

Source: https://docs.python.org/3/faq/programming.html (why do lambdas defined in a loop with
different values all return the same result)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import body
from autograd_lint.project.nodes import statements, walk
from autograd_lint.project.source import Source

Hook = ast.Lambda | ast.FunctionDef
LEAVING = (ast.Break, ast.Return)
SHARED = "_execution_engine"  # the one engine, whatever tensor is asked for it


def judge(source: Source) -> Iterator[Fault]:
    """The hooks that stand in a loop and are registered there, each once."""
    told: set[ast.AST] = set()
    for loop in source.each(ast.For):
        if _runs_or_removes(loop):
            continue
        changing = _changing(loop)
        for call in body(loop).calls:
            hook = _hook(loop, call.given) if _registers(call.method) else None
            own = _bound_around(loop, call.node)
            read = sorted(_free(hook) & changing - own) if hook is not None else []
            if read and call.node not in told:
                told.add(call.node)
                yield Fault(
                    Pitfall.HOOK_LATE_BOUND,
                    source.place(call.node),
                    tensor=read[0],
                    operator=call.method,
                )


def _registers(method: str) -> bool:
    return method.startswith("register_") and method.endswith("hook")


def _runs_or_removes(loop: ast.For) -> bool:
    """Whether the hooks run in the same iteration: by a backward, or until they are removed."""
    done = {call.method for call in body(loop).calls}
    inner = {one for function in _functions(loop) for one in walk(function)}
    leaves = any(isinstance(one, LEAVING) for one in statements(loop) if one not in inner)
    return leaves or not done.isdisjoint({"backward", "grad", "remove"})


def _changing(loop: ast.For) -> set[str]:
    """The names that have another value in each iteration."""
    inner = {name for one in _functions(loop) for part in walk(one) if (name := _stored(part))}
    stored = {name for part in walk(loop) if (name := _stored(part))}
    targets = {name for part in walk(loop.target) if (name := _stored(part))}
    return targets | (stored - inner)


def _functions(loop: ast.For) -> list[Hook]:
    return [part for part in walk(loop) if isinstance(part, Hook)]


def _bound_around(loop: ast.For, call: ast.Call) -> set[str]:
    """The names of the functions of a loop in which a call stands: each call of these has its own.

    Source: https://docs.python.org/3/reference/executionmodel.html (resolution of names)
    """
    around = [one for one in _functions(loop) if any(part is call for part in walk(one))]
    given = {arg.arg for one in around for arg in walk(one.args) if isinstance(arg, ast.arg)}
    return given | {name for one in around for part in walk(one) if (name := _stored(part))}


def _stored(part: ast.AST) -> str:
    return part.id if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store) else ""


def _hook(loop: ast.For, given: list[ast.expr]) -> Hook | None:
    """The function of the loop that is registered."""
    named = {one.name: one for one in statements(loop) if isinstance(one, ast.FunctionDef)}
    for one in given:
        if isinstance(one, ast.Lambda):
            return one
        if isinstance(one, ast.Name) and one.id in named:
            return named[one.id]
    return None


def _free(hook: Hook) -> set[str]:
    """The names that a hook reads from around it when it runs; defaults are read before."""
    statements_of = [hook.body] if isinstance(hook, ast.Lambda) else hook.body
    parts = [part for one in statements_of for part in walk(one)]
    asked = {one.value for one in parts if isinstance(one, ast.Attribute) and one.attr == SHARED}
    names = [part for part in parts if isinstance(part, ast.Name) and part not in asked]
    stored = {one.id for one in names if isinstance(one.ctx, ast.Store)}
    given = {one.arg for one in (*hook.args.posonlyargs, *hook.args.args, *hook.args.kwonlyargs)}
    read = {one.id for one in names if isinstance(one.ctx, ast.Load)}
    return read - stored - given
