"""Integers of a program that are more than their number."""

from __future__ import annotations

from autograd_lint.vm.values import Value


class Counter(int):
    """The counter of a loop whose length is unknown: 0, 1, 2, ... of many."""


class Identity(int):
    """The number of an object, which is nobody else's as long as somebody has it."""

    owner: Value
