"""Messages about tensors, leaves and views that are written in place."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import NODE, WRITES, Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "saved-tensor-modified",
        (
            r"modified by an in-?place operation(?:: \[(?P<type>torch\.[\w.]+|\w+Type)"
            r" ?\[?(?P<shape>[\d, ]*)\]?\])?,?"
            rf"(?: which is output (?P<output>\d+) of {NODE},?)?"
            r"(?: is at version (?P<version>\d+); expected version (?P<expected>\d+))?",
            rf"(?:which is output (?P<output>\d+) of {NODE},? )?is at version (?P<version>\d+);"
            r" expected version (?P<expected>\d+)",
            r"needed for gradient computation (?:has|have) been modified",
            r"Tensor cached during selective activation checkpoint has been mutated",
        ),
        FaultKind.SAVED_TENSOR_MODIFIED,
        ("AG103", "AG105", "AG106", "AG110", "AG114", "AG307"),
        "a tensor was modified in place after an operator had saved it for backward",
        (
            "the result of an operator that saves its result (`relu`, `sigmoid`, `exp`, `softmax`)"
            " is changed by `+=`, `*=`, an index assignment or `inplace=True`",
            "`optimizer.step()` runs between a forward and a later backward through the same"
            " weights (GAN, actor and critic, hidden state with `retain_graph=True`)",
            "a slice or view of a tensor is modified in a loop that reads another slice of it",
            "the result of `.detach()` or `.cpu()`, or an argument, is mistaken for a copy and"
            " modified",
            "an index, a mask or a target is modified after it was used",
        ),
        WRITES,
        earlier=True,
    ),
    Topic(
        "saved-tensor-detached",
        (r"saved tensor that has been detached in-?place",),
        FaultKind.SAVED_TENSOR_MODIFIED,
        ("AG103",),
        "a tensor that backward needs was detached in place (`detach_()`) after it was saved",
        ("`hidden.detach_()` after the forward of the same graph: use `hidden = hidden.detach()`",),
        r"\.detach_\(|zero_grad\(",
        earlier=True,
    ),
    Topic(
        "view-of-leaf-modified",
        (
            r"a view of a leaf Variable that requires grad (?:is being|has been) used"
            r" in an in-?place",
        ),
        FaultKind.LEAF_VIEW_MODIFIED,
        ("AG102", "AG101"),
        "a view (a slice) of a leaf that requires grad is modified in place while gradients are"
        " recorded",
        (
            "a row or slice of a parameter is assigned or added to: do it under `torch.no_grad()`",
            "a tensor created with `requires_grad=True` is filled by index: fill it first, then"
            " call for gradients",
        ),
        WRITES,
    ),
    Topic(
        "leaf-modified",
        (
            r"a leaf Variable that requires grad (?:is being|has been) used in an in-?place",
            r"leaf variable has been moved into the graph interior",
        ),
        FaultKind.LEAF_MODIFIED,
        ("AG101", "AG102", "AG601"),
        "a leaf that requires grad (a parameter, an input) is modified in place while gradients are"
        " recorded",
        (
            "a manual update `w -= lr * w.grad` outside `torch.no_grad()`",
            "parameters are set or clamped in place outside `torch.no_grad()`",
            "a function modifies an argument that requires grad",
            "`x.float()`, `.to(...)`, `.contiguous()` return the leaf itself where nothing is to"
            " be done",
        ),
        WRITES,
    ),
    Topic(
        "view-in-no-grad",
        (
            r"A view was created in (?:no_grad|inference) mode",
            r"is a view of a view which was created in (?:no_grad|inference) mode",
        ),
        FaultKind.VIEW_MODIFIED,
        ("AG104", "AG102"),
        "a view created under `no_grad()` or `inference_mode()` is modified where gradients"
        " are recorded",
        (
            "a view is created in a function under `no_grad()` and modified by its caller",
            "one of the results of `chunk`, `split` or `unbind` of a plain tensor is assigned a"
            " value that requires grad",
        ),
        WRITES,
    ),
    Topic(
        "view-from-function",
        (
            rf"[Oo]utput (?P<output>\d+) of {NODE} is a view and is being modified in-?place\.?"
            r" This view was created inside a custom Function",
        ),
        FaultKind.VIEW_MODIFIED,
        ("AG104", "AG601"),
        "a view that a custom Function (or a full backward hook) returned is modified in place",
        (
            "a layer with `inplace=True` follows a module with a full backward hook",
            "the `forward` of a custom Function returns its input or a view of it",
        ),
        WRITES + r"|register_full_backward",
    ),
    Topic(
        "view-modified",
        (
            rf"[Oo]utput (?P<output>\d+) of {NODE} is a view and (?:is being|its base or another"
            r" view of its base has been) modified in-?place",
            r"is a view and its base or another view of its base has been modified",
            r"output of a function that returns multiple views",
        ),
        FaultKind.VIEW_MODIFIED,
        ("AG104",),
        "one of several views that an operator returned at once (`chunk`, `split`, `unbind`,"
        " iteration) is written in place",
        (
            "`a, b = x.chunk(2); a += 1`: write `a = a + 1`, or take the parts by index",
            "`for row in x: row *= 2`: iterating yields views that cannot be modified in place",
            "one of several outputs of a module is modified in place (`DDP`, a custom Function)",
        ),
        WRITES,
    ),
    Topic(
        "detach-of-view",
        (r"Can't detach views in-?place",),
        FaultKind.VIEW_MODIFIED,
        ("AG104",),
        "`detach_()` is called on a view",
        (
            "`x[...].detach_()`: use `detach()`",
            "`zero_grad(set_to_none=False)` with DDP's `gradient_as_bucket_view=True`",
        ),
        r"detach_\(|zero_grad\(|gradient_as_bucket_view",
        earlier=True,
    ),
)
