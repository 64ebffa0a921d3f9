"""Messages of a backward that has begun: NaN, distributed training, checkpoints, hooks."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "nan-in-backward",
        (
            r"[Ff]unction '?(?P<node>\w+?)'? returned nan values in its"
            r" (?P<output>\d+)(?:st|nd|rd|th) output",
        ),
        FaultKind.OTHER,
        ("AG342", "AG341", "AG354"),
        "the gradient of an operator is NaN",
        (
            "`sqrt`, `norm`, `pow` or `acos` at a value where the derivative is infinite: add a"
            " small number, or mask before the operator",
            "`torch.where` hides a branch whose gradient is still NaN",
            "the learning rate or the loss scale is too high, and the weights overflow",
        ),
        r"sqrt\(|norm\(|\*\*|pow\(|log\(|acos\(|asin\(|where\(|std\(|exp\(|atan2\(|dist\(| / ",
        earlier=True,
    ),
    Topic(
        "parameter-not-used",
        (r"Expected to have finished reduction in the prior iteration",),
        FaultKind.OTHER,
        ("AG310", "AG322"),
        "with DistributedDataParallel, a parameter did not take part in the loss",
        (
            "a layer is created and not used, or only used conditionally: remove it or pass"
            " `find_unused_parameters=True`",
        ),
        r"DistributedDataParallel\(|DDP\(|nn\.\w+\(|find_unused_parameters",
        earlier=True,
    ),
    Topic(
        "parameter-ready-twice",
        (
            r"Expected to mark a variable ready only once",
            r"has been marked as ready twice",
        ),
        FaultKind.OTHER,
        ("AG310", "AG318"),
        "with DistributedDataParallel, backward reaches a parameter twice",
        (
            "reentrant checkpoints share a parameter: `use_reentrant=False`",
            "a submodule runs outside the `forward` of the wrapped module",
        ),
        r"checkpoint\(|DistributedDataParallel\(|DDP\(|find_unused_parameters",
        earlier=True,
    ),
    Topic(
        "no-gradients-for-ddp",
        (r"DistributedDataParallel is not needed when a module doesn't have any parameter",),
        FaultKind.OTHER,
        ("AG310",),
        "a module without a parameter that requires grad is wrapped",
        ("all parameters are frozen",),
        r"DistributedDataParallel\(|DDP\(|requires_grad",
    ),
    Topic(
        "checkpoint",
        (
            r"torch\.utils\.checkpoint",
            r"[Cc]heckpointing is not compatible with \.grad\(\)",
            r"When use_reentrant=True",
            r"different number of tensors was saved during the original forward and recomputation",
            r"[Rr]ecomputed values (?:for the following tensors )?have different metadata",
            r"Unexpected keyword arguments: (?P<subject>\w+)",
            r"None of the inputs have requires_grad=True",
        ),
        FaultKind.OTHER,
        ("AG310", "AG318", "AG103"),
        "a gradient checkpoint does not support how it is used",
        (
            "reentrant checkpoints: pass `use_reentrant=False`",
            "the function does something different when it is recomputed: a counter, a random"
            " number, a mode",
        ),
        r"checkpoint\w*\(|use_reentrant|global |self\.\w+\s*[-+*/]?=",
        earlier=True,
    ),
    Topic(
        "hook",
        (
            r"[Cc]annot use both regular backward hooks and full backward hooks",
            r"[Bb]ackward (?:pre )?hook returned an invalid number",
            r"hooks? (?:has|have) changed the (?:type|size|shape)",
            r"hook '?(?P<subject>\w+)'? has changed",
            r"expected hook to return|For backward hooks to be called",
            r"[Cc]alling register_hooks on a saved tensor",
            r"saved tensor (?:pack|unpack)[_ ]hook",
            r"A saved tensor pack hook is modifying its input",
            r"[Uu]sing a non-full backward hook|Full backward hook is firing",
        ),
        FaultKind.OTHER,
        ("AG310", "AG108"),
        "a hook returns or does something that PyTorch rejects",
        ("return one gradient (or None) for each that the hook is given, of the same shape",),
        r"register_\w*hook|hooks?\(|return\b",
        earlier=True,
    ),
)
