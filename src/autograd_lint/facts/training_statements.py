"""The statements by which programs train, read off the text: clearing, backward, steps."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from autograd_lint.project.code import spelt
from autograd_lint.project.query import query
from autograd_lint.project.source import Source

# Who runs backward for a loss that is given: `accelerator.backward(loss)`.
_RUNS_BACKWARD = re.compile(r"accelerator|fabric|engine|amp|manager", re.IGNORECASE)
_OPTIMIZER = re.compile(r"opt|adam|sgd", re.IGNORECASE)
_SCHEDULER = re.compile(r"sched|warm|decay|LR\b", re.IGNORECASE)
_SCALER = re.compile(r"scaler", re.IGNORECASE)
_BLOCKS = ("body", "orelse", "finalbody")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Does(Enum):
    """What a statement does to gradients and parameters."""

    CLEARS = "clears"
    WALKS = "walks"
    STEPS = "steps"
    SCHEDULES = "schedules"


@dataclass(frozen=True)
class Training:
    """A statement of training that is one call: what it does, and to what, as it is spelt: a loss
    for a backward, else an optimizer, a module or a scheduler."""

    does: Does
    about: str
    call: ast.Call


Block = Sequence[ast.stmt]


@query
def trained_blocks(source: Source) -> list[tuple[Block, list[tuple[int, Training]]]]:
    """The lists of statements in a file that stand one below the other and have statements of
    training among them, with these and their positions; those in functions and loops too."""
    found = ((block, _training_in(block)) for block in _blocks(source))
    return [(block, training) for block, training in found if training]


def _blocks(source: Source) -> Iterator[Block]:
    yield source.tree.body
    for kind in (*_SCOPES, ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.Try):
        for node in source.each(kind):
            yield from (block for name in _BLOCKS if (block := getattr(node, name, None)))


def _training_in(block: Block) -> list[tuple[int, Training]]:
    """The statements of training that stand in a block itself, with their positions."""
    told = ((position, training_of(statement)) for position, statement in enumerate(block))
    return [(position, one) for position, one in told if one is not None]


def all_training(statements: Block) -> Iterator[Training]:
    """The statements of training in a block and the blocks in it, in the order of the text; those
    of functions and classes that are defined there left out."""
    for statement in statements:
        if isinstance(statement, _SCOPES):
            continue
        one = training_of(statement)
        if one is not None:
            yield one
        for name in _BLOCKS:
            yield from all_training(getattr(statement, name, []))
        for handler in getattr(statement, "handlers", []):
            yield from all_training(handler.body)


def training_of(statement: ast.stmt) -> Training | None:
    """What a statement does for training; None of what is no such call."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return None
    owner, name = call.func.value, call.func.attr
    if name == "zero_grad":
        return Training(Does.CLEARS, spelt(owner), call)
    if name == "backward":
        return Training(Does.WALKS, spelt(_loss(call, owner)), call)
    return _step(call, owner) if name == "step" else None


def _loss(call: ast.Call, owner: ast.expr) -> ast.expr:
    """What a backward begins at: what is scaled, or handed to who runs it, or its object."""
    if call.args and _RUNS_BACKWARD.search(spelt(owner)):
        return call.args[0]
    scales = isinstance(owner, ast.Call) and bool(owner.args)
    if scales and isinstance(owner, ast.Call) and _SCALER.search(spelt(owner.func)):
        return owner.args[0]
    return owner


def _step(call: ast.Call, owner: ast.expr) -> Training | None:
    """The step of an optimizer or a scheduler; None where a closure is given, or it is neither."""
    told = spelt(owner)
    if _SCALER.search(told) and len(call.args) == 1:
        return Training(Does.STEPS, spelt(call.args[0]), call)
    if is_scheduler(told):
        return Training(Does.SCHEDULES, told, call)
    plain = not call.args and not call.keywords
    return Training(Does.STEPS, told, call) if plain and is_optimizer(told) else None


def is_scheduler(told: str) -> bool:
    """Whether what is spelt so is a scheduler, or makes one, by its name."""
    return _SCHEDULER.search(told) is not None


def is_optimizer(told: str) -> bool:
    """Whether what is spelt so is an optimizer, by its name."""
    return _OPTIMIZER.search(told) is not None
