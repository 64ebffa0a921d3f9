"""What an outside package has under a name that the program computes.

optimizer = getattr(torch.optim, args.optimizer)(model.parameters(), lr=args.lr)
network = models.__dict__[args.arch]()
"""

from __future__ import annotations

import ast

from autograd_lint.vm.machine import Interpreter
from autograd_lint.vm.string_facts import HOLE, outline
from autograd_lint.vm.values import DEFAULT, External, Unknown, Value

_NAMES = ".__dict__"


def members_of(value: Value) -> External | None:
    """The package whose names something is a dictionary of; None of anything else."""
    if not isinstance(value, External) or not value.path.endswith(_NAMES):
        return None
    return External(value.path.removesuffix(_NAMES))


def member_of(interp: Interpreter, package: External, name: Value, node: ast.AST) -> Value:
    """What a package has under a name: where that is not known, by default, or one of those that
    are alike to autograd. Whatever else a package is asked for, it is no data."""
    if isinstance(name, Unknown):
        name = _one_of_many(interp, package, name)
    if isinstance(name, str):
        return interp.models.attributes.external(interp, f"{package.path}.{name}")
    return Unknown(interp.text(node), weight=1)


def _one_of_many(interp: Interpreter, package: External, name: Unknown) -> Value:
    if DEFAULT in name.attributes:
        return name.attributes[DEFAULT]
    return interp.models.attributes.one_of_many(interp, package.path, outline(name).split(HOLE))
