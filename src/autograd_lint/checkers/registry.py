"""All checkers, and the records that several of them read: here each is named once."""

from __future__ import annotations

from functools import cache

from autograd_lint.checkers.accumulating import Gathering
from autograd_lint.checkers.activations_twice import ActivationsTwice
from autograd_lint.checkers.aliases import Aliases
from autograd_lint.checkers.averaged_targets import AveragedTargets
from autograd_lint.checkers.batches import Evaluations
from autograd_lint.checkers.bindings import Bindings
from autograd_lint.checkers.borrowed_tensors import BorrowedTensors
from autograd_lint.checkers.broken_ties import BrokenTies
from autograd_lint.checkers.bypassed_replicas import BypassedReplicas
from autograd_lint.checkers.cancelled_terms import CancelledTerms
from autograd_lint.checkers.carried_state import CarriedState
from autograd_lint.checkers.checker import Checker
from autograd_lint.checkers.checkpoint_cuts import CheckpointCuts
from autograd_lint.checkers.clipping import Clipping
from autograd_lint.checkers.constant_ratios import ConstantRatios
from autograd_lint.checkers.constant_terms import ConstantTerms
from autograd_lint.checkers.containers import GrowingContainers
from autograd_lint.checkers.copied_activations import CopiedActivations
from autograd_lint.checkers.copies import Copies
from autograd_lint.checkers.counted_terms import CountedTerms
from autograd_lint.checkers.crossed_shapes import CrossedShapes
from autograd_lint.checkers.cut_layers import CutLayers
from autograd_lint.checkers.cut_leaves import CutLeaves
from autograd_lint.checkers.cut_penalties import CutPenalties
from autograd_lint.checkers.cut_recurrences import CutRecurrences
from autograd_lint.checkers.cut_results import CutResults
from autograd_lint.checkers.data_inputs import DataInputs
from autograd_lint.checkers.data_losses import DataLosses
from autograd_lint.checkers.decayed_rows import DecayedRows
from autograd_lint.checkers.deciding_parameters import DecidingParameters
from autograd_lint.checkers.degenerate import Degenerate
from autograd_lint.checkers.detached_arguments import DetachedArguments
from autograd_lint.checkers.discarded_gradients import DiscardedGradients
from autograd_lint.checkers.double_steps import DoubleSteps
from autograd_lint.checkers.drawn_anew import DrawnAnew
from autograd_lint.checkers.drifting_statistics import DriftingStatistics
from autograd_lint.checkers.dropped_hooks import DroppedHooks
from autograd_lint.checkers.evaluated_targets import EvaluatedTargets
from autograd_lint.checkers.evaluation_graphs import EvaluationGraphs
from autograd_lint.checkers.filled_leaves import FilledLeaves
from autograd_lint.checkers.flags import Flags
from autograd_lint.checkers.flags_without_effect import FlagsWithoutEffect
from autograd_lint.checkers.flat import FlatOperators
from autograd_lint.checkers.foreign_steps import ForeignSteps
from autograd_lint.checkers.forward_calls import ForwardCalls
from autograd_lint.checkers.frozen_adapters import FrozenAdapters
from autograd_lint.checkers.frozen_embeddings import FrozenEmbeddings
from autograd_lint.checkers.frozen_steps import FrozenSteps
from autograd_lint.checkers.functions import CustomFunctions
from autograd_lint.checkers.gathered_gradients import GatheredGradients
from autograd_lint.checkers.gradient_values import GradientValues
from autograd_lint.checkers.graph_breaks import GraphBreaks
from autograd_lint.checkers.handed_back import HandedBack
from autograd_lint.checkers.hidden_leaves import HiddenLeaves
from autograd_lint.checkers.hook_results import HookResults
from autograd_lint.checkers.idle_steps import IdleSteps
from autograd_lint.checkers.ignored_gradients import IgnoredGradients
from autograd_lint.checkers.ignored_rates import IgnoredRates
from autograd_lint.checkers.imported_modes import ImportedModes
from autograd_lint.checkers.incomplete_averages import IncompleteAverages
from autograd_lint.checkers.inner_updates import InnerUpdates
from autograd_lint.checkers.intended_backward import IntendedBackward
from autograd_lint.checkers.kept_gradients import KeptGradients
from autograd_lint.checkers.kept_values import KeptValues
from autograd_lint.checkers.known_operands import KnownOperands
from autograd_lint.checkers.late_closures import LateClosures
from autograd_lint.checkers.late_parameters import LateParameters
from autograd_lint.checkers.layer_calls import LayerCalls
from autograd_lint.checkers.leaf_for_loss import LeafForLoss
from autograd_lint.checkers.leaf_record import LeafRecord
from autograd_lint.checkers.leaking_modes import LeakingModes
from autograd_lint.checkers.learning_weights import LearningWeights
from autograd_lint.checkers.left_modes import LeftModes
from autograd_lint.checkers.lent_arguments import LentArguments
from autograd_lint.checkers.loaded_modes import LoadedModes
from autograd_lint.checkers.losses import GraphlessLosses, UnrecordedLosses
from autograd_lint.checkers.losses_left_out import LossesLeftOut
from autograd_lint.checkers.lost_updates import LostUpdates
from autograd_lint.checkers.memory import KeptGraphs
from autograd_lint.checkers.missing_backward import MissingBackward
from autograd_lint.checkers.missing_targets import MissingTargets
from autograd_lint.checkers.mixed_losses import MixedLosses
from autograd_lint.checkers.mixed_scales import MixedScales
from autograd_lint.checkers.modes import Modes
from autograd_lint.checkers.moved_weights import MovedWeights
from autograd_lint.checkers.multiplied_layers import MultipliedLayers
from autograd_lint.checkers.network_calls import NetworkCalls
from autograd_lint.checkers.non_leaf_gradients import NonLeafGradients
from autograd_lint.checkers.number_record import NumberRecord
from autograd_lint.checkers.overwritten_losses import OverwrittenLosses
from autograd_lint.checkers.own_averages import OwnAverages
from autograd_lint.checkers.own_checkpoints import OwnCheckpoints
from autograd_lint.checkers.own_states import OwnStates
from autograd_lint.checkers.partial_cuts import PartialCuts
from autograd_lint.checkers.passed_over_functions import PassedOverFunctions
from autograd_lint.checkers.predicted_targets import PredictedTargets
from autograd_lint.checkers.raised_judges import RaisedJudges
from autograd_lint.checkers.rates_without_effect import RatesWithoutEffect
from autograd_lint.checkers.rebinding import Rebinding
from autograd_lint.checkers.rebuilt_losses import RebuiltLosses
from autograd_lint.checkers.renewed_optimizers import RenewedOptimizers
from autograd_lint.checkers.repairs import Repairs
from autograd_lint.checkers.repeated_hooks import RepeatedHooks
from autograd_lint.checkers.repeated_orders import RepeatedOrders
from autograd_lint.checkers.replaced_leaves import ReplacedLeaves
from autograd_lint.checkers.replaced_optimizers import ReplacedOptimizers
from autograd_lint.checkers.residuals import Residuals
from autograd_lint.checkers.restarted_updates import RestartedUpdates
from autograd_lint.checkers.restoring import Restoring
from autograd_lint.checkers.retaining import Retaining
from autograd_lint.checkers.returning import Returning
from autograd_lint.checkers.reversed_averages import ReversedAverages
from autograd_lint.checkers.reversed_gradients import ReversedGradients
from autograd_lint.checkers.same_modules import SameModules
from autograd_lint.checkers.samples_without_gradient import SamplesWithoutGradient
from autograd_lint.checkers.scheduler_order import SchedulerOrder
from autograd_lint.checkers.scheduler_rhythm import SchedulerRhythm
from autograd_lint.checkers.scored_samples import ScoredSamples
from autograd_lint.checkers.shared_defaults import SharedDefaults
from autograd_lint.checkers.shared_judges import SharedJudges
from autograd_lint.checkers.shared_parameters import SharedParameters
from autograd_lint.checkers.sharpened_targets import SharpenedTargets
from autograd_lint.checkers.single_choices import SingleChoices
from autograd_lint.checkers.singular import Singularities
from autograd_lint.checkers.statements import DroppedResults
from autograd_lint.checkers.straight_through import StraightThrough
from autograd_lint.checkers.switched_off import SwitchedOff
from autograd_lint.checkers.targets import CopiedParameters, Targets
from autograd_lint.checkers.teachers import Teachers
from autograd_lint.checkers.terms import Terms
from autograd_lint.checkers.tied_parameters import TiedParameters
from autograd_lint.checkers.trainable import Trainable
from autograd_lint.checkers.trained_in_evaluation import TrainedInEvaluation
from autograd_lint.checkers.training_modes import TrainingModes
from autograd_lint.checkers.training_record import TrainingRecord
from autograd_lint.checkers.unfrozen_parameters import UnfrozenParameters
from autograd_lint.checkers.unoptimized import Unoptimized
from autograd_lint.checkers.unreached_leaves import UnreachedLeaves
from autograd_lint.checkers.unregistered import Unregistered
from autograd_lint.checkers.unreturned_values import UnreturnedValues
from autograd_lint.checkers.unstepped import Unstepped
from autograd_lint.checkers.unstored_gradients import UnstoredGradients
from autograd_lint.checkers.unused_losses import UnusedLosses
from autograd_lint.checkers.updated_twice import UpdatedTwice
from autograd_lint.checkers.used_gradients import UsedGradients
from autograd_lint.checkers.used_up import UsedUp
from autograd_lint.checkers.value_numbers import ValueNumbers
from autograd_lint.checkers.weight_averages import WeightAverages
from autograd_lint.checkers.withheld_gradients import WithheldGradients
from autograd_lint.checkers.writes import Writes
from autograd_lint.checkers.written_entries import WrittenEntries
from autograd_lint.checkers.wrong_backwards import WrongBackwards
from autograd_lint.checkers.zeros_in_series import ZerosInSeries
from autograd_lint.libraries.torch.events import PassBegun
from autograd_lint.libraries.torch.tensors.tensor_classes import TensorClasses
from autograd_lint.libraries.torch.training.scaler import ScalerCalls
from autograd_lint.vm.listening import Listener, Listeners
from autograd_lint.vm.machine import Interpreter

RECORDS: tuple[type[Listener], ...] = (
    TrainingRecord,
    LeafRecord,
    LayerCalls,
    NetworkCalls,
    Bindings,
    Evaluations,
    GrowingContainers,
    WrittenEntries,
    CopiedParameters,
    WeightAverages,
    GraphlessLosses,
    GradientValues,
    NumberRecord,
    ScalerCalls,
    TensorClasses,
    ValueNumbers,
    Repairs,
)
# Records that only `check --coverage` reads.
COVERAGE: tuple[type[Listener], ...] = (KnownOperands,)
# In the order in which they hear of one event, and are asked at the end of the run.
CHECKERS: tuple[type[Checker], ...] = (
    Flags,
    Terms,
    UnreachedLeaves,
    RebuiltLosses,
    WithheldGradients,
    FlatOperators,
    ConstantTerms,
    CheckpointCuts,
    GraphBreaks,
    CutLayers,
    CutResults,
    CopiedActivations,
    CancelledTerms,
    StraightThrough,
    LossesLeftOut,
    SingleChoices,
    ZerosInSeries,
    LostUpdates,
    Rebinding,
    ReplacedLeaves,
    LateParameters,
    FrozenAdapters,
    Teachers,
    TiedParameters,
    BrokenTies,
    Unoptimized,
    UnfrozenParameters,
    Unregistered,
    KeptGraphs,
    EvaluationGraphs,
    Retaining,
    Modes,
    LeakingModes,
    ImportedModes,
    HookResults,
    RepeatedHooks,
    DroppedHooks,
    UnreturnedValues,
    RepeatedOrders,
    FlagsWithoutEffect,
    CountedTerms,
    UsedGradients,
    MixedLosses,
    MovedWeights,
    MultipliedLayers,
    SharedDefaults,
    MixedScales,
    ForeignSteps,
    SharedJudges,
    CutLeaves,
    IdleSteps,
    DiscardedGradients,
    Clipping,
    DoubleSteps,
    SchedulerOrder,
    ReplacedOptimizers,
    Targets,
    SharpenedTargets,
    EvaluatedTargets,
    PredictedTargets,
    AveragedTargets,
    Aliases,
    LentArguments,
    SharedParameters,
    Writes,
    Copies,
    Restoring,
    OwnStates,
    OwnAverages,
    SameModules,
    ReversedAverages,
    IncompleteAverages,
    IgnoredRates,
    SchedulerRhythm,
    RaisedJudges,
    RatesWithoutEffect,
    ActivationsTwice,
    CrossedShapes,
    FrozenEmbeddings,
    IgnoredGradients,
    ReversedGradients,
    BypassedReplicas,
    LeftModes,
    LoadedModes,
    TrainedInEvaluation,
    DriftingStatistics,
    TrainingModes,
    UnrecordedLosses,
    Returning,
    Trainable,
    Singularities,
    Degenerate,
    MissingBackward,
    MissingTargets,
    CustomFunctions,
    WrongBackwards,
    ForwardCalls,
    PassedOverFunctions,
    DroppedResults,
    NonLeafGradients,
    HiddenLeaves,
    UsedUp,
    Gathering,
    IntendedBackward,
    DecayedRows,
    DetachedArguments,
    BorrowedTensors,
    FilledLeaves,
    LeafForLoss,
    HandedBack,
    CarriedState,
    PartialCuts,
    Unstepped,
    SwitchedOff,
    DecidingParameters,
    DataLosses,
    DataInputs,
    CutPenalties,
    FrozenSteps,
    Residuals,
    InnerUpdates,
    RestartedUpdates,
    UnusedLosses,
    UnstoredGradients,
    OverwrittenLosses,
    LearningWeights,
    ScoredSamples,
    SamplesWithoutGradient,
    CutRecurrences,
    KeptGradients,
    KeptValues,
    GatheredGradients,
    DrawnAnew,
    OwnCheckpoints,
    UpdatedTwice,
    LateClosures,
    RenewedOptimizers,
    ConstantRatios,
)

_ASKED_AT_END = tuple(checker for checker in CHECKERS if checker.end is not Checker.end)


def attach(interp: Interpreter, *, coverage: bool = False) -> None:
    """Have all checkers listen to a run, and who notes what was reached if `coverage` is wanted."""
    interp.listeners = _listeners(coverage)
    interp.engine.backward.on_pass = lambda walk: interp.emit(PassBegun(walk))


def end(interp: Interpreter) -> None:
    """The program has run to its end: ask all checkers what only now can be judged."""
    for checker in _ASKED_AT_END:
        interp.state(checker).end(interp)


@cache
def _listeners(coverage: bool) -> Listeners:
    """Who hears of what; of one event the records first, then the checkers in their order."""
    listeners = Listeners()
    for listener in (*RECORDS, *CHECKERS):
        listener.listen(listeners)
    for listener in COVERAGE if coverage else ():
        listener.listen(listeners)
    TrainingRecord.listen_last(listeners)
    return listeners
