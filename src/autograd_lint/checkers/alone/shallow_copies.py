"""Copies of modules that share the parameters: `copy.copy(module)`.

target = copy.copy(model)
for t, p in zip(target.parameters(), model.parameters()):
    t.data.lerp_(p.data, 0.01)             # both are the same tensor

Source: https://docs.python.org/3/library/copy.html: a shallow copy inserts references
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import SHALLOW, Pitfall
from autograd_lint.facts.body import body, path_of
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.project.source import Source

_OF_MODULES = frozenset({"parameters", "named_parameters", "load_state_dict", "requires_grad_"})


def judge(source: Source) -> Iterator[Fault]:
    """A copy that is used as a second module, of one that is asked for its parameters."""
    calls = body(source.tree).calls
    modules = frozenset(one.owner for one in calls if one.method in _OF_MODULES)
    for bound in body(source.tree).bindings:
        copied = _copied(source, bound.value)
        if copied and bound.is_whole and {copied, bound.path} <= modules:
            yield Fault(
                Pitfall.OWN_STATE,
                source.place(bound.statement),
                tensor=bound.path,
                operator=copied,
                detail=SHALLOW,
            )


def _copied(source: Source, code: ast.expr) -> str:
    """What an expression makes a shallow copy of."""
    if not isinstance(code, ast.Call) or path_in(source, code.func) != "copy.copy":
        return ""
    return path_of(code.args[0]) if len(code.args) == 1 else ""
