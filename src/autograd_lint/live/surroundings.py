"""What is at hand where an exception passed: tensors, modules, custom Functions, callables."""

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import BuiltinMethodType, FrameType, FunctionType, MethodType
from typing import Any

import torch
from torch.utils.data import Dataset

from autograd_lint.live.naming import name_at
from autograd_lint.live.reading import attribute, attributes, is_a
from autograd_lint.live.sites import Site, Sites
from autograd_lint.live.source import tree_of
from autograd_lint.places import Place

_TORCH = str(Path(torch.__file__).parent)
_OWN = str(Path(__file__).resolve().parent)
_METHODS = (MethodType, BuiltinMethodType)
_INDEXED = (list, tuple, dict, torch.nn.Sequential, torch.nn.ModuleList)
_RUNNER = str(Path(__file__).with_name("program.py").resolve())  # the program's frames end here
Function = type[torch.autograd.Function]


@dataclass(frozen=True, slots=True)
class Halt:
    """A frame, and the instruction that it had come to."""

    frame: FrameType
    instruction: int


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Frames, the innermost first: those that an exception passed, then those still running."""

    halts: tuple[Halt, ...]
    sites: Sites

    def user_sites(self) -> list[Site]:
        """The places of the program, the innermost first."""
        return [site for _, site in self._users()]

    def values(self) -> Iterator[tuple[str, Any]]:
        """Names and what they stand for: of the innermost line first, then what torch holds, which
        the program has no name for."""
        users = self._users()
        for frame, site in users[:1]:
            yield from _on_line(frame, site.place, name_at(site))
        for frame in self._frames_of_torch():
            yield from (("", value) for value in frame.f_locals.values())
        for frame, site in users[1:]:
            yield from _on_line(frame, site.place, name_at(site))

    def tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """The tensors among these values, and in the modules and containers among them."""
        for name, value in self.values():
            yield from tensors_of(name, value)

    def held_by_torch(self, name: str) -> Iterator[torch.Tensor]:
        """The tensors that a variable of torch's own functions stands for."""
        for frame in self._frames_of_torch():
            yield from (one for _, one in tensors_of(name, frame.f_locals.get(name)))

    def named_at(self, place: Place) -> Iterator[tuple[str, Any]]:
        """What the names of another line stand for, in the innermost frame of the program."""
        for frame, site in self._users()[:1]:
            if site.filename == place.filename:
                yield from _on_line(frame, place)

    def modules(self) -> Iterator[torch.nn.Module]:
        """The modules among these values, the innermost first, each followed by its parts."""
        for _, value in self.values():
            if is_a(value, torch.nn.Module):
                yield from value.modules()

    def functions(self) -> Iterator[Function]:
        """The custom Functions among these values: classes, their `apply`, their contexts."""
        for _, value in self.values():
            owner = value.__self__ if type(value) in _METHODS else value
            owner = attribute(type(value), "_forward_cls", owner)
            if is_a(owner, type) and issubclass(owner, torch.autograd.Function):
                yield owner

    def callables(self) -> Iterator[FunctionType]:
        """The program's functions that frames of torch hold: hooks, closures; none that runs."""
        running = {halt.frame.f_code for halt in self.halts}
        for frame in self._frames_of_torch():
            for value in frame.f_locals.values():
                for one in functions_in(value):
                    if self.is_user(one) and one.__code__ not in running:
                        yield one

    def is_user(self, function: FunctionType) -> bool:
        """Whether the program defines a function."""
        return self.sites.is_user_file(function.__code__.co_filename)

    def _users(self) -> list[tuple[FrameType, Site]]:
        found = [
            (halt.frame, self.sites.of_halt(halt.frame, halt.instruction)) for halt in self.halts
        ]
        return [(frame, site) for frame, site in found if site is not None]

    def _frames_of_torch(self) -> list[FrameType]:
        frames = [halt.frame for halt in self.halts]
        return [frame for frame in frames if frame.f_code.co_filename.startswith(_TORCH)]


def of_error(error: BaseException, sites: Sites) -> Surroundings:
    """The surroundings of an exception: where it was raised, and what called that."""
    halts = []
    traceback = error.__traceback__
    while traceback is not None:
        halts.append(Halt(traceback.tb_frame, traceback.tb_lasti))
        traceback = traceback.tb_next
    outer = halts[0].frame.f_back if halts else None
    inner = [halt for halt in reversed(halts) if not _is_own(halt.frame)]
    return Surroundings((*inner, *_above(outer)), sites)


def here(sites: Sites, depth: int = 1) -> Surroundings:
    """The surroundings of the calling function, `depth` frames up."""
    return Surroundings(tuple(_above(sys._getframe(depth + 1))), sites)


def _above(frame: FrameType | None) -> Iterator[Halt]:
    while frame is not None and frame.f_code.co_filename != _RUNNER:
        if not _is_own(frame):
            yield Halt(frame, frame.f_lasti)
        frame = frame.f_back


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OWN)


def _on_line(frame: FrameType, place: Place, first: str | None = None) -> Iterator[tuple[str, Any]]:
    for node in read_at(place, first):
        try:
            yield ast.unparse(node), resolve(node, frame)
        except (AttributeError, LookupError, RuntimeError, TypeError):
            continue


def read_at(place: Place, first: str | None = None) -> list[ast.expr]:
    """The names and attributes on the line of a place, that called `first` before the others."""
    tree = tree_of(place.filename)
    nodes: list[ast.expr] = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and node.lineno == place.row
    ]
    return sorted(nodes, key=lambda node: ast.unparse(node) != first)


def resolve(node: ast.expr, frame: FrameType) -> Any:
    """What an expression stands for, as far as it can be read without running the program."""
    if isinstance(node, ast.Name):
        return frame.f_locals[node.id] if node.id in frame.f_locals else frame.f_globals[node.id]
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Subscript):
        return _item(resolve(node.value, frame), resolve(node.slice, frame))
    if not isinstance(node, ast.Attribute):
        raise LookupError(type(node).__name__)
    value = resolve(node.value, frame)
    if node.attr == "grad" and is_a(value, torch.Tensor) and not value.is_leaf:
        raise LookupError("reading it would warn")
    return attribute(value, node.attr)


def _item(value: Any, index: Any) -> Any:
    if type(value) in _INDEXED:
        return value[index]
    raise LookupError(type(value).__name__)


def tensors_of(name: str, value: Any) -> Iterator[tuple[str, torch.Tensor]]:
    """A tensor, or those that a module, a data set, a container or an object of torch holds."""
    if is_a(value, torch.Tensor):
        yield name, value
    elif is_a(value, Dataset):
        for own, held in attributes(value).items():
            if not is_a(held, Dataset):
                yield from tensors_of(name and f"{name}.{own}", held)
    elif is_a(value, torch.nn.Module):
        held = chain(value.named_parameters(), value.named_buffers())
        yield from ((name and f"{name}.{own}", one) for own, one in held)
    elif type(value) in (list, tuple):
        yield from ((name, one) for one in value if is_a(one, torch.Tensor))
    elif type(value).__module__.startswith("torch."):
        for own, held in attributes(value).items():
            if is_a(held, torch.Tensor):
                yield name, held
            elif is_a(held, Dataset):
                yield from tensors_of(own, held)


def functions_in(value: Any) -> Iterator[FunctionType]:
    """A function, or those in a container; wrappers count as what they wrap."""
    if is_a(value, dict):
        value = list(dict.values(value))
    for one in value if type(value) in (list, tuple) else (value,):
        plain = one.__func__ if type(one) is MethodType else one
        unwrapped = inspect.unwrap(plain) if is_a(plain, FunctionType) else plain
        if is_a(unwrapped, FunctionType):
            yield unwrapped


def captured(function: FunctionType) -> Iterator[Any]:
    """What a function keeps of the scopes around it."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not bound yet
            continue
