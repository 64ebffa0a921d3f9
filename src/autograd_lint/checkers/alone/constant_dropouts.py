"""Dropout that a module applies in evaluation mode too: it is not told in which mode it runs.

def forward(self, x):
    x = F.dropout(x, self.p)              # training=True by default
    x = nn.Dropout(self.p)(x)             # a layer made here is in training mode
    return F.scaled_dot_product_attention(q, k, v, dropout_p=self.p)

Sources: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html and
https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.scaled_dot_product_attention.html
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.facts.body import Called, Function, body, method_of, methods_of
from autograd_lint.facts.class_kinds import is_module
from autograd_lint.facts.forward_methods import forward_methods
from autograd_lint.facts.imported_paths import path_in
from autograd_lint.facts.signatures import defaults_of
from autograd_lint.facts.told_modes import is_left_in_training
from autograd_lint.project.code import code_of
from autograd_lint.project.nodes import walk
from autograd_lint.project.source import Source

_FUNCTIONS = {f"torch.nn.functional.dropout{n}": "training" for n in ("", "1d", "2d", "3d")}
_ATTENTION = "torch.nn.functional.scaled_dot_product_attention"
_LAYERS = {f"torch.nn.{n}Dropout" for n in ("", "Alpha", "FeatureAlpha")} | {
    f"torch.nn.Dropout{n}d" for n in (1, 2, 3)
}
_RATE = {_ATTENTION: (4, "dropout_p")}  # of the others it is the second argument, `p`
_TRAINING = 2  # the position of `training` among the arguments of `dropout`
_TRAINING_METHODS = re.compile(r"loss|train|learn|fit")
# Predictions that are drawn several times with dropout, to tell how sure they are.
_MEANT = re.compile(r"mc_|_mc|monte|bayes|uncertain|MC[A-Z]|MCD|stochastic", re.IGNORECASE)


def judge(source: Source) -> Iterator[Fault]:
    """Only what a module does when it is called: there the mode is known, and not asked for."""
    for cls in source.each(ast.ClassDef):
        if not is_module(cls) or _MEANT.search(cls.name) or is_left_in_training(source, cls):
            continue
        if _is_only_trained(cls):
            continue
        methods = list(forward_methods(source, cls))
        found = [fault for method in methods for fault in _judge_method(source, cls, method)]
        if found and not any(map(_asks_for_mode, methods)):
            yield from found


def _is_only_trained(cls: ast.ClassDef) -> bool:
    """Whether a class calls its own `forward`, and only where it computes a loss: what it predicts
    comes another way."""
    calling = [one for one in methods_of(cls) if any(map(_is_own_call, body(one).calls))]
    return bool(calling) and all(_TRAINING_METHODS.search(one.name) for one in calling)


def _is_own_call(call: Called) -> bool:
    return code_of(call.node.func) in ("self", "self.forward")


def _judge_method(source: Source, cls: ast.ClassDef, method: Function) -> Iterator[Fault]:
    calls = ((one.node, path_in(source, one.node.func)) for one in body(method).calls)
    dropping = [(call, path) for call, path in calls if _drops(path, call)]
    wanted = set(_asked_for_by_callers(method)) if dropping else set()
    for call, path in dropping:
        if id(call) not in wanted and not _is_off(cls, _rate(path, call)):
            yield Fault(Pitfall.CONSTANT_DROPOUT, source.place(call), operator=_spoken(path))


def _asked_for_by_callers(method: Function) -> Iterator[int]:
    """The nodes of branches that an argument switches on which callers may leave out, or always
    give, by identity: who asks for `perturb=True` knows in which mode."""
    defaults = defaults_of(method)
    given = {one.arg for one in (*method.args.args, *method.args.kwonlyargs)} - defaults.keys()
    switches = given | {name for name, value in defaults.items() if _is_no(value)}
    for branch in walk(method):
        if isinstance(branch, ast.If) and _needs(branch.test, switches):
            yield from (id(node) for one in branch.body for node in walk(one))
        elif isinstance(branch, ast.IfExp) and _needs(branch.test, switches):
            yield from map(id, walk(branch.body))


def _needs(test: ast.expr, switches: set[str]) -> bool:
    """Whether a condition only holds where one of these arguments does."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_needs(one, switches) for one in test.values)
    return isinstance(test, ast.Name) and test.id in switches


def _is_no(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def _spoken(path: str) -> str:
    return path.rpartition(".")[2]


def _drops(path: str, call: ast.Call) -> bool:
    """Whether a call drops in every mode."""
    if any(one.arg is None for one in call.keywords) or _starred(call):
        return False
    if path in _FUNCTIONS:
        return len(call.args) <= _TRAINING and not _keyword(call, "training")
    return path in _LAYERS or (path == _ATTENTION and _rate(path, call) is not None)


def _starred(call: ast.Call) -> bool:
    return any(isinstance(one, ast.Starred) for one in call.args)


def _keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((one.value for one in call.keywords if one.arg == name), None)


def _rate(path: str, call: ast.Call) -> ast.expr | None:
    """The code of the probability to drop; None where it is the default."""
    position, name = _RATE.get(path, (0 if path in _LAYERS else 1, "p"))
    return call.args[position] if position < len(call.args) else _keyword(call, name)


def _asks_for_mode(method: ast.AST) -> bool:
    """Whether a method reads a mode somewhere, or is told one."""
    return any(
        "train" in name or "eval" in name or _MEANT.search(name)
        for node in walk(method)
        for name in _names(node)
    )


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.Name):
        yield node.id


def _is_off(cls: ast.ClassDef, rate: ast.expr | None) -> bool:
    """Whether nothing may be dropped: by a rate of zero, or one that the program sets anew."""
    if isinstance(rate, ast.Constant):
        return not rate.value
    if isinstance(rate, ast.Attribute) and isinstance(rate.value, ast.Name):
        return rate.value.id != "self" or _is_set_off(cls, rate.attr)
    return rate is not None


def _is_set_off(cls: ast.ClassDef, name: str) -> bool:
    """Whether an attribute of the class is zero by default, set elsewhere than at its making, or
    asked for being zero: then it may be just that where something drops."""
    making, path = method_of(cls, "__init__"), f"self.{name}"
    if _is_zero_asked_for(cls, path):
        return True
    bound = [one for one in body(cls).bindings if one.path == path]
    if making is None or len(bound) != 1 or bound[0] not in body(making).bindings:
        return True
    value = bound[0].value
    if isinstance(value, ast.Name):
        value = defaults_of(making).get(value.id, value)
    return isinstance(value, ast.Constant) and not value.value


def _is_zero_asked_for(cls: ast.ClassDef, path: str) -> bool:
    """Whether the class asks whether an attribute is zero."""
    compared = (one for one in walk(cls) if isinstance(one, ast.Compare))
    return any(
        isinstance(one.ops[0], ast.Eq)
        and isinstance(one.comparators[0], ast.Constant)
        and not one.comparators[0].value
        and ast.unparse(one.left) == path
        for one in compared
    )
