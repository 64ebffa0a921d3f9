"""Functions of what reaches the end of its range, where their derivative is infinite.

entropy = -(p * p.log()).sum()       # p = logits.softmax(-1): zero where a logit is masked
loss = torch.log(1 - score)          # score = torch.sigmoid(logit): one where the logit is above 17

A root is not among these functions: who takes that of a sigmoid bounds what the sigmoid is given.
Neither is the logarithm of a sigmoid, which is zero below -88 alone.
"""

from __future__ import annotations

from autograd_lint.checkers.images import image
from autograd_lint.checkers.intervals import RANGES, SINGULAR, Interval
from autograd_lint.checkers.number_record import NumberRecord
from autograd_lint.engine.operation import Operation
from autograd_lint.engine.tensor import Tensor

LOGARITHMS = frozenset({"log", "log2", "log10", "log1p", "logit"})
INVERSES = frozenset({"acos", "arccos", "asin", "arcsin", "atanh", "arctanh"})
WATCHED = LOGARITHMS | INVERSES
NEAR = dict.fromkeys(("sigmoid", "Sigmoid"), (Interval(0.0, 1.0, low_open=True),))


def reaching(operation: Operation, numbers: NumberRecord) -> str | None:
    """The function whose range ends where `operation` has an infinite derivative, if its argument
    is a result of such a one."""
    argument = operation.arguments.get("0")
    if operation.operator not in WATCHED or not isinstance(argument, Tensor):
        return None
    root, steps = numbers.chain(argument)
    name = root.node.operator if root.node is not None else ""
    if name not in RANGES:
        return None
    reached = image(steps, NEAR.get(name) or numbers.possible(root))
    domain = SINGULAR[operation.operator]
    return name if any(one.meets(other) for one in domain for other in reached) else None
