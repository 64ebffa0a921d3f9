"""Messages about custom functions and operators without a derivative."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import CALLBACK, Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "wrong-number-of-gradients",
        (
            r"function (?P<node>\w+) returned an incorrect number of gradients"
            r" \(expected (?P<expected>\d+), got (?P<version>\d+)\)",
        ),
        FaultKind.CUSTOM_FUNCTION,
        ("AG601",),
        "the `backward` of a custom Function returns more or fewer gradients than its `forward` has"
        " inputs",
        ("return one gradient for each argument of `forward` after `ctx`, None for what has none",),
        r"def backward\b|return\b",
        earlier=True,
    ),
    Topic(
        "custom-function",
        (
            r"[Ff]unction (?P<node>\w+) returned an invalid gradient at index (?P<index>\d+)",
            r"[Ff]unction (?P<node>\w+) returned a gradient different than None at position"
            r" (?P<index>\d+)",
            r"You must implement (?:either )?the (?P<subject>\w+)",
            r"(?P<subject>save_for_backward) can only save",
            r"differentiate twice a function that was marked with"
            r" @(?P<subject>once_differentiable)",
            r"(?P<subject>mark_dirty|mark_non_differentiable)",
            r"marked as (?P<subject>dirty) during the forward method",
            r"[Ll]egacy autograd function with non-static (?P<subject>forward)",
            r"autograd function with non-static (?P<subject>forward)",
            r"Methods on autograd functions are all static",
            r"Implementing both '(?P<subject>backward)' and 'vjp'",
            r"(?P<subject>saved_tensors) can only be accessed once",
            r"modifies in-?place an input that is a view",
            r"returned as-is as output is being (?P<subject>save)d",
            r"expected Variable or None|expected Tensor or tuple of Tensor",
            r"jvp returned (?:a gradient|an invalid number)",
            r"Function's (?P<subject>jvp) ",
            r"In order to use an autograd\.Function with functorch",
            r"it does not have (?P<subject>vmap) support",
            r"[Cc]ustom (?:autograd\.)?Function",
            r"(?P<node>\w+Backward)' object has no attribute",
            r"(?P<node>\w+)\.(?P<subject>forward|backward|jvp|vjp|setup_context)\(\)"
            r" (?:takes|missing)",
            r"(?P<subject>forward|backward|jvp|vjp)\(\) (?:takes \d+|missing \d+)",
            r"missing a required argument",
        ),
        FaultKind.CUSTOM_FUNCTION,
        ("AG601", "AG602", "AG603", "AG604"),
        "a custom `autograd.Function` violates the rules for its methods",
        (
            "`backward` must return one gradient, of the right shape, for each input of `forward`",
            "only inputs and outputs go through `save_for_backward`",
            "an input that is modified in place must be passed to `mark_dirty` and returned",
        ),
        CALLBACK + r"|\.apply\(|mark_|once_differentiable",
        earlier=True,
    ),
    Topic(
        "not-differentiable-argument",
        (
            r"[Tt]he function '(?P<subject>\w+)' is not differentiable with respect to",
            r"This input cannot have requires_grad True",
        ),
        FaultKind.OTHER,
        ("AG309", "AG310"),
        "an argument of an operator has no derivative, but requires grad",
        ("a weight of a loss is given with its graph: `detach()` it",),
        r"\(",
    ),
    Topic(
        "not-differentiable",
        (
            r"derivative for '?(?:aten::)?(?P<subject>\w+)'? is not implemented",
            r"[Tt]he derivative of '?(?:aten::)?(?P<subject>\w+)'? is not implemented",
            r"backward through (?P<subject>[\w.:]+) but no autograd formula was registered",
            r"an autograd kernel was not registered",
            r"output of this custom operator \(\d+\) must not also be an input",
            r"Trying to use forward AD with (?P<subject>\w+) that does not support it",
            r"not differentiable twice",
        ),
        FaultKind.OTHER,
        ("AG309", "AG310", "AG113"),
        "backward reaches an operator that has no derivative",
        (
            "an operator that only counts, sorts or rounds is on the path to the loss",
            "a second derivative of an operator that only has a first one",
        ),
        r"\(",
        earlier=True,
    ),
)
