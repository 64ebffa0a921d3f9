"""Hooks that are registered once more each time, and hooks that compute what they do not return."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import CellType, FunctionType, MethodType
from typing import Any
from weakref import WeakKeyDictionary, ref

import torch

from autograd_lint.engine.pitfalls import NOT_RETURNED, Pitfall
from autograd_lint.facts.lost_values import value_lost_in
from autograd_lint.live.definitions import written
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.names import SIMPLE, name_of
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.variables import Variable, variables_of
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.sites import Site
from autograd_lint.live.source import place_in

_MOST = 256  # registrations that are remembered
_FORWARD = "register_forward_hook"


class Hooks(Family):
    """Looks at each hook that is put on a tensor; keeps none alive."""

    __slots__ = ("_bound", "_looked", "_on_modules", "_registered", "_told")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._looked: set[int] = set()  # the code of hooks, by identity, which their place keeps
        self._registered: dict[tuple[Site, int], ref[torch.Tensor]] = {}
        self._bound: dict[Site, list[Variable]] = {}  # since the latest backward
        self._on_modules: WeakKeyDictionary[torch.nn.Module, set[Site]] = WeakKeyDictionary()

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins: hooks have run when it ends."""
        self._bound.clear()

    def hooked(self, tensor: torch.Tensor, hook: Any, site: Site | None) -> None:
        """A hook is about to be put on a tensor."""
        self._look_at_result(hook)
        if site is not None:
            self._look_at_variables(hook, site)
        if site is None or not isinstance(tensor, torch.nn.Parameter):
            return
        key = site, id(tensor)
        known, there = self._registered.get(key), tensor._backward_hooks or {}
        if (
            known is not None
            and known() is tensor
            and any(is_same(one, hook) for one in there.values())
        ):
            name = name_of(tensor, self._told.sites)
            self._told.tell(Pitfall.HOOK_REPEATED, site, tensor=name, operator="register_hook")
        elif len(self._registered) < _MOST:
            self._registered[key] = ref(tensor)

    def put_on(self, module: torch.nn.Module, name: str, hook: Any, site: Site | None) -> None:
        """A hook is about to be put on a module, by the method of this name."""
        is_of_gradients = name != _FORWARD
        if is_of_gradients:
            self._look_at_result(hook, name)
        there = module._backward_hooks if is_of_gradients else module._forward_hooks
        before = self._on_modules.setdefault(module, set())
        if site in before and any(is_same(one, hook) for one in there.values()):
            self._told.tell(Pitfall.HOOK_REPEATED, site, operator=name)
        elif site is not None and len(before) < _MOST:
            before.add(site)

    def _look_at_variables(self, hook: Any, site: Site) -> None:
        """Does a hook read a variable that meant something else when the last one was put on a
        tensor here, and has not run yet?"""
        before, self._bound[site] = self._bound.get(site, []), [*variables_of(hook)]
        for known in before:
            if known.has_changed and any(one.is_same(known) for one in self._bound[site]):
                self._told.tell(Pitfall.HOOK_LATE_BOUND, site, tensor=known.name)

    def _look_at_result(self, hook: Any, name: str = "register_hook") -> None:
        """Does a hook end with a new value of what it was given, which is lost?"""
        code = getattr(hook, "__code__", None)
        if code is None or id(code) in self._looked or not self._told.sites.is_users(code):
            return
        self._looked.add(id(code))
        filename, node = written(hook)
        lost = value_lost_in(node) if node is not None else None
        if lost is None:
            return
        target = lost.targets[0]
        self._told.tell(
            Pitfall.RESULT_DROPPED,
            place_in(filename, lost),
            tensor=target.id if isinstance(target, ast.Name) else None,
            operator=name,
            detail=NOT_RETURNED,
        )


def is_same(one: Any, other: Any) -> bool:
    """Whether two hooks do the same: one function, of one object, that closes over the same."""
    if isinstance(one, MethodType) and isinstance(other, MethodType):
        return one.__self__ is other.__self__ and one.__func__ is other.__func__
    if isinstance(one, FunctionType) and isinstance(other, FunctionType):
        alike = one.__code__ is other.__code__ and one.__defaults__ is None
        cells = zip(one.__closure__ or (), other.__closure__ or (), strict=True)
        return alike and other.__defaults__ is None and _hold_the_same(cells)
    return one is other


def _hold_the_same(cells: Iterable[tuple[CellType, CellType]]) -> bool:
    return all(mine is others or _is_value(mine, others) for mine, others in cells)


def _is_value(mine: CellType, others: CellType) -> bool:
    """Whether two variables hold one object, or equal numbers or texts."""
    try:
        one, other = mine.cell_contents, others.cell_contents
    except ValueError:  # of a variable that is not bound yet
        return False
    return one is other or (type(one) is type(other) and type(one) in SIMPLE and one == other)
