"""The page that leads from what PyTorch prints to the rules that find it before.

The texts are those of torch 2.13; which rules answer to one is what `diagnose` says.
"""

from autograd_lint.diagnosis.topics.registry import TOPICS
from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.rules.registry import by_code_or_name

PAGE = "errors.md"
_FIRST_IN_THE_SEARCH = ("---", "search:", "  boost: 8", "---", "")

MESSAGES = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an "
    "inplace operation: [torch.FloatTensor [3]], which is output 0 of SigmoidBackward0, is at "
    "version 1; expected version 0 instead.",
    "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.",
    "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place "
    "operation.",
    "RuntimeError: Output 0 of UnbindBackward0 is a view and is being modified inplace. This view "
    "is the output of a function that returns multiple views.",
    "RuntimeError: A view was created in no_grad mode and is being modified inplace with grad mode "
    "enabled.",
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved "
    "tensors after they have already been freed).",
    "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn",
    "RuntimeError: grad can be implicitly created only for scalar outputs",
    "RuntimeError: One of the differentiated Tensors appears to not have been used in the graph. "
    "Set allow_unused=True if this is the desired behavior.",
    "ValueError: can't optimize a non-leaf Tensor",
    "RuntimeError: Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
    "instead.",
    "RuntimeError: Inference tensors cannot be saved for backward.",
    "RuntimeError: Inplace update to inference tensor outside InferenceMode is not allowed.",
    "RuntimeError: you can only change requires_grad flags of leaf variables.",
    "RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
    "UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is being accessed.",
    "AttributeError: 'NoneType' object has no attribute 'zero_'",
    "AttributeError: 'float' object has no attribute 'backward'",
    "RuntimeError: function MyFunctionBackward returned an incorrect number of gradients "
    "(expected 2, got 1)",
    "RuntimeError: derivative for aten::nextafter is not implemented",
    "RuntimeError: add(): functions with out=... arguments don't support automatic "
    "differentiation, but one of the arguments requires grad.",
    "RuntimeError: Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
    "protocol at the moment.",
    "RuntimeError: Only Tensors of floating point and complex dtype can require gradients",
    "UserWarning: None of the inputs have requires_grad=True. Gradients will be None",
    "RuntimeError: Function 'SqrtBackward0' returned nan values in its 0th output.",
    "RuntimeError: unscale_() has already been called on this optimizer since the last update().",
    "RuntimeError: Expected to have finished reduction in the prior iteration before starting a "
    "new one.",
    "torch.OutOfMemoryError: CUDA out of memory.",
)


def topic_of(message: str) -> Topic:
    """What a message is about."""
    return next(topic for topic in TOPICS if topic.search(message))


def page() -> str:
    """The messages with what they mean, and the rules that explain them, in Markdown."""
    lines = [
        *_FIRST_IN_THE_SEARCH,
        "# Error messages of PyTorch",
        "",
        "Search this page for the message you see, or pass it to `autograd-lint diagnose`, which",
        "finds the lines of your program that explain it ([diagnose](diagnose.md)).",
    ]
    for message in MESSAGES:
        topic = topic_of(message)
        said = f"{topic.said[0].upper()}{topic.said[1:]}."
        lines += ["", f"## {message}", "", said, "", "Rules that report the causes:", ""]
        lines += [f"- {_link(code)}" for code in topic.codes]
    return "\n".join(lines) + "\n"


def _link(code: str) -> str:
    rule = by_code_or_name(code)
    if rule is None:
        return code
    return f"[{code} {rule.name}](rules/{rule.name}.md): {rule.summary()}"
