"""Messages of modules, optimizers and training steps."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "not-a-parameter",
        (
            r"cannot assign '(?P<type>[\w.]+)'(?: object)? (?:as|to) (?:parameter"
            r"|buffer|child module)"
            r" '(?P<subject>\w+)'",
            r"[Cc]annot (?:assign|register) non-leaf (?:Tensor|Variable)",
            r"attribute '(?P<subject>\w+)' already exists",
        ),
        FaultKind.OTHER,
        ("AG310",),
        "something that is not a parameter is assigned to a parameter",
        ("wrap it in `nn.Parameter`, or `copy_` the values under `no_grad()`",),
        r"Parameter|self\.\w+\s*=|\.weight\s*=|\.bias\s*=|register_",
    ),
    Topic(
        "grad-scaler",
        (
            r"(?P<subject>unscale_|step)\(\) has already been called",
            r"since the last update\(\)",
            r"No inf checks were recorded",
            r"Attempting to unscale FP16 gradients",
        ),
        FaultKind.OTHER,
        ("AG310", "AG405"),
        "the methods of a `GradScaler` are called in the wrong order",
        ("`scale`, `backward`, `unscale_`, `step`, `update`: once each in every iteration",),
        r"scaler\.|unscale_|\.update\(",
    ),
    Topic(
        "optimizer-call",
        (
            r"LBFGS (?:doesn't|only) support",
            r"(?P<subject>closure)",
            r"total norm of order [\d.]+ for gradients .{0,200} is non-finite",
            r"optimizer got an empty parameter list",
        ),
        FaultKind.OTHER,
        ("AG310", "AG322"),
        "an optimizer (or gradient clipping) is called with arguments that it rejects",
        ("`LBFGS` needs a closure that computes the loss, calls backward and returns the loss",),
        r"\.step\(|LBFGS\(|clip_grad|optim\.",
    ),
    Topic(
        "number-wanted",
        (
            r"must be Number, not Tensor",
            r"'fill_value' \(position \d+\) must be",
            r"Converting a tensor with requires_grad=True to a scalar",
            r"[Oo]nly one element tensors can be converted to Python scalars",
            r"a Tensor with \d+ elements cannot be converted to Scalar",
            r"'(?P<subject>float|int)' object has no attribute '(?:detach|item|cpu"
            r"|requires_grad|data|grad)'",
        ),
        FaultKind.OTHER,
        ("AG310",),
        "a number is passed where a tensor is expected, or the other way round",
        ("`.item()` makes a number of a tensor, and cuts the graph",),
        r"\.item\(|float\(|full\(|new_full\(|\.detach\(|\.data\b",
        earlier=True,
    ),
    Topic(
        "gradient-is-none",
        (
            r"'NoneType' object has no attribute '(?P<subject>zero_|data|detach_?|mul_"
            r"|add_|norm|mean"
            r"|clone|abs|sum|cpu|shape|pow|numpy|size|view|is_sparse|dtype|device)'",
            r"unsupported operand type\(s\) for .{0,200}'NoneType'",
            r"'NoneType' object is not (?:subscriptable|iterable)",
        ),
        FaultKind.OTHER,
        ("AG310", "AG315", "AG601", "AG321", "AG316", "AG311"),
        "`.grad` is None: no backward has reached that tensor",
        (
            "it is read or cleared before the first backward",
            "the tensor is not a leaf (`.to(...)`, `.cuda()` after `requires_grad=True`)",
            "the loss does not depend on it, or it was replaced (`w = w - lr * w.grad`)",
        ),
        r"\.grad\b|zero_\(|requires_grad",
        earlier=True,
    ),
    Topic(
        "compiled",
        (
            r"aot_autograd does not currently support double backward",
            r"when making fake tensor call",
        ),
        FaultKind.OTHER,
        ("AG101", "AG310"),
        "a compiled function cannot be differentiated in this way",
        ("leave the part with the second derivative out of `torch.compile`",),
        r"compile",
    ),
    Topic(
        "out-of-memory",
        (
            r"CUDA(?: error:)? out of memory",
            r"OutOfMemoryError",
            r"DefaultCPUAllocator: (?:not enough|can't allocate) memory",
            r"MPS backend out of memory",
        ),
        FaultKind.OTHER,
        ("AG501", "AG503", "AG504", "AG202", "AG602", "AG502", "AG410"),
        "memory ran out; if it grows with every step, graphs are kept alive",
        (
            "losses or outputs are accumulated with their graph: `total += loss` for"
            " `total += loss.item()`",
            "evaluation runs without `torch.no_grad()`",
            "a hidden state or buffer carries its graph into the next iteration",
            "`create_graph=True` or `retain_graph=True` without need",
        ),
        r"\+=\s*\w*loss|append\(|retain_graph|create_graph|self\.\w+\s*=",
        earlier=True,
    ),
)
