"""Grad mode that is left other than it was found, or does not get to where it is meant to."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from threading import Thread, get_ident
from types import CodeType, FrameType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import torch
from torch.utils._contextlib import _DecoratorContextManager

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.naming import call_at, statement_at
from autograd_lint.live.own_frames import passes_on
from autograd_lint.live.patching import Patches
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.told import Told, stepped
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.private import sequence_number
from autograd_lint.live.sites import Site
from autograd_lint.live.source import line, tree_of


@dataclass(slots=True)
class _Set:
    """Who has switched grad mode off: a function or a generator, and where."""

    frame: FrameType | None
    site: Site
    thread: int


class _Within(NamedTuple):
    """A context manager that is entered: its identity, where, and the function that it decorates,
    if that is the program's."""

    mode: int
    site: Site | None
    decorated: CodeType | None


class Modes(Family):
    """Is told where grad mode is switched off, and looks at it where a program trains."""

    __slots__ = ("_bare", "_entered", "_off", "_started", "_switched", "_told", "_within")

    def __init__(self, told: Told) -> None:
        self._told = told
        self._off: _Set | None = None
        self._entered: dict[int, _Set] = {}  # by the context manager
        self._switched: Site | None = None  # by `set_grad_enabled(False)`, the latest
        self._within: dict[int, list[_Within]] = {}  # the context managers of each thread
        self._bare: dict[Site, bool] = {}
        self._started: WeakKeyDictionary[Thread, tuple[int, Site | None]] = WeakKeyDictionary()

    def open(self, patches: Patches) -> None:
        """Start to look."""
        record = self._told.record
        setting: Any = torch.set_grad_enabled.__init__
        starting: Any = Thread.start
        decorating: Any = _DecoratorContextManager.__call__

        @passes_on
        @wraps(setting)
        def __init__(mode: Any, value: Any) -> None:
            setting(mode, value)
            if value:
                self._off = self._switched = None
            elif self._told.sites.is_users((frame := sys._getframe(1)).f_code):
                with record.looking("a switch of grad mode"):
                    self._switched_off(frame)

        @passes_on
        @wraps(starting)
        def start(thread: Any) -> None:
            with record.looking("a thread"):
                self._note_start(thread)
            starting(thread)

        @passes_on
        @wraps(decorating)
        def __call__(mode: Any, function: Any) -> Any:
            with record.looking("a decorator"):
                if inspect.iscoroutinefunction(function) and isinstance(mode, torch.no_grad):
                    code = function.__code__
                    function = self._awaited(function, line(code.co_filename, code.co_firstlineno))
            return decorating(mode, function)

        patches.replace(torch.set_grad_enabled, "__init__", __init__)
        patches.replace(Thread, "start", start)
        patches.replace(_DecoratorContextManager, "__call__", __call__)
        self._watch_no_grad(patches)

    def stepping(self, step: Step) -> None:
        """An optimizer is about to step, in the mode in which the program trains."""
        if torch.is_grad_enabled():
            return
        for one in (self._off, *self._entered.values()):
            if one is not None and one.thread == get_ident() and not _is_running(one.frame):
                self._told.tell(
                    Pitfall.MODE_LEAKS, one.site, operator="no_grad", modified=stepped(step.site)
                )

    def before_backward(self, walk: Walk) -> None:
        """A call of the engine begins."""
        if walk.creates and not torch.is_grad_enabled():
            self._told.tell(Pitfall.GRAPH_UNDER_NO_GRAD, walk.site)

    def at_end(self) -> None:
        """The program has run to its end."""
        off = self._off
        if off is not None and not torch.is_grad_enabled() and _is_restored_elsewhere(off.site):
            self._told.tell(Pitfall.MODE_LEAKS, off.site, operator="set_grad_enabled")

    def _switched_off(self, frame: FrameType) -> None:
        site = self._switched = self._told.sites.of_halt(frame, frame.f_lasti)
        if site is not None and site.code.co_name != "<module>":
            self._off = _Set(frame if _is_in_function(frame) else None, site, get_ident())

    def _watch_no_grad(self, patches: Patches) -> None:
        record = self._told.record
        entering: Any = torch.no_grad.__enter__
        leaving: Any = torch.no_grad.__exit__

        making: Any = torch.no_grad.__init__

        @passes_on
        @wraps(making)
        def __init__(mode: Any) -> None:
            making(mode)
            frame = sys._getframe(1)
            if self._told.sites.is_users(frame.f_code):
                with record.looking("a switch of grad mode"):
                    self._made(frame)

        @passes_on
        @wraps(entering)
        def __enter__(mode: Any) -> None:
            entering(mode)
            frame, own = sys._getframe(1), None
            if self._told.sites.is_users(frame.f_code):
                with record.looking("where grad mode was switched off"):
                    own = self._told.sites.of_halt(frame, frame.f_lasti)
            within = _Within(id(mode), own, self._decorated(frame))
            self._within.setdefault(get_ident(), []).append(within)
            if frame.f_code.co_flags & inspect.CO_GENERATOR and own is not None:
                self._entered[id(mode)] = _Set(frame, own, get_ident())

        @passes_on
        @wraps(leaving)
        def __exit__(mode: Any, *details: Any) -> None:
            leaving(mode, *details)
            self._entered.pop(id(mode), None)
            self._left(id(mode), self._within.get(get_ident(), []))

        patches.replace(torch.no_grad, "__init__", __init__)
        patches.replace(torch.no_grad, "__enter__", __enter__)
        patches.replace(torch.no_grad, "__exit__", __exit__)

    def _left(self, mode: int, entered: list[_Within]) -> None:
        """A context manager was left: nearly always the one that was entered last."""
        if entered and entered[-1].mode == mode:
            entered.pop()
        else:
            entered[:] = [one for one in entered if one.mode != mode]

    def _decorated(self, frame: FrameType) -> CodeType | None:
        """The program's function that a frame of torch runs below a decorator."""
        if frame.f_code.co_name != "decorate_context":
            return None
        code = getattr(frame.f_locals.get("func"), "__code__", None)
        return code if isinstance(code, CodeType) and self._told.sites.is_users(code) else None

    def off(self) -> Site | CodeType | None:
        """What has switched grad mode off in this thread, as far as that is known: the innermost
        context manager, else the latest `set_grad_enabled(False)`."""
        entered = reversed(self._within.get(get_ident(), []))
        within = (one.site or one.decorated for one in entered)
        return next((one for one in within if one is not None), self._switched)

    def _made(self, frame: FrameType) -> None:
        """The program makes a `no_grad` object."""
        site = self._told.sites.of_halt(frame, frame.f_lasti)
        if site is not None and self._is_bare(site):
            self._told.tell(Pitfall.MODE_WITHOUT_EFFECT, site, operator="no_grad")

    def _is_bare(self, site: Site) -> bool:
        """Whether a place is a statement that only makes an object."""
        known = self._bare.get(site)
        if known is None:
            known = self._bare[site] = _is_bare(site)
        return known

    def _note_start(self, thread: Thread) -> None:
        entered = self._within.get(get_ident(), [])
        if entered and not torch.is_grad_enabled():
            latest = entered[-1]
            self._started[thread] = latest.mode, latest.site or self._told.here()

    @contextmanager
    def around(self, thread: Thread) -> Iterator[None]:
        """What a thread does."""
        before = sequence_number()
        try:
            yield
        finally:
            mode, site = self._started.pop(thread, (0, None))
            known = [one.mode for entered in self._within.values() for one in entered]
            if mode in known:
                self._look(before, site)

    def _awaited(
        self, function: Callable[..., Coroutine[Any, Any, Any]], place: Any
    ) -> Callable[..., Coroutine[Any, Any, Any]]:
        @wraps(function)
        async def awaited(*args: Any, **kwargs: Any) -> Any:
            before = sequence_number()
            try:
                return await function(*args, **kwargs)
            finally:
                self._look(before, place)

        return awaited

    def _look(self, before: int, at: Any) -> None:
        """What was to run without grad mode has run: did it make nodes?"""
        if sequence_number() != before:
            self._told.tell(Pitfall.MODE_NOT_INHERITED, at, operator="no_grad")


def _is_running(wanted: FrameType | None) -> bool:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame is wanted:
            return True
        frame = frame.f_back
    return False


def _is_in_function(frame: FrameType) -> bool:
    return frame.f_code.co_name != "<module>"


def _is_restored_elsewhere(site: Site) -> bool:
    """Whether the function at a place switches grad mode on as well, further down."""
    tree = tree_of(site.filename)
    row = site.place.row
    for node in ast.walk(tree) if tree else ():
        if (
            isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
            and node.name == site.code.co_name
        ):
            calls = [
                one for one in ast.walk(node) if isinstance(one, ast.Call) and one.lineno > row
            ]
            return any(ast.unparse(one).endswith("set_grad_enabled(True)") for one in calls)
    return False


def _is_bare(site: Site) -> bool:
    statement, call = statement_at(site.place), call_at(site.place)
    # On the row of a `with` its body may stand as well.
    return isinstance(statement, ast.Expr) and call is not None and statement.value is call
