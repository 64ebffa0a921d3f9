"""Messages about graphs: freed, missing, or not reached from a root."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import BACKWARD, Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "hook-after-free",
        (r"Calling register_hooks on a saved tensor after it has been freed",),
        FaultKind.GRAPH_FREED,
        ("AG201", "AG310"),
        "hooks are registered on a saved tensor whose graph was freed",
        ("put the hooks on before backward",),
        r"register_hooks\(|" + BACKWARD,
    ),
    Topic(
        "graph-freed",
        (
            r"backward through the graph a second time",
            r"(?:saved )?(?:intermediate (?:results|values)|buffers|saved tensors|saved variables)"
            r" (?:of the graph )?(?:have|are) (?:already been )?freed",
            r"access saved (?:tensors|variables) after they have already been freed",
            r"tensor that was already unpacked once",
        ),
        FaultKind.GRAPH_FREED,
        ("AG201", "AG202", "AG501", "AG310"),
        "backward runs through a graph whose saved tensors were freed by an earlier backward",
        (
            "a hidden state, memory or running average carries its graph into the next iteration:"
            " `detach()` it",
            "part of the graph is built once, outside the loop that calls backward in"
            " every iteration",
            "two losses share part of the graph, and backward is called on each: add them first",
            "a loss is summed over iterations, and backward is called in each of them",
        ),
        BACKWARD + r"|self\.\w+\s*=(?!=)|retain_graph",
        earlier=True,
    ),
    Topic(
        "number-without-backward",
        (
            r"'(?P<subject>float|int|NoneType|numpy\.\w+|ndarray)' object has no"
            r" attribute 'backward'",
        ),
        FaultKind.NO_GRAD_ROOT,
        ("AG301", "AG311", "AG313"),
        "backward is called on a plain number (or None), not on a tensor",
        (
            "`.item()` or `float(...)` on the way to the loss",
            "a sum that starts at `0` and stays there because its loop is empty",
            "a function that returns `0.0` instead of a loss, or has no `return`",
        ),
        r"\.item\(|float\(|loss\s*=|return\b|" + BACKWARD,
        earlier=True,
    ),
    Topic(
        "checkpoint-not-necessary",
        (r"none of output has requires_grad=True",),
        FaultKind.NO_GRAD_ROOT,
        ("AG318", "AG310", "AG301"),
        "nothing that a checkpoint returns requires grad when backward reaches it",
        ("the checkpointed function detaches its result, or everything in it is frozen",),
        r"checkpoint\(|detach\(|no_grad",
    ),
    Topic(
        "no-grad-root",
        (
            r"element (?P<index>\d+) of (?:tensors|variables) does not require grad",
            r"does not require grad and does not have a grad_fn",
        ),
        FaultKind.NO_GRAD_ROOT,
        ("AG301", "AG311", "AG313", "AG321", "AG332", "AG318", "AG314", "AG316", "AG307"),
        "backward is called on a tensor that has no graph",
        (
            "the loss was rebuilt from plain numbers: `torch.tensor(...)`, `.item()`, `.detach()`,"
            " `.data`, NumPy",
            "the forward ran under `torch.no_grad()`, `inference_mode()` or after"
            " `set_grad_enabled(False)`",
            "the loss is computed by something without a gradient: `argmax`, a comparison, an"
            " integer cast",
            "all parameters are frozen, or a parameter was replaced by a plain tensor",
            "reentrant gradient checkpointing with inputs that do not require grad",
        ),
        r"\.item\(|\.detach\(|\.data\b|torch\.tensor\(|no_grad|inference_mode|argmax|numpy\(|"
        r"\.(?:long|int|bool)\(|requires_grad|set_grad_enabled|" + BACKWARD,
        earlier=True,
    ),
    Topic(
        "non-scalar-root",
        (
            r"grad can be implicitly created only for (?:real )?scalar outputs",
            r"Mismatch in shape: grad_output\[(?P<index>\d+)\]",
            r"grad can be implicitly computed only for",
            r"gradients? tensor .{0,200} must (?:be|have) the same (?:shape|size)",
            r"For complex Tensors, both grad_output",
        ),
        FaultKind.NON_SCALAR_ROOT,
        ("AG302", "AG310"),
        "backward is called on a tensor with several elements, without a (matching) gradient for"
        " them",
        (
            "a loss with `reduction='none'`, or one per GPU (`DataParallel`): take its `mean()`",
            "`grad(y, x)` of a batch: pass `grad_outputs=torch.ones_like(y)`",
        ),
        BACKWARD + r"|reduction\s*=\s*.none|reduce\s*=\s*False|\bloss\w*\s*=(?!=)|_loss\s*=(?!=)",
    ),
    Topic(
        "unused-input",
        (
            r"differentiated Tensors? (?:at index (?P<index>\d+) )?appears? to not have been used",
            r"One of the differentiated Tensors given as 'inputs' to backward is not a leaf",
        ),
        FaultKind.UNUSED_INPUT,
        ("AG305", "AG319", "AG316", "AG311", "AG308"),
        "a gradient is requested for a tensor that the result does not depend on",
        (
            "the tensor was replaced (`x = x.to(...)`, a copy, a view of it) before it was used",
            "the model was copied, or only a part of its parameters is used",
            "some of the parameters are frozen: leave them out of the list",
            "a second derivative, where the first was computed without `create_graph=True`",
        ),
        r"\bgrad\(|inputs\s*=|deepcopy|requires_grad|create_graph",
        earlier=True,
    ),
    Topic(
        "input-without-grad",
        (r"of the differentiated Tensors does not require grad",),
        FaultKind.UNUSED_INPUT,
        ("AG305", "AG319", "AG316", "AG311", "AG308"),
        "a gradient is requested for a tensor that does not require grad",
        (
            "some of the parameters are frozen: leave them out of the list",
            "`x.requires_grad_()` comes after `x` was used, or on a copy of it",
            "the tensor was computed under `no_grad()`, or was detached",
        ),
        r"\bgrad\(|inputs\s*=|deepcopy|requires_grad|create_graph",
        earlier=True,
    ),
)
