"""Integers of a program that are more than their number."""

from __future__ import annotations

from typing import TypeGuard

from autograd_lint.vm.values import Value, constant


class Counter(int):
    """The counter of a loop whose length is unknown: 0, 1, 2, ... of many."""


class Offset(Counter):
    """The counter of a loop that begins at an unknown number: how far it has come since."""


class Identity(int):
    """The number of an object, which is nobody else's as long as somebody has it."""

    owner: Value


def known_constant(value: Value) -> TypeGuard[bool | int | float | complex | str | bytes | None]:
    """Whether the value is a constant, and not a counter, which stands for many numbers."""
    return constant(value) and not isinstance(value, Counter)
