"""Which families of pitfalls there are, in the order in which each is told of an event."""

from __future__ import annotations

from collections.abc import Callable
from typing import Concatenate, ParamSpec

from autograd_lint.live.pitfalls.activations import Activations
from autograd_lint.live.pitfalls.adversaries import Adversaries
from autograd_lint.live.pitfalls.aliases import Aliases
from autograd_lint.live.pitfalls.applied import Applied
from autograd_lint.live.pitfalls.attacked import Attacked
from autograd_lint.live.pitfalls.attributes import Flags
from autograd_lint.live.pitfalls.backward_formulas import BackwardFormulas
from autograd_lint.live.pitfalls.between_losses import BetweenLosses
from autograd_lint.live.pitfalls.by_hand import ByHand
from autograd_lint.live.pitfalls.chosen_frozen import ChosenFrozen
from autograd_lint.live.pitfalls.clipped_parts import ClippedParts
from autograd_lint.live.pitfalls.closures import Closures
from autograd_lint.live.pitfalls.coarse import Coarse
from autograd_lint.live.pitfalls.comparisons import Comparisons
from autograd_lint.live.pitfalls.contexts import Contexts
from autograd_lint.live.pitfalls.counted_twice import CountedTwice
from autograd_lint.live.pitfalls.crossed import Crossed
from autograd_lint.live.pitfalls.cuts import Cuts
from autograd_lint.live.pitfalls.cycles import Cycles
from autograd_lint.live.pitfalls.decayed import Decayed
from autograd_lint.live.pitfalls.drift import Drift
from autograd_lint.live.pitfalls.dropouts import Dropouts
from autograd_lint.live.pitfalls.dropped import Dropped
from autograd_lint.live.pitfalls.empty_groups import EmptyGroups
from autograd_lint.live.pitfalls.evaluations import Evaluations
from autograd_lint.live.pitfalls.family import Family
from autograd_lint.live.pitfalls.flat import Flat
from autograd_lint.live.pitfalls.flat_slopes import FlatSlopes
from autograd_lint.live.pitfalls.foreign import Foreign
from autograd_lint.live.pitfalls.functions import Functions
from autograd_lint.live.pitfalls.gathered import Gathered
from autograd_lint.live.pitfalls.gone_through import GoneThrough
from autograd_lint.live.pitfalls.gradients import Gradients
from autograd_lint.live.pitfalls.hooks import Hooks
from autograd_lint.live.pitfalls.idle_steps import IdleSteps
from autograd_lint.live.pitfalls.idle_terms import IdleTerms
from autograd_lint.live.pitfalls.joined import Joined
from autograd_lint.live.pitfalls.kept_gradients import KeptGradients
from autograd_lint.live.pitfalls.kept_twice import KeptTwice
from autograd_lint.live.pitfalls.late_changes import LateChanges
from autograd_lint.live.pitfalls.left_buffers import LeftBuffers
from autograd_lint.live.pitfalls.left_evaluated import LeftEvaluated
from autograd_lint.live.pitfalls.left_out import LeftOut
from autograd_lint.live.pitfalls.left_terms import LeftTerms
from autograd_lint.live.pitfalls.lost_rates import LostRates
from autograd_lint.live.pitfalls.lost_updates import LostUpdates
from autograd_lint.live.pitfalls.made_anew import MadeAnew
from autograd_lint.live.pitfalls.mispaired import Mispaired
from autograd_lint.live.pitfalls.modes import Modes
from autograd_lint.live.pitfalls.multiplied import Multiplied
from autograd_lint.live.pitfalls.nonfinite import NonFinite
from autograd_lint.live.pitfalls.one_memory import OneMemory
from autograd_lint.live.pitfalls.one_tensor import OneTensor
from autograd_lint.live.pitfalls.outdated import Outdated
from autograd_lint.live.pitfalls.overwritten_losses import OverwrittenLosses
from autograd_lint.live.pitfalls.own_averages import OwnAverages
from autograd_lint.live.pitfalls.own_states import OwnStates
from autograd_lint.live.pitfalls.own_values import OwnValues
from autograd_lint.live.pitfalls.penalties import Penalties
from autograd_lint.live.pitfalls.perturbed import Perturbed
from autograd_lint.live.pitfalls.put_back import PutBack
from autograd_lint.live.pitfalls.rates import Rates
from autograd_lint.live.pitfalls.ratios import Ratios
from autograd_lint.live.pitfalls.reach import Reach
from autograd_lint.live.pitfalls.read_cleared import ReadCleared
from autograd_lint.live.pitfalls.recomputed import Recomputed
from autograd_lint.live.pitfalls.replaced import Replaced
from autograd_lint.live.pitfalls.retention import Retention
from autograd_lint.live.pitfalls.rivals import Rivals
from autograd_lint.live.pitfalls.samples import Samples
from autograd_lint.live.pitfalls.scaled import Scaled
from autograd_lint.live.pitfalls.schedulers import Schedulers
from autograd_lint.live.pitfalls.shallow import Shallow
from autograd_lint.live.pitfalls.snapshots import Snapshots
from autograd_lint.live.pitfalls.spoilt import Spoilt
from autograd_lint.live.pitfalls.stacked import Stacked
from autograd_lint.live.pitfalls.statements import Statements
from autograd_lint.live.pitfalls.states import States
from autograd_lint.live.pitfalls.still_averages import StillAverages
from autograd_lint.live.pitfalls.stray_options import StrayOptions
from autograd_lint.live.pitfalls.strayed_states import StrayedStates
from autograd_lint.live.pitfalls.targets import Targets
from autograd_lint.live.pitfalls.teachers import Teachers
from autograd_lint.live.pitfalls.ties import Ties
from autograd_lint.live.pitfalls.told import Told
from autograd_lint.live.pitfalls.undone import Undone
from autograd_lint.live.pitfalls.unreached_hooks import UnreachedHooks
from autograd_lint.live.pitfalls.unstepped import Unstepped
from autograd_lint.live.pitfalls.unsynchronised import Unsynchronised
from autograd_lint.live.pitfalls.untrained import Untrained
from autograd_lint.live.pitfalls.used_up import UsedUp
from autograd_lint.live.pitfalls.windows import Windows
from autograd_lint.live.pitfalls.writes import Observed
from autograd_lint.live.pitfalls.zeros import Zeros

P = ParamSpec("P")
_EVENTS = {name: one for name, one in vars(Family).items() if not name.startswith("_")}
_HEARD: dict[type[Family], tuple[str, ...]] = {}  # by the kind that has methods for these events


class Families:
    """All of them, and a few that are asked for something by name."""

    __slots__ = (
        "_listening", "cuts", "functions", "gradients", "hooks", "joined", "lost_rates", "modes",
        "recomputed", "replicas", "scaled", "schedulers", "still_averages", "used_up",
    )  # fmt: skip

    def __init__(self, told: Told) -> None:
        self.gradients = gradients = Gradients(told)
        self.modes, self.scaled, self.used_up = Modes(told), Scaled(told), UsedUp(told)
        self.cuts, self.functions = Cuts(told, gradients), Functions(told, gradients)
        self.recomputed, self.schedulers = Recomputed(told), Schedulers(told)
        self.hooks = Hooks(told)
        self.still_averages = StillAverages(told, gradients)
        self.joined, self.lost_rates = Joined(told, gradients), LostRates(told)
        self.replicas = Unsynchronised(told, gradients)
        evaluations = Evaluations(told, gradients)
        targets = Targets(told, gradients, evaluations)
        penalties = Penalties(told)
        self._listening = _listening(
            # What was there before an event is asked by these:
            self.modes,
            self.used_up,
            Rates(told),
            Coarse(told),
            ClippedParts(told),
            CountedTwice(told),
            EmptyGroups(told),
            Undone(told),
            Drift(told, gradients),
            LeftEvaluated(told, gradients),
            Rivals(told),
            self.schedulers,
            self.joined,
            IdleSteps(told),
            LateChanges(told, gradients),
            self.lost_rates,
            BetweenLosses(told, gradients),
            Perturbed(told),
            Attacked(told, evaluations),
            Windows(told, gradients),
            Foreign(told, gradients),
            Adversaries(told, gradients),
            Aliases(told),
            Unstepped(told, gradients),
            self.replicas,
            Untrained(told, gradients),
            Replaced(told, gradients),
            # This one remembers the event, and what is there now is asked by the others.
            gradients,
            ByHand(told),
            Gathered(told),
            GoneThrough(told),
            MadeAnew(told),
            Closures(told),
            KeptGradients(told),
            Spoilt(told, gradients),
            Mispaired(told),
            LostUpdates(told),
            self.cuts,
            IdleTerms(told, self.cuts),
            Cycles(told, gradients),
            evaluations,
            self.scaled,
            NonFinite(told, self.scaled),
            Multiplied(told, gradients),
            Flat(told, gradients),
            Zeros(told),
            Reach(told, gradients, self.cuts, penalties),
            Comparisons(told),
            Crossed(told),
            Dropouts(told),
            Dropped(told),
            self.functions,
            self.recomputed,
            BackwardFormulas(told),
            Activations(told),
            ChosenFrozen(told),
            FlatSlopes(told),
            PutBack(told, gradients),
            ReadCleared(told),
            self.still_averages,
            UnreachedHooks(told),
            Applied(told),
            Contexts(told),
            Observed(told),
            Snapshots(told),
            Outdated(told),
            penalties,
            Ratios(told),
            Retention(told),
            Samples(told, gradients, self.cuts),
            KeptTwice(told),
            Stacked(told),
            targets,
            Teachers(told, gradients, targets, self.cuts),
            Ties(told),
            Decayed(told),
            LeftBuffers(told),
            LeftOut(told, gradients),
            LeftTerms(told),
            OneMemory(told, gradients),
            OneTensor(told),
            OverwrittenLosses(told),
            OwnAverages(told, gradients),
            OwnStates(told, gradients),
            OwnValues(told),
            Shallow(told, gradients),
            self.hooks,
            Flags(told),
            Statements(told),
            States(told),
            StrayOptions(told),
            StrayedStates(told),
        )

    def say(
        self, event: Callable[Concatenate[Family, P], None], *args: P.args, **kwargs: P.kwargs
    ) -> None:
        """Tell of an event, by the method of `Family` for it, all that have one of their own."""
        listening = self._listening[event.__name__]
        if kwargs:
            for listener in listening:
                listener(*args, **kwargs)
            return
        for listener in listening:
            listener(*args)


def _listening(*families: Family) -> dict[str, list[Callable[..., None]]]:
    """Who is told of what, by the name of the event."""
    listening: dict[str, list[Callable[..., None]]] = {name: [] for name in _EVENTS}
    for one in families:
        for name in _heard_by(type(one)):
            listening[name].append(getattr(one, name))
    return listening


def _heard_by(kind: type[Family]) -> tuple[str, ...]:
    """The events for which a kind of families has methods of its own."""
    if kind not in _HEARD:
        own = (name for name, nothing in _EVENTS.items() if getattr(kind, name) is not nothing)
        _HEARD[kind] = tuple(own)
    return _HEARD[kind]
