"""Messages about what a tensor can be given, made into or copied as."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import WRITES, Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "out-argument",
        (
            r"(?:(?P<subject>\w+)\(\): )?functions with out=\.\.\. arguments don't support",
            r"a worker process stacks its batches into shared memory",
        ),
        FaultKind.OTHER,
        ("AG107", "AG310"),
        "`out=` is used where gradients are recorded",
        ("remove `out=`, or call it under `no_grad()`",),
        r"[(,]\s*out\s*=",
    ),
    Topic(
        "resized",
        (r"cannot resize variables that require grad",),
        FaultKind.OTHER,
        ("AG107", "AG310"),
        "a tensor that requires grad is resized in place",
        ("use `view`, `reshape` or `new_empty`; or resize under `no_grad()` what is detached",),
        r"resize",
    ),
    Topic(
        "called-on-grad",
        (r"Can't call (?P<subject>\w+)\(\) on (?:Variable|Tensor) that requires grad",),
        FaultKind.OTHER,
        ("AG310", "AG107"),
        "a method that autograd cannot track is called on a tensor that requires grad",
        ("`detach()` the tensor first",),
        r"\.(?:apply_|map_|map2_|tolist)\(",
    ),
    Topic(
        "integer-requires-grad",
        (
            r"[Oo]nly Tensors of floating point(?: and complex)? dtype can require gradients",
            r"only floating[- ]point .{0,200} can require gradients",
        ),
        FaultKind.OTHER,
        ("AG310",),
        "an integer tensor is set to require grad",
        ("make the tensor of a float dtype (`torch.tensor([1., 2.])`, `.float()`)",),
        r"requires_grad|Parameter\(",
    ),
    Topic(
        "deepcopy",
        (r"created explicitly by the user(?: \(graph leaves\))? support the deepcopy",),
        FaultKind.OTHER,
        ("AG310", "AG501"),
        "`copy.deepcopy` reaches a computed tensor",
        (
            "a module stores a result of its forward in an attribute: `detach()` it, or do not"
            " store it",
            "a result is copied: `x.detach().clone()`",
        ),
        r"deepcopy\(|self\.\w+\s*=(?!=)",
        earlier=True,
    ),
    Topic(
        "serialised",
        (
            r"refusing to serialize non-leaf tensor which requires_grad",
            r"__setstate__ can be only called on leaf",
        ),
        FaultKind.OTHER,
        ("AG310",),
        "a computed tensor that requires grad is sent to another process",
        ("a data set holds tensors that require grad: `detach()` them",),
        r"DataLoader\(|TensorDataset\(|Queue|\.put\(|pickle|requires_grad",
        earlier=True,
    ),
    Topic(
        "grad-of-non-leaf",
        (r"\.grad attribute of a Tensor that is not a leaf Tensor is being accessed",),
        FaultKind.OTHER,
        ("AG315", "AG303", "AG316"),
        "`.grad` of a computed tensor is read: it is None, since backward only fills that of"
        " leaves",
        (
            "a conversion (`.to(...)`, `.cuda()`, `* 0.01`) after `requires_grad=True` made another"
            " tensor",
        ),
        r"\.grad\b|requires_grad",
        earlier=True,
    ),
    Topic(
        "gradient-assigned",
        (
            r"attempting to assign a gradient",
            r"assigned grad (?:has|expected)",
            r"[Cc]annot set grad_dtype",
            r"grad_dtype can only be (?:set|accessed) on leaf",
            r"can't assign Variable as its own grad",
            r"cannot assign .{0,200} as (?:its own )?grad|expected to be a Tensor or None",
        ),
        FaultKind.OTHER,
        ("AG310",),
        "a gradient with another shape, dtype or device than its tensor is assigned",
        ("shape, dtype and device of `.grad` are those of the tensor",),
        r"\.grad\b|grad_dtype",
    ),
    Topic(
        "read-only-attribute",
        (
            r"attribute '(?P<subject>is_leaf|grad_fn|data|_version|output_nr)' of .{0,200}"
            r" (?:is )?not writable",
            r"requires_grad must be a bool",
        ),
        FaultKind.OTHER,
        ("AG310",),
        "an attribute that belongs to autograd is assigned",
        ("make another tensor (`detach()`, `clone()`) instead",),
        r"\.(?:is_leaf|grad_fn|requires_grad)\s*=",
    ),
    Topic(
        "overlapping-memory",
        (r"more than one element of the written-to tensor refers to a single memory",),
        FaultKind.OTHER,
        ("AG107", "AG310"),
        "an expanded tensor is modified in place: several of its elements share one memory"
        " location",
        ("`clone()` what `expand`, `broadcast_to` or `expand_as` gave",),
        WRITES + r"|expand",
    ),
)
