"""A module with a `backward` that autograd is to run: only a `Function` has one that it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.code import last_name
from autograd_lint.project.source import Source


def judge(source: Source) -> Iterator[Fault]:
    """It takes a gradient, gives one back, and nothing in the file calls it; where the file has
    autograd run backward, nobody runs it by hand."""
    backwards = [one for one in source.each(ast.Call) if _calls_backward(one)]
    if any(one.args for one in backwards):
        return
    for cls in source.each(ast.ClassDef):
        if any(last_name(base) == "Module" for base in cls.bases):
            methods = {one.name: one for one in cls.body if isinstance(one, ast.FunctionDef)}
            backward = methods.get("backward")
            if "forward" in methods and backward is not None and _takes_gradient(backward):
                yield Fault(
                    Pitfall.MODULE_BACKWARD,
                    source.place(backward),
                    tensor=cls.name,
                    operator="backward",
                    assumptions=frozenset() if backwards else _for_autograd(cls, backward),
                )


def _for_autograd(cls: ast.ClassDef, backward: ast.FunctionDef) -> frozenset[Assumption]:
    """What is assumed of a `backward`: nothing where it takes a context, which autograd alone has
    to give."""
    if any(one.arg == "ctx" for one in backward.args.args):
        return frozenset()
    return frozenset({Assumption(Kind.MEANT_FOR_AUTOGRAD, f"{cls.name}.backward", weight=0)})


def _calls_backward(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == "backward"


def _takes_gradient(backward: ast.FunctionDef) -> bool:
    given = [argument.arg for argument in backward.args.args if argument.arg not in ("self", "ctx")]
    returns = (one for one in ast.walk(backward) if isinstance(one, ast.Return))
    returned = any(one.value is not None for one in returns)
    return bool(given) and given[0].startswith(("grad", "dout", "dy")) and returned
