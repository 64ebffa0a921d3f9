"""Attributes that are replaced for a while."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any


def replace(undo: ExitStack, owner: Any, name: str, value: Any) -> None:
    """Put `value` under the name; closing `undo` puts back what `owner` had, or inherited."""
    inherited, original = name not in vars(owner), getattr(owner, name)
    setattr(owner, name, value)
    if inherited:
        undo.callback(delattr, owner, name)
    else:
        undo.callback(setattr, owner, name, original)
