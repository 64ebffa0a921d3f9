"""Assumptions: what a fault rests on that the code does not say.

They say of what kind they are and what they are about, and hold no sentence: nothing that is found
can hang on how a message is worded.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, IntEnum

from autograd_lint.places import Place


class Kind(Enum):
    """What is assumed; the values name the kinds in files."""

    ASKED_FOR_BY_NOBODY = "asked-for-by-nobody"
    BACKWARD_IN_TESTS = "backward-in-tests"
    BACKWARD_TWICE = "backward-twice"
    BATCH_PASSED_OVER = "batch-passed-over"
    CALLED = "called"
    CALLED_AGAIN_AND_AGAIN = "called-again-and-again"
    CALLED_OTHERWISE = "called-otherwise"
    CALLED_THOUGH_COPIED = "called-though-copied"
    CALLED_WHERE_TRAINED = "called-where-trained"
    CALLED_WITH_NONE = "called-with-none"
    CALLERS_CLEAR_NOTHING = "callers-clear-nothing"
    CALL_MADE_SO = "call-made-so"
    CALL_RECORDED = "call-recorded"
    CHOSEN_IN_PLACE = "chosen-in-place"
    CONDITION = "condition"
    CONDITION_BY_DEFAULT = "condition-by-default"
    CONDITIONS_TOGETHER = "conditions-together"
    CONDITION_LAYS_ASIDE = "condition-lays-aside"
    DATA_DEGENERATE = "data-degenerate"
    DEPENDS_ON_MODE = "depends-on-mode"
    DIFFERENTIATED = "differentiated"
    DIFFERENTIATED_BY_CALLERS = "differentiated-by-callers"
    DIFFERENTIATED_IN_TESTS = "differentiated-in-tests"
    DIFFERENTIATED_IN_VAIN = "differentiated-in-vain"
    EMPTY = "empty"
    EVALUATED_WITH_GRAD_MODE = "evaluated-with-grad-mode"
    GIVEN_BY_NOBODY = "given-by-nobody"
    GRAD_MODE_IN_EVALUATION = "grad-mode-in-evaluation"
    GRAD_MODE_KEPT = "grad-mode-kept"
    GRAD_MODE_ON = "grad-mode-on"
    GRAD_MODE_ON_FOR_USE = "grad-mode-on-for-use"
    GRAD_MODE_ON_OUTSIDE = "grad-mode-on-outside"
    GRADIENTS_PASS = "gradients-pass"
    GRADIENTS_STEPPED_WITH = "gradients-stepped-with"
    GRADIENT_IN_OTHER_PRECISION = "gradient-in-other-precision"
    GRAPH_KEEPS_SOMETHING = "graph-keeps-something"
    GRAPH_LIKE_PARTS = "graph-like-parts"
    GRAPH_PASSED_ON = "graph-passed-on"
    HAS_HOOKS = "has-hooks"
    HAS_PARAMETERS = "has-parameters"
    HAS_REQUIRING_PARAMETERS = "has-requiring-parameters"
    IN_LOSS = "in-loss"
    IS_DATA = "is-data"
    IS_ENTRY = "is-entry"
    IS_LEAF = "is-leaf"
    IS_METHOD = "is-method"
    IS_MODULE = "is-module"
    IS_NONE = "is-none"
    IS_SET = "is-set"
    IS_TENSOR = "is-tensor"
    IS_TYPE = "is-type"
    ITERATED_AGAIN = "iterated-again"
    KEPT_FOR_VALUES = "kept-for-values"
    KEPT_UNUSED = "kept-unused"
    LATER_ITERATION_KEEPS_NO_STATE = "later-iteration-keeps-no-state"
    LEFT_ALONE = "left-alone"
    LOSS_SAVES_TENSORS = "loss-saves-tensors"
    LEAF_THAT_REQUIRES_GRAD = "leaf-that-requires-grad"
    MADE_ON_CPU = "made-on-cpu"
    MEANT_AS_AVERAGE = "meant-as-average"
    MEANT_AS_COPY = "meant-as-copy"
    MEANT_AS_EVALUATION = "meant-as-evaluation"
    MEANT_AS_MEAN = "meant-as-mean"
    MEANT_AS_SCORE = "meant-as-score"
    MEANT_AS_TARGET = "meant-as-target"
    MEANT_FOR_AUTOGRAD = "meant-for-autograd"
    MEANT_TO_CROSS = "meant-to-cross"
    MEANT_TO_LEARN = "meant-to-learn"
    MEANT_TO_STAY = "meant-to-stay"
    MODULE_TRAINED = "module-trained"
    NEVER_CALLED = "never-called"
    NEW_TENSOR = "new-tensor"
    NOT_CLEARED_BETWEEN = "not-cleared-between"
    NOT_ONLY_SHOWN = "not-only-shown"
    NOT_RENEWED = "not-renewed"
    NOT_REBUILT = "not-rebuilt"
    NO_DERIVATIVE = "no-derivative"
    NO_DERIVATIVE_IN_ALL = "no-derivative-in-all"
    NO_NUMBER = "no-number"
    NO_OVERLAP = "no-overlap"
    ONE_ELEMENT = "one-element"
    ONE_OF_BATCH = "one-of-batch"
    ON_CPU = "on-cpu"
    OPTIMIZED_REQUIRES_GRAD = "optimized-requires-grad"
    OTHER_BEFORE = "other-before"
    OTHER_DEVICE = "other-device"
    OTHER_LOSS = "other-loss"
    OTHER_PRECISION = "other-precision"
    OF_LOSS_ITSELF = "of-loss-itself"
    OUTLIVES_DEMONSTRATION = "outlives-demonstration"
    OUTLIVES_TEST = "outlives-test"
    PICKS_AND_TRAINS = "picks-and-trains"
    READ_BY_CALLER = "read-by-caller"
    REFUSED_LATER = "refused-later"
    REQUIRES_GRAD = "requires-grad"
    RESULT_TRAINED = "result-trained"
    RETURN_TRAINED = "return-trained"
    RUNS_ON_CPU = "runs-on-cpu"
    RUNS_ON_GPU = "runs-on-gpu"
    SCORE_HAS_GRAPH = "score-has-graph"
    SEVERAL_OPERATORS = "several-operators"
    SHARED_GRAPH = "shared-graph"
    SWITCHED_ON_BY_NOBODY = "switched-on-by-nobody"
    TENSOR_BESIDE_ARRAYS = "tensor-beside-arrays"
    TERM_OF_LOSS = "term-of-loss"
    TEST_FAILS = "test-fails"
    TO_BE_TRAINED = "to-be-trained"
    TRAINED_BY_OTHERS = "trained-by-others"
    TRAINED_THOUGH_COPIED = "trained-though-copied"
    TRAINED_THOUGH_FROZEN = "trained-though-frozen"
    UPDATES_TRAINED = "updates-trained"
    USED_AGAIN = "used-again"
    USED_BY_OTHERS = "used-by-others"
    USES_PARTS = "uses-parts"
    USUAL_PATHS = "usual-paths"
    VIEW_NOT_ASKED_FOR = "view-not-asked-for"
    WANTED_BY_CALLER = "wanted-by-caller"
    WRITE_CHANGES_VALUES = "write-changes-values"


class Prior(IntEnum):
    """How usual it is that something like it holds, before anything was counted.

    Priors of several assumptions are added where one fault is chosen among others.
    """

    USUAL = 0
    UNUSUAL = 1
    DARING = 2
    DATA = 3  # of what is rather plain data, that it has a graph

    @property
    def label(self) -> str:
        """What it is called in files."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of the program, its whole code and where it stands, and whether it holds.

    `by_default` says that it does where options are what they are by default.
    """

    code: str
    place: Place
    holds: bool
    by_default: bool = False

    @property
    def code_that_holds(self) -> str:
        """The condition that is true."""
        return self.code if self.holds else f"not ({self.code})"


@dataclass(frozen=True, slots=True)
class Assumption:
    """Something a fault rests on that the code does not say.

    `about` is the code of what it is about (an expression, or the name of a function or class), or
    the name of an operator; empty where the kind says it all. `detail` is what is assumed of it,
    where that is one of several. `condition` is the condition, where it is about one.

    `weight` is a `Prior`. `given` says that it is about a tensor that the code is given, and does
    not compute, `called` that it is about what callers do, `proven` that the program fails where it
    does not hold: then a finding does not rest on it.
    """

    kind: Kind
    about: str = ""
    detail: str = ""
    weight: int = 1
    given: bool = False
    called: bool = False
    proven: bool = False
    condition: Condition | None = None

    @property
    def prior(self) -> Prior:
        """How usual it is, before anything was counted."""
        return Prior(self.weight)

    @property
    def name(self) -> str:
        """What its kind is called in files and outputs: what is given is a kind of its own."""
        return f"argument-{self.kind.value}" if self.given else self.kind.value

    def as_of_data(self) -> Assumption:
        """The contrary: what requires grad on its account alone is data, and does not."""
        return Assumption(Kind.IS_DATA, self.about, weight=Prior.USUAL)

    def as_stepped_with(self) -> Assumption:
        """The same of what gradients pass through with which an optimizer steps."""
        return replace(self, kind=Kind.GRADIENTS_STEPPED_WITH, weight=0)

    def as_of_term(self) -> Assumption:
        """The same of what a term of a loss alone would have no graph without."""
        return replace(self, kind=Kind.TERM_OF_LOSS, weight=0)

    def as_data(self) -> Assumption:
        """The same where what the code is given is rather plain data, so that it is daring."""
        return replace(self, weight=2) if self.given and not self.proven else self
