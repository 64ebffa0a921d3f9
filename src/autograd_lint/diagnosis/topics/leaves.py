"""Messages about what only leaves, or only tensors with a graph, can do."""

from __future__ import annotations

from autograd_lint.diagnosis.topics.topic import Topic
from autograd_lint.engine.faults import FaultKind

TOPICS = (
    Topic(
        "non-leaf-optimizer",
        (r"can't optimize a non-leaf (?:Tensor|Variable)",),
        FaultKind.NON_LEAF_OPTIMIZER,
        ("AG303",),
        "an optimizer is given a computed tensor, which is not a leaf",
        (
            "`torch.randn(..., requires_grad=True).cuda()` or `* 0.01`: what follows makes it a"
            " result; ask for gradients last (`requires_grad_()`)",
        ),
        r"optim\w*\.\w+\(|\bAdam|\bSGD|LBFGS|requires_grad",
        earlier=True,
    ),
    Topic(
        "numpy-on-grad",
        (r"Can't call numpy\(\) on (?:Tensor|Variable) that requires grad",),
        FaultKind.NUMPY_ON_GRAD,
        ("AG304", "AG310"),
        "a tensor that requires grad is passed to NumPy",
        (
            "`.numpy()` for a plot, a metric or a file: `.detach().cpu().numpy()`",
            "`np.mean(tensor)`, `np.array([...tensors])` and `plt.plot(tensor)` also convert it",
        ),
        r"\.numpy\(|\bnp\.|\bnumpy\.|\bplt\.|__array__|cv2\.|sklearn|scipy|PIL|imshow|plot\(",
    ),
    Topic(
        "inference-tensor",
        (
            r"[Ii]nference tensors? cannot be saved for backward",
            r"[Ii]nplace update to (?:an )?inference tensor",
            r"[Ii]nference tensors? do(?:es)? not track version counter",
            r"on inference tensors? outside InferenceMode",
            r"[Ii]nference tensors?\b",
            r"does not have a version counter",
        ),
        FaultKind.INFERENCE_TENSOR,
        ("AG307",),
        "a tensor created under `inference_mode()` is used where gradients are recorded",
        (
            "a teacher or encoder runs under `inference_mode()` and its result goes into a loss:"
            " use `no_grad()`, or `clone()` it outside",
            "a cache or buffer was filled during an evaluation under `inference_mode()`",
        ),
        r"inference_mode|[a-z]_\(|[-+*/]=|requires_grad",
        earlier=True,
    ),
    Topic(
        "non-leaf-flag",
        (r"you can only change requires_grad flags of leaf variables",),
        FaultKind.NON_LEAF_FLAG,
        ("AG306",),
        "`requires_grad` is changed on a computed tensor",
        (
            "`y.requires_grad = False` to stop the gradient: use `y = y.detach()`",
            "part of a parameter should be frozen: that is not possible for a view",
        ),
        r"requires_grad",
    ),
    Topic(
        "retain-grad",
        (r"can't retain_grad on Tensor that has requires_grad=False",),
        FaultKind.RETAIN_GRAD,
        ("AG308",),
        "`retain_grad()` is called on a tensor that does not require grad",
        ("the forward ran under `no_grad()`, or with frozen parameters and plain inputs",),
        r"retain_grad\(|no_grad|inputs\s*=",
    ),
    Topic(
        "hook-on-plain-tensor",
        (r"cannot register a hook on a tensor that doesn't require gradient",),
        FaultKind.OTHER,
        ("AG310",),
        "a hook is registered on a tensor that gets no gradient",
        ("the forward runs under `no_grad()`, or all that leads to the tensor is frozen",),
        r"register_hook\(|register_post_accumulate",
    ),
)
