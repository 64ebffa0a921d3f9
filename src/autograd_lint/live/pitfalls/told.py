"""What was seen, each pitfall of a place once, and what every family asks."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from autograd_lint.engine.events import Created, Modified, Needed, Noted
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live.reading import attributes
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site, Sites
from autograd_lint.places import Place

_CALLED = "called here"


@dataclass(slots=True)
class Told:
    """Gathers the pitfalls of a run."""

    record: Record
    sites: Sites
    faults: list[Fault] = field(default_factory=list)
    _known: set[tuple[Pitfall, Site | Place]] = field(default_factory=set)

    def tell(
        self,
        pitfall: Pitfall,
        at: Site | Place | None,
        *,
        tensor: str | None = None,
        operator: str = "",
        detail: str = "",
        built: Created | None = None,
        modified: Modified | None = None,
        needed: Needed | None = None,
        noted: Iterable[Noted] = (),
    ) -> None:
        """A pitfall at a place; told once, and not where no place is known."""
        if at is None or (pitfall, at) in self._known:
            return  # before its place is read, which takes long
        place = at.place if isinstance(at, Site) else at
        is_known = (pitfall, place) in self._known
        self._known.update(((pitfall, at), (pitfall, place)))
        if is_known:
            return
        self.faults.append(
            Fault(
                pitfall,
                place,
                tensor,
                operator,
                detail,
                built=built,
                modified=modified,
                needed=needed,
                noted=tuple(noted),
            )
        )

    def callers(self, most: int = 2) -> tuple[Noted, ...]:
        """The calls by which the program came to the function that runs now, the innermost ones."""
        frame: FrameType | None = sys._getframe(1)
        own: list[FrameType] = []
        while frame is not None and len(own) <= most:
            if self.sites.is_users(frame.f_code):
                own.append(frame)
            frame = frame.f_back
        sites = (self.sites.of_halt(one, one.f_lasti) for one in own[1:])
        return tuple(Noted(site.place, _CALLED) for site in sites if site is not None)

    def files(self) -> set[str]:
        """The files of the program: those that it has imported, and those in which sites are
        known."""
        files = [attributes(module).get("__file__") for module in list(sys.modules.values())]
        imported = {one for one in files if type(one) is str and self.sites.is_user_file(one)}
        return imported | self.sites.files()

    def here(self) -> Site | None:
        """The innermost place of the program that runs now."""
        return self.sites.of_frame(sys._getframe(1))


def stepped(site: Site | None) -> Modified | None:
    """The event of an optimizer's step at a place."""
    return None if site is None else Modified(site.place, "step", None, 0, by_optimizer=True)


def tensors(values: Iterable[Any]) -> list[torch.Tensor]:
    """The tensors among these values."""
    return [one for one in values if issubclass(type(one), torch.Tensor)]


def tensors_of(given: Any) -> list[torch.Tensor]:
    """The tensors that backward is given: one, or some in a sequence."""
    return tensors(given if isinstance(given, (list, tuple)) else (given,))


def sum_of(held: Iterable[torch.Tensor]) -> float:
    """What tells whether the program has changed any of these; those on a GPU are left out, where
    to look means to wait."""
    seen = (one.detach() for one in held if one.device.type == "cpu")
    return sum(one.double().sum().item() for one in seen)


def parameters_of(optimizer: torch.optim.Optimizer) -> list[torch.Tensor]:
    """What an optimizer is to change."""
    return [one for group in optimizer.param_groups for one in tensors(group["params"])]


def closure_of(args: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a step is to call for its gradients; None where it was given nothing of the kind."""
    given = args[1] if len(args) > 1 else named.get("closure")
    return given if callable(given) else None
