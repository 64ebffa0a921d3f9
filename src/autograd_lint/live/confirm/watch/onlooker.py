"""Stands beside a witness: told of calls of the engine, of optimizers, clipping and flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from functools import wraps
from typing import Any

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.live import graph
from autograd_lint.live.confirm.watch import calls
from autograd_lint.live.confirm.watch.arguments import Arguments
from autograd_lint.live.confirm.watch.foreign import Foreign
from autograd_lint.live.confirm.watch.generators import watch_generators
from autograd_lint.live.confirm.watch.kept import KeptGraphs, computed
from autograd_lint.live.confirm.watch.lines import Lines
from autograd_lint.live.confirm.watch.observed import Observed, Underived
from autograd_lint.live.confirm.watch.parameters import Gradients
from autograd_lint.live.confirm.watch.scaled import Scaled
from autograd_lint.live.confirm.watch.sights import NOWHERE, Rows, Sight, Sights
from autograd_lint.live.confirm.watch.snapshots import Snapshots
from autograd_lint.live.confirm.watch.states import States
from autograd_lint.live.confirm.watch.threads import Threads
from autograd_lint.live.confirm.watch.ties import Ties
from autograd_lint.live.confirm.watch.unmoved import Unmoved
from autograd_lint.live.confirm.watch.values import unrecorded
from autograd_lint.live.confirm.watch.zeros import leaves_past, zeros_in
from autograd_lint.live.failure import birth_of, maker_of
from autograd_lint.live.patching import Patches
from autograd_lint.live.private import unobserved
from autograd_lint.live.record import Record
from autograd_lint.live.sites import Site, Sites
from autograd_lint.live.surroundings import here

_CONSTANT = (Pitfall.CONSTANT_TERM, Pitfall.PENALTY_WITHOUT_GRAPH)


class Onlooker:
    """While open, looks on; `seen()` then tells of the pitfalls."""

    def __init__(
        self, record: Record, sites: Sites, filename: str, blocks: Mapping[int, Rows] | None = None
    ) -> None:
        """`blocks` are the rows of the `with` statements around each row of the program."""
        self._record = record
        record.watcher = record.follower = self
        self._places = sites
        self._filename = filename
        self._sights = Sights(self._rows)
        self._gradients = Gradients(self._sights)
        self._kept = KeptGraphs(self._sights, record)
        self._observed = Observed(self._sights)
        self._underived = Underived(self._sights)
        self._unmoved = Unmoved()
        self._scaled = Scaled(self._sights)
        self._states = States(self._sights)
        self._foreign = Foreign(self._sights)
        self._threads = Threads(self._sights)
        self._ties = Ties(self._sights)
        self._arguments = Arguments(self._sights)
        self._snapshots = Snapshots(self._sights, filename)
        self.lines = Lines(self._sights, filename, self._arguments)
        self._calls = 0
        self._creating = False  # a graph of gradients
        self._cuts: dict[Site, set[int]] = {}  # the leaves of what was left there, by identity
        self._additions: dict[int, set[Site]] = {}  # what was added, by the number of the node
        self._added: set[Site] = set()  # to what became a root
        self._blocks = blocks or {}
        self._entered: dict[Site, Rows] = {}  # the blocks that a graph was left in
        self._frozen: dict[int, Rows] = {}
        self._terms: list[frozenset[int]] = []  # of the latest root
        self._stepped: set[int] = set()  # the parameters stepped since
        self._trained: set[int] = set()  # all parameters that were stepped
        self._roots: list[tuple[frozenset[int], Rows]] = []  # the leaves of each root
        self._makers: dict[int, Rows] = {}  # of leaves: the tracer forgets them in time
        self._undo = ExitStack()
        self._patches = Patches()

    def __enter__(self) -> Onlooker:
        self._undo.callback(register_optimizer_step_pre_hook(self._step).remove)
        self._undo.callback(register_optimizer_step_post_hook(self._stepping_ended).remove)
        self._around(Optimizer, "zero_grad", lambda it, *_: self._clearing(_held_by(it)))
        self._around(torch.nn.Module, "zero_grad", lambda it, *_: self._clearing(it.parameters()))
        self._around(Optimizer, "__init__", lambda *_: self._gradients.built_for(self._rows()))
        for name in ("clip_grad_norm_", "clip_grad_value_"):
            self._around(torch.nn.utils, name, lambda tensors, *_: self._clipping(tensors))
        for name in ("register_hook", "retain_grad"):
            self._around(torch.Tensor, name, lambda tensor, *_: self._observed.asked(tensor))
        self._around(torch.Tensor, "requires_grad_", self._flagging)
        self._around(torch.Tensor, "detach_", lambda tensor: self._flagging(tensor, False))
        self._watch_flags()
        self._scaled.open(self._patches)
        self._states.open(self._patches)
        self._threads.open(self._patches)
        self._ties.open(self._patches)
        watch_generators(self._patches, self._sights)
        for undo in self._arguments.open():
            self._undo.callback(undo)
        return self

    def __exit__(self, *details: object) -> None:
        self._undo.close()
        self._patches.close()

    def seen(self, ended: bool) -> list[Sight]:
        """Everything that was seen; `ended` says that the witness ran to its end."""
        if ended:
            with torch.no_grad(), unobserved():
                self._at_end() if self._calls else self._kept.look_without_calls()
        return list(self._sights.found)

    def cut(self, site: Site, tensor: torch.Tensor, operator: str) -> None:
        """The tracer saw a graph left at a site, or at one that the program has called."""
        if not self._is_own(site):
            sites = here(self._places, 1).user_sites()
            site = next((one for one in sites if self._is_own(one)), site)
        if self._is_own(site):
            if self._creating:
                self._sights.add(Pitfall.CUT_IN_BACKWARD, {site.place.row})
            roots = graph.roots_of([tensor])
            leaves = [*graph.leaves_in(graph.nodes_below(roots)), *_leaf_roots([tensor])]
            self._cuts.setdefault(site, set()).update(map(id, leaves))
            if not torch.is_grad_enabled():
                around = (self._blocks.get(row, NOWHERE) for row in self._rows())
                self._entered[site] = self._entered.get(site, NOWHERE).union(*around)

    def added(self, site: Site, number: int, operator: str) -> None:
        """The tracer saw what was left at a site become a term of the node of this number."""
        if self._is_own(site):
            self._additions.setdefault(number, set()).add(site)

    def took(self, site: Site, alias: torch.Tensor, leaf: torch.Tensor, operator: str) -> None:
        """Whether it is used is asked of all snapshots, when operators begin."""

    def is_of_trained(self, site: Site) -> bool:
        """Nothing is known of what optimizers have."""
        return False

    def combined(self, site: Site, number: int, operator: str, given: tuple[Any, ...]) -> None:
        """Not asked for."""

    def used(self, site: Site, operator: str) -> None:
        """That a graph was left there is all that a finding says."""

    def begins(
        self, operator: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, writes: bool
    ) -> None:
        """The tracer saw an operator begin."""
        self._arguments.overwritten.used(args)
        self._snapshots.overwritten.used(args)
        if writes:
            self._unmoved.writing(operator, args, kwargs)

    def replaced(self, site: Site, tensor: torch.Tensor, value: torch.Tensor) -> None:
        """Not asked for."""

    def off(self) -> None:
        """What has switched grad mode off is not asked for."""

    def wrote(self, site: Site | None, tensor: torch.Tensor, operator: str) -> None:
        """The tracer saw an operator write to a tensor."""
        if site is not None and self._is_own(site):
            self._unmoved.wrote(tensor, site.place.row)
            for one in (self._observed, self._underived, self._snapshots):
                one.wrote(tensor, frozenset({site.place.row}))

    def call(self, outputs: Any, inputs: Any, *, creates: bool, accumulates: bool) -> calls.Call:
        """A call of the engine begins."""
        self._calls += 1
        self._frozen.clear()
        enabled = torch.is_grad_enabled()
        roots = graph.roots_of(outputs)
        nodes, tops = graph.nodes_below(roots), _leaf_roots(outputs)
        with torch.no_grad(), unobserved():
            zeros = zeros_in(nodes)
        leaves, moved = [*graph.leaves_in(nodes), *tops], [*leaves_past(roots, zeros), *tops]
        asked = [one for one in inputs if isinstance(one, torch.Tensor)]
        rows, given = self._rows(), [*outputs]
        call = calls.Call(rows, given, nodes, leaves, moved, asked, creates, accumulates, enabled)
        rows = call.rows.union(*(self._made(leaf) for leaf in leaves))
        self._roots.append((frozenset(map(id, leaves)), rows))
        with torch.no_grad(), unobserved():
            self._kept.add(nodes, call.rows)
            if accumulates:
                self._gradients.before_backward(call.leaves, call.rows)
                self._gradients.look_at_frozen(call.leaves)
                self._foreign.before_backward(call.leaves, call.rows)
            for row in unrecorded(computed(), self._record, self._unmoved):
                self._sights.add(Pitfall.UNRECORDED_CHANGE, {row})
            self._look_at_terms()
            for number in graph.numbers_of(calls.sums(roots)):
                self._added |= self._additions.get(number, set())
            self._look_at_zeros(roots, zeros)
            self._underived.before_backward(nodes)
            for pitfall, rows in calls.before(call, self._record):
                self._sights.add(pitfall, rows)
        self._creating = creates
        return call

    def returned(self, call: calls.Call) -> None:
        """It has returned."""
        self._creating = False
        with torch.no_grad(), unobserved():
            self._gradients.reached(call.moved, accumulated=call.accumulates)
            if call.accumulates:
                self._gradients.after_backward(call.leaves, call.rows)
                self._scaled.differentiated(call.outputs, call.leaves)
            for pitfall, rows in calls.after(call, self._record):
                self._sights.add(pitfall, rows)

    def _look_at_zeros(self, roots: list[Any], zeros: list[Any]) -> None:
        """Gradients end where a derivative is zero, as if the graph had been left there."""
        terms = calls.terms(roots, zeros)
        self._terms = [term.leaves for term in terms]
        sites = {node: birth.site for node in zeros if (birth := birth_of(node, self._record))}
        for node, site in sites.items():
            if site is not None and self._is_own(site):
                behind = graph.leaves_in(graph.nodes_below([node]))
                self._cuts.setdefault(site, set()).update(map(id, behind))
        if len(terms) < 2:
            return
        for node in graph.nodes_below(term.node for term in terms if not term.leaves):
            site = sites.get(node)
            if site is not None and self._is_own(site):
                self._sights.add(Pitfall.CONSTANT_TERM, {site.place.row})

    def _look_at_terms(self) -> None:
        """A term is constant for all that was trained with the latest root, and others are not."""
        trained = [bool(leaves & self._stepped) for leaves in self._terms]
        if any(trained) and not all(trained):
            for site in self._cuts:
                self._sights.add(Pitfall.CONSTANT_TERM, {site.place.row})
        self._stepped.clear()

    def _at_end(self) -> None:
        self._look_at_terms()
        self._gradients.at_end()
        self._kept.look()
        for site in self._added:
            for pitfall in _CONSTANT:
                self._sights.add(pitfall, {site.place.row})
        unreached = set(map(id, self._gradients.unreached()))
        trained = self._gradients.all_reached()
        for site, leaves in self._cuts.items():
            # Without an optimizer, what requires grad is there to be trained.
            if leaves & unreached or (trained is not None and leaves - trained):
                entered = self._entered.get(site, NOWHERE)
                self._sights.add(Pitfall.GRADIENT_CUT, {site.place.row}, entered)
        for leaf in self._gradients.unowned():
            self._sights.add(Pitfall.NOT_OPTIMIZED, self._made(leaf))
            self._sights.add(Pitfall.NO_OPTIMIZER, self._made(leaf))
            self._sights.add(Pitfall.UNREGISTERED, self._made(leaf))
        self._ties.at_end(self._gradients.gotten_to())
        for reached, rows in self._roots if self._trained else ():
            if reached and not reached & self._trained:
                self._sights.add(Pitfall.LOSS_REBUILT, rows)

    def _made(self, leaf: torch.Tensor) -> Rows:
        """The row that made a leaf, where that is known."""
        if id(leaf) not in self._makers:
            origin = maker_of(leaf, self._record)
            site = origin.site if origin is not None else None
            own = site is not None and self._is_own(site)
            self._makers[id(leaf)] = frozenset({site.place.row}) if site and own else NOWHERE
        return self._makers[id(leaf)]

    def _rows(self) -> Rows:
        sites = here(self._places, 1).user_sites()
        return frozenset(site.place.row for site in sites if self._is_own(site))

    def _is_own(self, site: Any) -> bool:
        return bool(site.filename == self._filename)

    def _step(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if len(args) > 1 or kwargs:
            return  # a closure computes the gradients
        held = _held_by(optimizer)
        self._stepped.update(map(id, held))
        self._trained |= self._stepped
        with torch.no_grad(), unobserved():
            self._gradients.before_step(held, self._rows())
            self._foreign.before_step(optimizer, held)
            if getattr(optimizer, "grad_scale", None) is None:  # else it divides by it
                self._scaled.used(held, self._rows())

    def _stepping_ended(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        rows = self._rows()
        with torch.no_grad(), unobserved():
            self._gradients.after_step(rows)
        for parameter in _held_by(optimizer):
            self._snapshots.wrote(parameter, rows)

    def _clearing(self, parameters: Iterable[torch.Tensor]) -> None:
        cleared = [*parameters]
        self._scaled.cleared(cleared)
        with torch.no_grad(), unobserved():
            self._gradients.before_clearing(cleared, self._rows())

    def _flagging(self, tensor: torch.Tensor, value: bool = True) -> None:
        if tensor.is_leaf and tensor.requires_grad:
            flagged = self._gradients.flagged_again if value else self._gradients.frozen
            with torch.no_grad(), unobserved():
                flagged(tensor, self._rows())

    def _clipping(self, tensors: Any) -> None:
        held = [tensors] if isinstance(tensors, torch.Tensor) else tensors
        if isinstance(held, list):  # a generator can be gone through only once
            self._scaled.used(held, self._rows())
            with torch.no_grad(), unobserved():
                self._gradients.at_clipping(held, self._rows())

    def _watch_flags(self) -> None:
        original: Any = torch.Tensor.requires_grad

        def flag(tensor: torch.Tensor, value: bool) -> None:
            if not value:
                self._frozen[id(tensor)] = self._rows()
                self._flagging(tensor, False)
            elif id(tensor) in self._frozen and not tensor.requires_grad:
                frozen = self._frozen.pop(id(tensor), NOWHERE)
                self._sights.add(Pitfall.FREEZE_UNDONE, frozen, self._rows())
            original.__set__(tensor, value)

        self._patches.replace(torch.Tensor, "requires_grad", property(original.__get__, flag))

    def _around(self, owner: Any, name: str, told: Callable[..., Any]) -> None:
        original = getattr(owner, name)

        @wraps(original)
        def around(*args: Any, **kwargs: Any) -> Any:
            if name.startswith("clip") and args:
                args = (_listed(args[0]), *args[1:])
            told(*args)
            return original(*args, **kwargs)

        self._patches.replace(owner, name, around)


def _held_by(optimizer: Optimizer) -> list[torch.Tensor]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _leaf_roots(outputs: Any) -> list[torch.Tensor]:
    roots = [one for one in outputs if isinstance(one, torch.Tensor)]
    return [root for root in roots if root.is_leaf and root.requires_grad]


def _listed(tensors: Any) -> Any:
    return tensors if isinstance(tensors, torch.Tensor) else list(tensors)
