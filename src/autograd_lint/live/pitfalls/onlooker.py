"""Told of what the program does, and hands it to each family of pitfalls."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from threading import Thread
from types import CodeType
from typing import Any

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.checkpoint import CheckpointFunction
from torch.utils.hooks import RemovableHandle

from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.calls import Asked, Call
from autograd_lint.live.pitfalls.activations import Activations
from autograd_lint.live.pitfalls.adversaries import Adversaries
from autograd_lint.live.pitfalls.aliases import Aliases
from autograd_lint.live.pitfalls.applied import Applied
from autograd_lint.live.pitfalls.attributes import look_at_flags
from autograd_lint.live.pitfalls.by_hand import ByHand
from autograd_lint.live.pitfalls.closures import Closures
from autograd_lint.live.pitfalls.comparisons import Comparisons
from autograd_lint.live.pitfalls.contexts import Contexts
from autograd_lint.live.pitfalls.cuts import Cuts
from autograd_lint.live.pitfalls.cycles import Cycles
from autograd_lint.live.pitfalls.drift import Drift
from autograd_lint.live.pitfalls.evaluations import Evaluations
from autograd_lint.live.pitfalls.flat import Flat
from autograd_lint.live.pitfalls.foreign import Foreign
from autograd_lint.live.pitfalls.functions import Functions
from autograd_lint.live.pitfalls.gathered import Gathered
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.heard import Heard
from autograd_lint.live.pitfalls.hooks import Hooks
from autograd_lint.live.pitfalls.kept_gradients import KeptGradients
from autograd_lint.live.pitfalls.leaves import Leaf
from autograd_lint.live.pitfalls.left_out import LeftOut
from autograd_lint.live.pitfalls.lost_updates import LostUpdates
from autograd_lint.live.pitfalls.made_anew import MadeAnew
from autograd_lint.live.pitfalls.mispaired import Mispaired
from autograd_lint.live.pitfalls.modes import Modes
from autograd_lint.live.pitfalls.nonfinite import NonFinite
from autograd_lint.live.pitfalls.one_memory import OneMemory
from autograd_lint.live.pitfalls.outdated import Outdated
from autograd_lint.live.pitfalls.own_states import OwnStates
from autograd_lint.live.pitfalls.rates import Rates
from autograd_lint.live.pitfalls.reach import Reach
from autograd_lint.live.pitfalls.retention import Retention
from autograd_lint.live.pitfalls.rivals import Rivals
from autograd_lint.live.pitfalls.scaled import Scaled
from autograd_lint.live.pitfalls.snapshots import Snapshots
from autograd_lint.live.pitfalls.spoilt import Spoilt
from autograd_lint.live.pitfalls.statements import look_at_statements
from autograd_lint.live.pitfalls.states import look_at_states
from autograd_lint.live.pitfalls.targets import Targets
from autograd_lint.live.pitfalls.told import (
    Told,
    closure_of,
    parameters_of,
    tensors,
    tensors_of,
)
from autograd_lint.live.pitfalls.untrained import Untrained
from autograd_lint.live.pitfalls.used_up import UsedUp
from autograd_lint.live.pitfalls.walks import Walk
from autograd_lint.live.pitfalls.windows import Windows
from autograd_lint.live.pitfalls.writes import Observed
from autograd_lint.live.pitfalls.zeros import Zeros
from autograd_lint.live.private import without_grad
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site, Sites

_AGAIN = 2  # gradients of a leaf by then that an optimizer should have
_SETTLED = 3  # steps after which an optimizer is taken to have all that it will have
_PARTS = torch.nn.Module.train.__code__  # puts the parts of a module into its mode
_BACKWARDS = ("backward", "jvp", "vjp")  # of a custom Function


class Onlooker:
    """While open, looks on; `faults` tells of the pitfalls. Keeps no tensor alive."""

    __slots__ = (
        "_activations", "_adversaries", "_aliases", "_applied", "_by_hand", "_closures",
        "_comparisons", "_contexts", "_creating", "_cuts", "_cycles", "_drift",
        "_evaluations", "_flags_seen", "_flat", "_foreign", "_functions", "_gathered",
        "_gradients", "_heard", "_hooked", "_hooks", "_kept_gradients", "_left_out",
        "_lost_updates", "_made_anew", "_mispaired", "_nonfinite", "_observed",
        "_one_memory", "_outdated", "_own_states", "_rates", "_reach", "_record",
        "_retention", "_rivals", "_scaled", "_snapshots", "_spoilt", "_targets", "_told",
        "_untrained", "_used_up", "_windows", "_zeros", "modes",
    )  # fmt: skip

    def __init__(self, record: Record, sites: Sites) -> None:
        self._told = Told(record, sites)
        self._record = record
        self._gradients = Gradients(self._told)
        self._windows = Windows(self._told, self._gradients)
        self._scaled = Scaled(self._told)
        self._spoilt = Spoilt(self._told, self._gradients)
        self._cuts = Cuts(self._told, self._gradients)
        self._cycles = Cycles(self._told, self._gradients)
        self._reach = Reach(self._told, self._gradients, self._cuts)
        self._flat = Flat(self._told, self._gradients)
        self._zeros = Zeros(self._told)
        self._retention = Retention(self._told)
        self._nonfinite = NonFinite(self._told)
        self._observed = Observed(self._told)
        self._foreign = Foreign(self._told, self._gradients)
        self._adversaries = Adversaries(self._told, self._gradients)
        self._activations = Activations(self._told)
        self._applied = Applied(self._told)
        self._functions = Functions(self._told, self._gradients)
        self._closures = Closures(self._told)
        self._comparisons = Comparisons(self._told)
        self._contexts = Contexts(self._told)
        self._snapshots = Snapshots(self._told)
        self._aliases = Aliases(self._told)
        self._by_hand = ByHand(self._told)
        self._gathered = Gathered(self._told)
        self._kept_gradients = KeptGradients(self._told)
        self._lost_updates = LostUpdates(self._told)
        self._made_anew = MadeAnew(self._told)
        self._mispaired = Mispaired(self._told)
        self._one_memory = OneMemory(self._told, self._gradients)
        self._drift = Drift(self._told, self._gradients)
        self._evaluations = Evaluations(self._told, self._gradients)
        self._outdated = Outdated(self._told)
        self._own_states = OwnStates(self._told, self._gradients)
        self._rates = Rates(self._told)
        self._rivals = Rivals(self._told)
        self._left_out = LeftOut(self._told, self._gradients)
        self._targets = Targets(self._told, self._gradients, self._evaluations)
        self._hooked = Hooks(self._told)
        self._untrained = Untrained(self._told, self._gradients)
        self._used_up = UsedUp(self._told)
        self.modes = Modes(self._told)
        self._heard = Heard(record)
        self._hooks: list[RemovableHandle] = []
        self._creating = False  # a graph of gradients
        self._flags_seen = False

    @property
    def faults(self) -> list[Fault]:
        """What was told so far."""
        return self._told.faults

    def open(self) -> None:
        """Start to look on."""
        self._record.watcher = self
        self._hooks = [
            register_optimizer_step_pre_hook(self._step_begins),
            register_optimizer_step_post_hook(self._step_ends),
        ]
        self._heard.before(Optimizer, "zero_grad", self._clearing_of)
        self._heard.before(torch.nn.Module, "zero_grad", self._clearing_of)
        self._heard.before(torch.nn.Module, "train", self._put)
        self._heard.before(torch.Tensor, "register_hook", self._asked)
        self._heard.before(torch.Tensor, "register_post_accumulate_grad_hook", self._scaled.hooked)
        self._heard.before(torch.Tensor, "retain_grad", self._asked)
        self._heard.before(torch.Tensor, "requires_grad_", self._flagged)
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            self._heard.around_iterators(torch.nn.utils, name, self._clipping)
        self._heard.after(Optimizer, "__init__", self._built)
        self._heard.after(torch.nn.Parameter, "__deepcopy__", self._copied)
        self._heard.after(torch.nn.Module, "state_dict", self._saved)
        self._heard.before(torch.nn.Module, "load_state_dict", self._loading)
        self._heard.after(torch.nn.Module, "load_state_dict", self._loaded)
        self._heard.after(torch.nn.Parameter, "__new__", self._wrapped, static=True)
        self._heard.before(CheckpointFunction, "apply", self._checkpointed, static=True)
        scaler = torch.amp.GradScaler
        self._heard.after(scaler, "scale", lambda made, it, *_, **__: self._scaled.scaled(it, made))
        self._heard.before(
            scaler, "unscale_", lambda _, optimizer: self._scaled.unscaling(optimizer)
        )
        self._heard.before(scaler, "get_scale", self._scale_asked)
        self.modes.open(self._heard.patches)

    def close(self) -> None:
        """Leave torch as it was."""
        if self._record.watcher is self:
            self._record.watcher = None
            self._record.told_use.clear()
        self._heard.close()
        while self._hooks:
            self._hooks.pop().remove()

    def at_end(self, *, whole: bool) -> None:
        """All was seen that is to be judged; `whole` says that the program has run to its end."""
        with self._record.looking("what was left at the end"), without_grad():
            if whole:
                self._gradients.at_end()
                if self._gradients.backwards:
                    self._cuts.at_end()
                    self._cycles.at_end()
                    self._flat.at_end()
                    self._zeros.at_end()
                    self._reach.look_at_optimizers()
                    self._evaluations.at_end()
                    self._drift.at_end()
                    self._left_out.at_end()
                    self._rates.at_end()
                    self._targets.at_end()
                    self._untrained.at_end()
                    self._own_states.at_end()
                    self._gathered.at_end()
                self._functions.at_end()
                self._retention.at_end()
                self.modes.at_end()
                look_at_flags(self._told)
                look_at_statements(self._told)
                look_at_states(self._told)
                self._lost_updates.at_end()

    def cut(self, site: Site, tensor: torch.Tensor, operator: str) -> None:
        """An operator at a place leaves the graph of a tensor."""
        if self._creating and site.code.co_name in _BACKWARDS and torch.is_grad_enabled():
            self._told.tell(Pitfall.CUT_IN_BACKWARD, site, operator=operator)
        if operator.endswith("_like"):
            return  # takes the shape alone, also where the engine makes the gradient of a root
        if tensor.is_leaf:
            self._lost_updates.taken(site)
        self._cuts.cut(operator, site, tensor)
        self._evaluations.cut(operator, site, tensor)
        if operator in ("data", "detach"):
            self._snapshots.detached(tensor, site)

    def added(self, site: Site, number: int, operator: str) -> None:
        """What an operator has left there is added to what has a graph, by the node `number`."""
        self._reach.added(operator, site, number)
        self._cuts.added(site)
        self._evaluations.used(site)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """An operator has given an alias of a leaf, without its graph."""
        self._lost_updates.taken(site)
        self._aliases.taken(alias, leaf, operator, site)

    def is_of_trained(self, site: Site) -> bool:
        """Whether an operator there is known to leave a graph of what optimizers have."""
        return self._cuts.leaves_trained(site)

    def used(self, site: Site) -> None:
        """What an operator has left there is in a graph."""
        self._cuts.used(site)
        self._evaluations.used(site)

    def wrote(self, site: Site | None, tensor: torch.Tensor, operator: str) -> None:
        """An operator has written to a tensor."""
        if site is None or site.optimizer is not None:
            return
        self._aliases.wrote(tensor, site)
        if torch.is_grad_enabled():
            self._observed.wrote(tensor, operator, site)
            self._snapshots.wrote(tensor, site)

    def off(self) -> Site | CodeType | None:
        """What has switched grad mode off in this thread: a call, or a decorated function."""
        return self.modes.off()

    def calling(
        self,
        below: tuple[list[Any], list[int]],
        outputs: Any,
        call: Call,
        wanted: Asked,
        *,
        closely: bool,
    ) -> list[Leaf]:
        """A call of the engine begins that walks through these nodes, of these numbers; the leaves
        it is to fill.

        `closely` says that each node is to be looked at, for operators were observed before.
        """
        nodes, numbers = below
        roots = tensors_of(outputs)
        walk = Walk(
            call.name, call.site, roots, nodes, numbers, graph.leaves_in(nodes),
            tensors_of(wanted.inputs), wanted.accumulates, wanted.keeps, wanted.creates,
        )  # fmt: skip
        self._creating = call.creates
        self._rivals.before_backward()
        self._windows.before_backward(walk)
        self.modes.before_backward(walk)
        self._scaled.before_backward(roots)
        self._foreign.before_backward(walk, closely=closely)
        self._adversaries.before_backward(walk)
        self._aliases.before_backward(closely=closely)
        filled = self._gradients.before_backward(walk)
        self._by_hand.before_backward(filled, walk.site)
        self._gathered.before_backward(filled, walk.site)
        self._made_anew.before_backward(filled)
        self._closures.before_backward(filled, walk.site)
        self._kept_gradients.before_backward(filled, walk.site)
        self._spoilt.before_backward(filled, walk.site)
        self._mispaired.before_backward(walk)
        self._cuts.reaches(walk)
        self._evaluations.before_backward(walk)
        if closely:
            with without_grad():
                self._look_at_nodes(walk)
        return filled

    def _look_at_nodes(self, walk: Walk) -> None:
        if walk.accumulates:
            self._nonfinite.before_backward(walk)
            self._flat.before_backward(walk)
            self._zeros.before_backward(walk)
        self._reach.before_backward(walk)
        self._cuts.before_backward(walk)
        self._comparisons.before_backward(walk)
        self._functions.before_backward(walk)
        self._activations.before_backward(walk)
        self._applied.before_backward(walk)
        self._contexts.before_backward(walk)
        self._observed.before_backward(walk)
        self._outdated.before_backward(walk)
        self._retention.before_backward(walk)
        self._targets.before_backward(walk)
        self._untrained.before_backward(walk)

    def called(self, outputs: Any, call: Call, filled: Sequence[Leaf], result: Any) -> None:
        """It has returned `result`: the gradients that it was asked for by name."""
        self._creating = False
        self._mispaired.after_backward(result)
        leaves = self._gradients.after_backward(call, filled)
        self._contexts.after_backward()
        self._evaluations.after_backward()
        self._scaled.differentiated(outputs, leaves)
        if not self._scaled.is_used:  # a scaler expects them, and skips the step
            with without_grad():
                self._nonfinite.after_backward(call, leaves)

    def around_thread(self, thread: Thread) -> Any:
        """What a thread does."""
        return self.modes.around(thread)

    def _built(
        self, _: Any, optimizer: Optimizer, params: Any = None, *__: Any, **___: Any
    ) -> None:
        self._used_up.taken(params)
        site = self._told.here()
        self._gradients.built(optimizer, site)
        self._rivals.built(optimizer, site)
        self._left_out.built(parameters_of(optimizer), site)
        self._foreign.built(optimizer, parameters_of(optimizer))
        self._adversaries.built(optimizer, parameters_of(optimizer))
        self._reach.built(optimizer)

    def _step_begins(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        with self._record.looking("a step of an optimizer"):
            site = self._told.here()
            closure = closure_of(args, kwargs)
            if closure is not None:
                self._gradients.asks(optimizer, closure, site)
                self._closures.before_step(optimizer, site)
                return
            if len(args) > 1 or kwargs:
                return
            self.modes.before_step(site)
            self._rates.before_step(optimizer, site)
            with without_grad():
                self._drift.before_step(site, is_first=not self._gradients.steps_of(optimizer))
                held = parameters_of(optimizer)
                self._windows.before_step(optimizer, held, site)
                self._foreign.before_step(optimizer, site)
                self._adversaries.before_step(optimizer, site)
                self._rivals.before_step(optimizer, held, site)
                self._left_out.before_step()
                self._gradients.before_step(optimizer, held, site)
                self._spoilt.before_step(held, site)
                self._gathered.before_step(held)
                self._aliases.before_step(held)
                self._cycles.before_step(optimizer, held)
                if getattr(optimizer, "grad_scale", None) is None:  # else it divides by it
                    self._scaled.used(held, site)

    def _step_ends(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        with self._record.looking("a step of an optimizer"):
            self._gradients.after_step(optimizer)
            self._closures.after_step(optimizer)
            self._rivals.after_step(optimizer)
            self._retention.stepped()
            self._outdated.stepped()
            self._aliases.moved(optimizer)
            if self._gradients.steps_of(optimizer) == 1:
                self._one_memory.stepped(optimizer)
            if self._gradients.steps_of(optimizer) == _SETTLED:
                self._gradients.settled(optimizer)
                self._flat.settled()
                self._zeros.settled(parameters_of(optimizer))
                self._reach.look_at_optimizers(least=_AGAIN)
                self._left_out.look()
                self._look_at_flags_once()

    def _look_at_flags_once(self) -> None:
        """What is gone at the end may carry one; to go through all objects takes long."""
        if not self._flags_seen:
            self._flags_seen = True
            look_at_flags(self._told)

    def _clearing_of(self, owner: Any, *_: Any, **__: Any) -> None:
        site = self._told.here()
        if isinstance(owner, Optimizer):
            cleared = parameters_of(owner)
            self._windows.clearing(owner, cleared, site)
            self._adversaries.clearing(owner)
            self._gradients.clearing_of(owner, cleared, site)
        else:
            cleared = [*owner.parameters()]
            with without_grad():
                self._untrained.clearing(owner, cleared)
            self._gradients.clearing(cleared, site)
        self._scaled.cleared(cleared)
        self._gathered.clearing(cleared)

    def _put(self, module: torch.nn.Module, mode: bool = True) -> None:
        if sys._getframe(2).f_code is not _PARTS:
            self._drift.put(module, mode)
            self._evaluations.put(module, mode)

    def _copied(self, copy: torch.Tensor, original: torch.Tensor, *_: Any) -> None:
        self._targets.copied(copy, original)
        self._gradients.copied(original, copy, self._told.here())

    def _saved(self, state: Any, module: torch.nn.Module, *given: Any, **named: Any) -> None:
        if not given and named.get("destination") is None:  # else it is that of a part
            site = self._told.here()
            self._aliases.saved(module, state, site)
            self._own_states.saved(module, state, site)

    def _loading(self, module: torch.nn.Module, *given: Any, **named: Any) -> None:
        state, site = given[0] if given else named["state_dict"], self._told.here()
        self._aliases.loading(module, state, site)
        self._own_states.loading(module, state, site)

    def _loaded(self, _: Any, module: torch.nn.Module, *given: Any, **named: Any) -> None:
        self._targets.loaded(module, given[0] if given else named["state_dict"])

    def _scale_asked(self, _: Any) -> None:
        if self._told.sites.is_users(sys._getframe(2).f_code):
            self._scaled.asked()

    def _clipping(self, iterated: Any, given: Any, *args: Any, **kwargs: Any) -> None:
        site = self._told.here()
        self._used_up.clipping(iterated, given, site)
        if isinstance(given, (list, tuple)):
            self._scaled.used(tensors(given), site)
        limit = args[0] if args else kwargs.get("max_norm", kwargs.get("clip_value"))
        self._gradients.clipping(given, limit, site)

    def _asked(self, tensor: torch.Tensor, hook: Any = None, *_: Any, **__: Any) -> None:
        site = self._told.here()
        self._scaled.hooked(tensor, hook)
        self._observed.asked(tensor, site)
        if hook is not None:
            self._hooked.registered(tensor, hook, site)

    def _checkpointed(self, run: Any, _: Any, *given: Any) -> None:
        self._functions.checkpointed(run, given, self._told.here())

    def _wrapped(self, parameter: Any, _: Any, data: Any = None, *__: Any, **___: Any) -> None:
        site = self._told.here()
        if isinstance(data, torch.Tensor) and site is not None:
            self._reach.wrapped(parameter, data, site)
            self._made_anew.made(parameter, site)
            if self._told.sites.is_users(sys._getframe(2).f_code):
                self._left_out.made(parameter, site)
                self._one_memory.made(parameter, site)

    def _flagged(self, tensor: torch.Tensor, value: bool = True) -> None:
        if value:
            site = self._told.here()
            if not tensor.requires_grad and self._gradients.where_frozen(tensor) is not None:
                self._left_out.unfroze(tensor, site)
            self._gradients.flagged(tensor, site)
        if not value and tensor.is_leaf and tensor.requires_grad:
            self._cuts.froze(tensor, self._told.here())
            self._gradients.froze(tensor, self._told.here())
