"""What assumptions are called in messages to users: the one place that has their sentences."""

from __future__ import annotations

from autograd_lint.engine.assumptions import Assumption, Condition, Kind
from autograd_lint.project.code import shortened

SENTENCES = {
    Kind.ASKED_FOR_BY_NOBODY: "`{about}` is called with an option that no caller here passes",
    Kind.BACKWARD_IN_TESTS: "backward runs, though these tests never call it",
    Kind.BACKWARD_TWICE: "`backward()` runs through it twice",
    Kind.BATCH_PASSED_OVER: "a batch is passed over in line {detail}",
    Kind.CALLED: "`{about}` is called",
    Kind.CALLED_AGAIN_AND_AGAIN: "`{about}` is called repeatedly",
    Kind.CALLED_OTHERWISE: "`{about}` is called in a way that no caller in this project does",
    Kind.CALLED_THOUGH_COPIED: "`{about}` is called, though the project calls a copy of it",
    Kind.CALLED_WHERE_TRAINED: "`{about}` is called where something is trained",
    Kind.CALLED_WITH_NONE: "the call is made although its tensor is None",
    Kind.CALLERS_CLEAR_NOTHING: "the callers of `{about}` do not clear gradients",
    Kind.CALL_MADE_SO: "this code path runs",
    Kind.CALL_RECORDED: "`{about}` is called as in the recorded run",
    Kind.CHOSEN_IN_PLACE: "the in-place variant is used while gradients are needed",
    Kind.CONDITIONS_TOGETHER: "all of these conditions hold together where a loss is computed",
    Kind.CONDITION_LAYS_ASIDE: "the condition of `{about}` masks values out",
    Kind.DATA_DEGENERATE: "the data come to such a case of `{about}`",
    Kind.DEPENDS_ON_MODE: "`{about}` has dropout or batch normalization",
    Kind.DIFFERENTIATED: "`{about}` is differentiated",
    Kind.DIFFERENTIATED_BY_CALLERS: "the result of `{about}` is differentiated, as callers do it",
    Kind.DIFFERENTIATED_IN_TESTS: "`{about}` is differentiated by its inputs, as tests do it",
    Kind.DIFFERENTIATED_IN_VAIN: "its gradient is requested, although it has none",
    Kind.EMPTY: "`{about}` is empty",
    Kind.EVALUATED_WITH_GRAD_MODE: "`{about}` evaluates with grad mode on",
    Kind.GIVEN_BY_NOBODY: "`{about}` is passed an object that nothing in this project creates",
    Kind.GRAD_MODE_IN_EVALUATION: "the evaluation runs with grad mode on",
    Kind.GRAD_MODE_KEPT: "`{about}` leaves grad mode unchanged",
    Kind.GRAD_MODE_ON: "`{about}` is called with grad mode on",
    Kind.GRAD_MODE_ON_FOR_USE: "it is called with grad mode on, though it uses a trained model",
    Kind.GRAD_MODE_ON_OUTSIDE: "`{about}` is also reached with grad mode on",
    Kind.GRADIENTS_PASS: "gradients pass through `{about}`",
    Kind.GRADIENT_IN_OTHER_PRECISION: "the gradient did not have dtype {detail} before",
    Kind.GRAPH_KEEPS_SOMETHING: "`{about}` is not a leaf, and its graph has saved tensors",
    Kind.GRAPH_LIKE_PARTS: "`{about}` has a graph, like its other elements",
    Kind.GRAPH_PASSED_ON: "`{about}` does not cut the graph of what it is given",
    Kind.HAS_HOOKS: "the module has hooks, or is wrapped",
    Kind.HAS_PARAMETERS: "`{about}` computes with parameters of the module",
    Kind.HAS_REQUIRING_PARAMETERS: "`{about}` has parameters that require grad",
    Kind.IN_LOSS: "the result of `{about}` takes part in a loss",
    Kind.IS_DATA: "`{about}` does not require grad",
    Kind.IS_ENTRY: "`{about}` is `{detail}`",
    Kind.IS_LEAF: "`{about}` is a leaf",
    Kind.IS_METHOD: "`{about}` is a method",
    Kind.IS_MODULE: "`{about}` is a module",
    Kind.IS_NONE: "`{about}` is None",
    Kind.IS_SET: "`{about}` is set",
    Kind.IS_TENSOR: "`{about}` is a tensor",
    Kind.IS_TYPE: "`{about}` is a {detail}",
    Kind.ITERATED_AGAIN: "the loop in line {detail} runs more than once",
    Kind.KEPT_FOR_VALUES: "the operator keeps this tensor for these values and shapes",
    Kind.KEPT_UNUSED: "what `{about}` keeps of it takes part in no loss",
    Kind.LATER_ITERATION_KEEPS_NO_STATE: "a later iteration of the loop does not keep any state",
    Kind.LEFT_ALONE: "`{about}` leaves what it can reach unchanged",
    Kind.LEAF_THAT_REQUIRES_GRAD: "`{about}` is a leaf that requires grad",
    Kind.LOSS_SAVES_TENSORS: "the graph of the loss `{about}` has saved tensors",
    Kind.MADE_ON_CPU: "the module is created on the CPU",
    Kind.MEANT_AS_AVERAGE: "the copy is meant to follow the trained network",
    Kind.MEANT_AS_COPY: "a copy is meant",
    Kind.MEANT_AS_EVALUATION: "`{about}` is meant to evaluate, not to train",
    Kind.MEANT_AS_MEAN: "the batches of a window are meant to be averaged",
    Kind.MEANT_AS_SCORE: "the product is meant as a policy gradient",
    Kind.MEANT_AS_TARGET: "this is meant as a training target",
    Kind.MEANT_FOR_AUTOGRAD: "autograd is meant to run `{about}`",
    Kind.MEANT_TO_CROSS: "the steps are meant to be trained together",
    Kind.MEANT_TO_LEARN: "`{about}` is meant to be trained",
    Kind.MEANT_TO_STAY: "`{about}` is meant to stay as it is",
    Kind.MODULE_TRAINED: "`{about}` is trained, and not only used with weights that are loaded",
    Kind.NEVER_CALLED: "nothing calls `{about}` later",
    Kind.NEW_TENSOR: "the conversion returns a new tensor",
    Kind.NOT_CLEARED_BETWEEN: "`{about}` is called again, and its callers do not clear gradients",
    Kind.NOT_RENEWED: "no caller resets what is kept from one iteration to the next",
    Kind.NOT_REBUILT: "no caller builds the graph anew before it is needed again",
    Kind.NO_DERIVATIVE: "the kernel of `{about}` has no derivative",
    Kind.NO_DERIVATIVE_IN_ALL: "`{about}` is not differentiable in all of its arguments",
    Kind.NO_NUMBER: "the accumulated value is a tensor, not a Python number",
    Kind.NO_OVERLAP: "`{about}` does not overlap itself",
    Kind.ONE_ELEMENT: "`{about}` has one element",
    Kind.ONE_OF_BATCH: "it runs for one element of a batch, under `vmap`",
    Kind.ON_CPU: "`{about}` is on the CPU",
    Kind.OTHER_BEFORE: "the tensor had another dtype or device before",
    Kind.OTHER_DEVICE: "`{about}` is not the CPU",
    Kind.OTHER_LOSS: "`{about}` is not meant to be trained by this loss",
    Kind.OTHER_PRECISION: "the tensor was not {detail} before",
    Kind.OF_LOSS_ITSELF: "`backward()` starts at the loss, not at a copy of it",
    Kind.NOT_ONLY_SHOWN: "the cell does more than show what this line does",
    Kind.OUTLIVES_DEMONSTRATION: "what the module trains when run by itself is kept",
    Kind.OUTLIVES_TEST: "what `{about}` trains or stores outlives the test",
    Kind.PICKS_AND_TRAINS: "`{about}` is trained, though it returns the positions it picked",
    Kind.READ_BY_CALLER: "`{about}` is called with a tensor that its caller uses again",
    Kind.REFUSED_LATER: "a later PyTorch refuses what this one warns of",
    Kind.REQUIRES_GRAD: "`{about}` requires grad",
    Kind.RESULT_TRAINED: "`backward()` runs through the result of `{about}`",
    Kind.RETURN_TRAINED: "`backward()` runs through what `{about}` returns",
    Kind.RUNS_ON_CPU: "it runs on the CPU",
    Kind.RUNS_ON_GPU: "it runs on a GPU",
    Kind.SCORE_HAS_GRAPH: "what is named like a count of hits has a graph",
    Kind.SEVERAL_OPERATORS: "`{about}` runs more than one operator",
    Kind.SHARED_GRAPH: "the outputs of `{about}` share a graph",
    Kind.SWITCHED_ON_BY_NOBODY: "an option of `{about}` is on that is off wherever it is set here",
    Kind.TENSOR_BESIDE_ARRAYS: "a tensor that requires grad comes together with arrays of NumPy",
    Kind.TEST_FAILS: "the test fails",
    Kind.TO_BE_TRAINED: "it is meant to be trained",
    Kind.TRAINED_THOUGH_COPIED: "`{about}`, which is made of copies, is trained",
    Kind.TRAINED_THOUGH_FROZEN: "`{about}` is trained, though what makes it freezes it",
    Kind.UPDATES_TRAINED: "`{about}` updates what is trained here",
    Kind.USED_AGAIN: "`{about}` is used again",
    Kind.USED_BY_OTHERS: "others use `{about}`",
    Kind.USES_PARTS: "`{about}` uses what it is constructed with",
    Kind.USUAL_PATHS: "the usual branches are taken",
    Kind.VIEW_NOT_ASKED_FOR: "`{about}` does not use the base of a view",
    Kind.WANTED_BY_CALLER: "the caller needs its tensor unchanged",
    Kind.WRITE_CHANGES_VALUES: "the write changes values",
}
# The sentences of assumptions about what the program has no name for.
UNNAMED = {
    Kind.MEANT_TO_LEARN: "what computes the loss is meant to be trained",
    Kind.UPDATES_TRAINED: "the optimizer updates what is trained here",
}


def worded(assumption: Assumption) -> str:
    """The sentence of an assumption, without a full stop."""
    if assumption.condition is not None:
        by_default = assumption.kind is Kind.CONDITION_BY_DEFAULT
        return _of_condition(assumption.condition) + (", as by default" if by_default else "")
    sentence = SENTENCES[assumption.kind]
    if not assumption.about:
        sentence = UNNAMED.get(assumption.kind, sentence)
    return sentence.format(about=assumption.about, detail=assumption.detail)


def _of_condition(condition: Condition) -> str:
    outcome = "holds" if condition.holds else "does not hold"
    return f"`{shortened(condition.code)}` {outcome} in line {condition.place.row}"
