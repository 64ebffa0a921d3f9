"""Pitfalls: what the real engine accepts without a word, though gradients are lost or memory is."""

from enum import Enum


class Pitfall(Enum):
    """The classes of pitfall; nothing raises, so the contract's `predicts` is null for them."""

    HOOK_MODIFIES = "hook-modifies-gradient"
    GRADIENT_CUT = "gradient-cut"
    UNRECORDED_LOSS = "unrecorded-loss"
    TRAINABLE_IN_VAIN = "trainable-in-vain"
    CONSTANT_TERM = "constant-loss-term"
    LOSS_REBUILT = "loss-rebuilt"
    PENALTY_WITHOUT_GRAPH = "penalty-without-graph"
    NON_LEAF_GRAD = "non-leaf-grad"
    PARAMETER_REBOUND = "parameter-rebound"
    UNREGISTERED = "unregistered"
    FLAG_WITHOUT_EFFECT = "flag-without-effect"
    NOT_OPTIMIZED = "not-optimized"
    NO_OPTIMIZER = "no-optimizer"
    USED_UP = "used-up-generator"
    NO_GRADIENTS = "optimizer-without-gradients"
    MISSING_ZERO_GRAD = "missing-zero-grad"
    ZERO_GRAD_BEFORE_STEP = "zero-grad-before-step"
    STEP_BEFORE_BACKWARD = "step-before-backward"
    CLIP_IN_VAIN = "clip-in-vain"
    SCALED_GRADIENTS = "scaled-gradients"
    SCHEDULER_FIRST = "scheduler-first"
    NOT_CALLED = "not-called"
    RESULT_DROPPED = "result-dropped"
    FOREIGN_GRADIENT = "foreign-gradient"
    GRAPH_KEPT = "graph-kept"
    NEEDLESS_RETAIN = "needless-retain"
    MODE_WITHOUT_EFFECT = "mode-without-effect"
    MODE_LEAKS = "mode-leaks"
    MODE_NOT_INHERITED = "mode-not-inherited"
    KEPT_ON_CONTEXT = "kept-on-context"
    NOT_MARKED_DIRTY = "not-marked-dirty"
    CUT_IN_BACKWARD = "cut-in-backward"
    TARGET_LEARNS = "target-learns"
    CHECKPOINT_CUTS = "checkpoint-cuts"
    SNAPSHOT_OVERWRITTEN = "snapshot-overwritten"
    STATE_OVERWRITTEN = "state-overwritten"
    ARGUMENT_OVERWRITTEN = "argument-overwritten"
    OBSERVED_MODIFIED = "observed-tensor-modified"
    WRITE_WITHOUT_DERIVATIVE = "write-without-derivative"
    INPUT_UNUSED = "backward-input-unused"
    TIED_APART = "tied-parameter-copied"
    FROZEN_MOVES = "frozen-parameter-moves"
    FREEZE_UNDONE = "freeze-undone"
    GRAPH_UNDER_NO_GRAD = "graph-under-no-grad"
    GRADIENTS_PILE_UP = "gradients-pile-up"
    GRADIENT_KEEPS_GRAPH = "gradient-keeps-graph"
    EVALUATION_BUILDS_GRAPHS = "evaluation-builds-graphs"
    ACCUMULATION_UNSCALED = "accumulation-unscaled"
    FORWARD_CALLED = "forward-called"
    ALIAS_FOR_COPY = "alias-taken-for-copy"
    UNRECORDED_CHANGE = "unrecorded-change"
    MASKED_SINGULARITY = "masked-singularity"
    SINGULAR_AT_ZERO = "singular-at-zero"
    LEAF_FOR_LOSS = "leaf-for-loss"
    LEAF_FILLED = "leaf-filled"
    LEAF_REPLACED = "stepped-leaf-replaced"
    PARAMETER_DETACHED = "parameter-detached"
    ARGUMENT_DETACHED = "argument-detached"
    NEVER_STEPPED = "optimizer-never-steps"
    LEGACY_HOOK = "legacy-backward-hook"
    MODULE_BACKWARD = "backward-of-module"
    MEMORY_SHARED = "memory-shared"
    OWN_STATE = "own-state-loaded"
    LEFT_IN_EVALUATION = "left-in-evaluation"
    SCHEDULER_LEFT_BEHIND = "scheduler-left-behind"
    HOOK_REPEATED = "hook-repeated"
    ADAPTER_FROZEN = "adapter-frozen"
    TIE_BROKEN = "tie-broken"
    TRAINING_MODE = "validated-in-training-mode"
    REPLICA_BYPASSED = "replica-bypassed"
    OUTPUT_GRADIENT_IGNORED = "output-gradient-ignored"
    EMBEDDING_FROZEN = "embedding-frozen"
    SCHEDULER_OUT_OF_STEP = "scheduler-out-of-step"
    LAST_ITERATION_ONLY = "last-iteration-only"
    RECURRENCE_CUT = "recurrence-cut"
    SAMPLE_SCORED = "sample-scored"
    AVERAGE_REVERSED = "average-reversed"
    AVERAGE_INCOMPLETE = "average-incomplete"
    RATE_IGNORED = "rate-ignored"
    STATISTICS_DRIFT = "frozen-statistics-drift"
    CONSTANT_DROPOUT = "dropout-in-evaluation"


EVALUATED = "evaluated"  # the detail of a kept graph that an evaluation has built
UNUSED_LOSS = "unused loss"  # the detail where a loss takes no part in a backward
ADVANTAGE = "advantage"  # the detail of a weight of log probabilities that gets a gradient
OLD_PROBABILITY = "old probability"  # the same of the probabilities before an update
LEFT_OUT = "left out"  # the detail of a parameter that optimizers lack, unlike its neighbours
COPIED = "copied activation"  # the detail of a cut that other paths of the gradient go around
INPUT = "input"  # the detail of what is kept on a context, where it is no result
CUSTOM_FUNCTION = "custom function"  # the detail of a forward that is one of a custom Function
UNSCALED = "unscaled"  # the detail of a loss beside one that a gradient scaler has scaled
GATHERED = "gathered"  # the detail of gradients that are added to a sum, batch by batch
LOST_UPDATE = "lost update"  # the detail of a name that a loop binds to the next parameter
METRIC = "metric"  # the detail of a scheduler that is told a metric
CALLED_AS_TARGET = "called as target"  # the detail of a module that is its own target
MODE_UNDONE = "mode undone"  # the detail of a frozen layer that was to be evaluated
BUFFERS_LEFT_OUT = "buffers left out"  # the detail of an average of parameters alone
LOST_ENTRY = "lost entry"  # the same of an entry of what `state_dict()` gave
