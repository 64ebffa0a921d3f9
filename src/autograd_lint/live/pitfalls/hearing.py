"""What is heard of torch's own functions, and which events that makes."""

from __future__ import annotations

import copy
import sys
from functools import partial
from typing import Any

import torch
import torch.utils.checkpoint
from torch.nn.parallel import DistributedDataParallel
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.optim.swa_utils import AveragedModel
from torch.utils.checkpoint import CheckpointFunction
from torch.utils.hooks import RemovableHandle

from autograd_lint.live.pitfalls.families import Families
from autograd_lint.live.pitfalls.family import Family, Step
from autograd_lint.live.pitfalls.heard import Heard
from autograd_lint.live.pitfalls.told import Told, closure_of, parameters_of
from autograd_lint.live.private import without_grad

_SETTLED = 3  # steps after which an optimizer is taken to have all that it will have
_MODULE_HOOKS = (
    "register_forward_hook", "register_full_backward_hook", "register_full_backward_pre_hook",
)  # fmt: skip
_COPYING = copy._reconstruct.__code__  # type: ignore[attr-defined]
_PARTS = torch.nn.Module.train.__code__  # puts the parts of a module into its mode


class Hearing:
    """While open, tells the families what the program calls."""

    __slots__ = ("_families", "_heard", "_hooks", "_told")

    def __init__(self, told: Told, families: Families) -> None:
        self._told = told
        self._families = families
        self._heard = Heard(told.record)
        self._hooks: list[RemovableHandle] = []

    def open(self) -> None:
        """Start to hear."""
        self._hooks = [
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ends),
        ]
        self._hear_optimizers()
        self._hear_modules()
        self._hear_tensors()
        self._hear_functions()
        self._families.modes.open(self._heard.patches)

    def close(self) -> None:
        """Leave torch as it was."""
        self._heard.close()
        while self._hooks:
            self._hooks.pop().remove()

    def _hear_optimizers(self) -> None:
        heard, scaler, scaled = self._heard, torch.amp.GradScaler, self._families.scaled
        heard.after(Optimizer, "__init__", self._built)
        heard.before(Optimizer, "add_param_group", self._giving)
        heard.after(Optimizer, "add_param_group", self._given)
        heard.before(Optimizer, "zero_grad", self._clearing)
        lost = self._families.lost_rates
        heard.after(Optimizer, "state_dict", lost.packed)
        heard.before(Optimizer, "load_state_dict", lambda one, *_, **__: lost.unpacking(one))
        heard.before(torch.optim.lr_scheduler.LRScheduler, "step", self._scheduled)
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            heard.around_iterators(torch.nn.utils, name, self._clipping)
        heard.after(scaler, "scale", lambda made, it, *_, **__: scaled.scaled(it, made))
        heard.before(scaler, "unscale_", scaled.unscaling)
        heard.before(scaler, "update", self._updated)
        heard.before(scaler, "get_scale", self._scale_asked)

    def _hear_modules(self) -> None:
        heard, module = self._heard, torch.nn.Module
        heard.before(module, "zero_grad", self._clearing)
        heard.before(module, "train", self._put)
        heard.after(module, "register_parameter", self._registered)
        heard.after(module, "__setstate__", self._restored)
        for container in (torch.nn.ModuleList, torch.nn.Sequential):
            heard.after(container, "__init__", self._contained)
        heard.after(module, "state_dict", self._saved)
        heard.before(module, "load_state_dict", self._loading)
        for name in _MODULE_HOOKS:
            heard.before(module, name, partial(self._module_hooked, name))
        heard.after(module, "load_state_dict", self._loaded)

    def _hear_tensors(self) -> None:
        heard, tensor, parameter = self._heard, torch.Tensor, torch.nn.Parameter
        heard.before(tensor, "register_hook", self._asked)
        heard.before(tensor, "register_post_accumulate_grad_hook", self._accumulating)
        heard.before(tensor, "retain_grad", self._asked)
        heard.before(tensor, "requires_grad_", self._flagged)
        heard.after(parameter, "__deepcopy__", self._copied)
        heard.after(parameter, "__new__", self._wrapped, static=True)

    def _hear_functions(self) -> None:
        heard, recomputed = self._heard, self._families.recomputed
        replicas = self._families.replicas
        heard.after(
            DistributedDataParallel, "__init__", lambda _, it, *__, **___: replicas.replicated(it)
        )
        heard.before(DistributedDataParallel, "forward", lambda it, *_, **__: replicas.called(it))
        heard.before(CheckpointFunction, "apply", self._checkpointed, static=True)
        heard.before(AveragedModel, "update_parameters", self._averaging)
        heard.before(torch.utils.checkpoint, "checkpoint", recomputed.begins)
        heard.after(torch.utils.checkpoint, "checkpoint", recomputed.ends)

    def _built(
        self, _: Any, optimizer: Optimizer, params: Any = None, *__: Any, **___: Any
    ) -> None:
        self._families.used_up.taken(params, self._told.here())
        self._families.say(Family.built, optimizer, parameters_of(optimizer), self._told.here())

    def _giving(self, optimizer: Optimizer, group: Any) -> None:
        self._families.joined.giving(optimizer, self._told.here())
        self._families.used_up.giving(group)

    def _given(self, _: Any, optimizer: Optimizer, *__: Any, **___: Any) -> None:
        self._families.used_up.given(optimizer, self._told.here())

    def _scheduled(self, scheduler: Any, *_: Any, **__: Any) -> None:
        if self._told.sites.is_users(sys._getframe(2).f_code):
            self._families.schedulers.scheduled(scheduler, self._told.here())

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        with self._told.record.looking("a step of an optimizer"):
            site = self._told.here()
            closure = closure_of(args, kwargs)
            if closure is not None:
                self._families.say(Family.asks, optimizer, closure, site)
            elif len(args) <= 1 and not kwargs:
                step = Step(optimizer, parameters_of(optimizer), site)
                self._families.modes.stepping(step)
                with without_grad():
                    self._families.say(Family.before_step, step)

    def _step_ends(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        with self._told.record.looking("a step of an optimizer"):
            self._families.say(Family.after_step, optimizer)
            if self._families.gradients.steps_of(optimizer) == _SETTLED:
                self._families.say(Family.settled, optimizer)

    def _clearing(self, owner: Any, *_: Any, **__: Any) -> None:
        is_optimizer = isinstance(owner, Optimizer)
        held = parameters_of(owner) if is_optimizer else [*owner.parameters()]
        with without_grad():
            self._families.say(Family.clearing, owner, held, self._told.here())

    def _clipping(self, iterated: Any, given: Any, *args: Any, **kwargs: Any) -> None:
        site = self._told.here()
        self._families.used_up.clipped(iterated, given, site)
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        self._families.say(Family.clipping, given, limit, site)

    def _scale_asked(self, _: Any) -> None:
        if self._told.sites.is_users(sys._getframe(2).f_code):
            self._families.scaled.scale_asked()

    def _updated(self, scaler: Any, *_: Any) -> None:
        self._families.scaled.updated(scaler, self._told.here())

    def _registered(
        self, _: None, module: torch.nn.Module, name: str, parameter: torch.Tensor | None
    ) -> None:
        if parameter is not None:
            self._families.say(Family.registered, module, name, parameter)

    def _contained(self, _: None, container: torch.nn.Module, *__: Any) -> None:
        self._families.say(Family.contained, container, self._told.here())

    def _restored(self, _: None, module: torch.nn.Module, __: Any) -> None:
        made = sys._getframe(2)
        if made.f_code is _COPYING and made.f_locals["memo"] is None:  # as `copy.copy` does
            self._families.say(Family.shared, module, self._told.here())

    def _put(self, module: torch.nn.Module, mode: bool = True) -> None:
        if sys._getframe(2).f_code is not _PARTS:
            self._families.say(Family.put, module, mode)

    def _saved(self, state: Any, module: torch.nn.Module, *given: Any, **named: Any) -> None:
        if not given and named.get("destination") is None:  # else it is that of a part
            self._families.say(Family.saved, module, state, self._told.here())

    def _loading(self, module: torch.nn.Module, *given: Any, **named: Any) -> None:
        state = given[0] if given else named["state_dict"]
        self._families.say(Family.loading, module, state, self._told.here())

    def _loaded(self, left: Any, module: torch.nn.Module, *given: Any, **named: Any) -> None:
        state = given[0] if given else named["state_dict"]
        self._families.say(Family.loaded, module, state, left)

    def _asked(self, tensor: torch.Tensor, hook: Any = None, *_: Any, **__: Any) -> None:
        site = self._told.here()
        self._families.say(Family.asked, tensor, site)
        if hook is not None:
            self._families.say(Family.hooked, tensor, hook, site)

    def _module_hooked(
        self, name: str, module: torch.nn.Module, hook: Any, *_: Any, **__: Any
    ) -> None:
        self._families.hooks.put_on(module, name, hook, self._told.here())

    def _accumulating(self, tensor: torch.Tensor, hook: Any) -> None:
        self._families.scaled.hooked(tensor, hook, None)

    def _flagged(self, tensor: torch.Tensor, value: bool = True) -> None:
        site = self._told.here()
        if value:
            self._families.say(Family.flagged, tensor, site)
        elif tensor.is_leaf and tensor.requires_grad:
            self._families.say(Family.froze, tensor, site)

    def _copied(self, copy: torch.Tensor, original: torch.Tensor, *_: Any) -> None:
        self._families.say(Family.copied, copy, original, self._told.here())

    def _wrapped(self, parameter: Any, _: Any, data: Any = None, *__: Any, **___: Any) -> None:
        site = self._told.here()
        if isinstance(data, torch.Tensor) and site is not None:
            self._families.say(Family.wrapped, parameter, data, site)
            if self._told.sites.is_users(sys._getframe(2).f_code):
                self._families.say(Family.made, parameter, site)

    def _averaging(self, _: Any, module: torch.nn.Module) -> None:
        self._families.still_averages.updated(module, self._told.here())

    def _checkpointed(self, run: Any, _: Any, *given: Any) -> None:
        self._families.functions.checkpointed(run, given, self._told.here())
