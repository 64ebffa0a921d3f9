"""Gradients that are clipped while a gradient scaler has yet to divide them.

def update(self):
    clip_grad_norm_(self.net.parameters(), 1.0)     # of gradients that are 65,536 times too large
    self.scaler.step(self.optimizer)                # divides them, and steps

Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.assumptions import Assumption, Kind
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import body
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import statements
from autograd_lint.project.source import Source

_CLIPS = re.compile(r"(?:\butils\.|\bclip_grad\.|^)(clip_grad_(?:norm|value)_?)$")
_PRECISION = re.compile(r"amp|fp16|half|scal|precision", re.IGNORECASE)


def judge(source: Source) -> Iterator[Fault]:
    """Blocks that clip gradients and then have a scaler step, in files that never unscale any: what
    is commented out does not."""
    if any("unscale" in name for name in body(source.tree).asked):
        return
    scalers = {
        one.path.rpartition(".")[2]
        for one in body(source.tree).bindings
        if code_of(one.value).partition("(")[0].endswith("GradScaler")
    }
    for node in statements(source.tree):
        for name in ("body", "orelse") if scalers else ():
            block = getattr(node, name, [])
            yield from _judge_block(source, block, scalers)


def _judge_block(source: Source, block: list[ast.stmt], scalers: set[str]) -> Iterator[Fault]:
    clip: ast.Call | None = None
    for statement in block:
        if clip is not None and _steps(statement, scalers):
            place, operator = source.place(clip), code_of(clip.func).rpartition(".")[2]
            because = frozenset({Assumption(Kind.RUNS_ON_GPU, weight=0)})
            yield Fault(Pitfall.SCALED_GRADIENTS, place, operator=operator, assumptions=because)
            clip = None
        clip = _clipping(statement) or clip


def _steps(statement: ast.stmt, scalers: set[str]) -> bool:
    """Whether a statement has a scaler step."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    path = code_of(call.func) if isinstance(call, ast.Call) else ""
    owner, _, method = path.rpartition(".")
    return method == "step" and owner.rpartition(".")[2] in scalers


def _clipping(statement: ast.stmt) -> ast.Call | None:
    """The call by which a statement clips gradients, on a condition that does not ask for the
    precision at most."""
    if isinstance(statement, ast.If) and _PRECISION.search(code_of(statement.test)):
        return None
    if not isinstance(statement, (ast.If, ast.Expr, ast.Assign)):
        return None
    calls = (one.node for one in body(statement).calls if _CLIPS.search(one.path))
    return next(calls, None)
