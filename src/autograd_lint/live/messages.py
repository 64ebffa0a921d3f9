"""Which class of error a message of torch belongs to.

The texts are those of torch 2.13 (seen by running a program for each). Only a stable middle part of
each is kept, so that other releases, which word the ends differently, are read as well.
"""

from autograd_lint.engine.faults import FaultKind

_K = FaultKind

# Order matters: the first fragment that occurs in the message decides.
_FRAGMENTS: tuple[tuple[str, FaultKind], ...] = (
    ("a view of a leaf Variable that requires grad", _K.LEAF_VIEW_MODIFIED),
    ("a leaf Variable that requires grad", _K.LEAF_MODIFIED),
    ("leaf variable has been moved into the graph interior", _K.LEAF_MODIFIED),
    ("is a view and is being modified inplace", _K.VIEW_MODIFIED),
    ("is a view and its base or another view of its base has been modified", _K.VIEW_MODIFIED),
    ("A view was created in", _K.VIEW_MODIFIED),
    ("is a view of a view which was created in", _K.VIEW_MODIFIED),
    ("Can't detach views in-place", _K.VIEW_MODIFIED),
    ("modified by an inplace operation", _K.SAVED_TENSOR_MODIFIED),
    ("saved tensor that has been detached in-place", _K.SAVED_TENSOR_MODIFIED),
    ("cached during selective activation checkpoint has been mutated", _K.SAVED_TENSOR_MODIFIED),
    ("backward through the graph a second time", _K.GRAPH_FREED),
    ("after they have already been freed", _K.GRAPH_FREED),
    ("tensor that was already unpacked once", _K.GRAPH_FREED),
    ("does not require grad and does not have a grad_fn", _K.NO_GRAD_ROOT),
    ("none of output has requires_grad=True", _K.NO_GRAD_ROOT),
    ("'float' object has no attribute 'backward'", _K.NO_GRAD_ROOT),
    ("'int' object has no attribute 'backward'", _K.NO_GRAD_ROOT),
    ("grad can be implicitly created only for", _K.NON_SCALAR_ROOT),
    ("appears to not have been used in the graph", _K.UNUSED_INPUT),
    ("of the differentiated Tensors does not require grad", _K.UNUSED_INPUT),
    ("can't optimize a non-leaf Tensor", _K.NON_LEAF_OPTIMIZER),
    ("optimizer got an empty parameter list", _K.OTHER),
    ("Can't call numpy() on Tensor that requires grad", _K.NUMPY_ON_GRAD),
    ("Inference tensors", _K.INFERENCE_TENSOR),
    ("inference tensor", _K.INFERENCE_TENSOR),
    ("can only change requires_grad flags of leaf variables", _K.NON_LEAF_FLAG),
    ("can't retain_grad on Tensor", _K.RETAIN_GRAD),
    ("returned an incorrect number of gradients", _K.CUSTOM_FUNCTION),
    ("returned an invalid gradient at index", _K.CUSTOM_FUNCTION),
    ("returned a gradient different than None at position", _K.CUSTOM_FUNCTION),
    ("function that was marked with @once_differentiable", _K.CUSTOM_FUNCTION),
    ("save_for_backward", _K.CUSTOM_FUNCTION),
    ("mark_dirty", _K.CUSTOM_FUNCTION),
    ("mark_non_differentiable", _K.CUSTOM_FUNCTION),
    ("marked as dirty during the forward method", _K.CUSTOM_FUNCTION),
    ("custom autograd.Function", _K.CUSTOM_FUNCTION),
    ("custom Function", _K.CUSTOM_FUNCTION),
    ("autograd function with non-static forward", _K.CUSTOM_FUNCTION),
    ("Methods on autograd functions are all static", _K.CUSTOM_FUNCTION),
    ("invalid number of forward gradients", _K.CUSTOM_FUNCTION),
    ("expected Variable or None", _K.CUSTOM_FUNCTION),
    ("returned as-is as output is being saved", _K.CUSTOM_FUNCTION),
    ("jvp returned a gradient", _K.CUSTOM_FUNCTION),
    ("In order to use an autograd.Function", _K.CUSTOM_FUNCTION),
    ("it does not have vmap support", _K.CUSTOM_FUNCTION),
    ("saved_tensors can only be accessed once", _K.CUSTOM_FUNCTION),
    ("modifies inplace an input that is a view", _K.CUSTOM_FUNCTION),
    ("is not differentiable with respect to argument", _K.OTHER),
    ("is not implemented. Please file an issue", _K.OTHER),
    ("derivative for", _K.OTHER),
    ("out=... arguments don't support automatic differentiation", _K.OTHER),
    ("cannot resize variables that require grad", _K.OTHER),
    ("dtype can require gradients", _K.OTHER),
    ("Only Tensors created explicitly by the user", _K.OTHER),
    ("serialize non-leaf tensor which requires_grad", _K.OTHER),
    ("on Variable that requires grad", _K.OTHER),
    (".grad attribute of a Tensor that is not a leaf Tensor", _K.OTHER),
    ("attempting to assign a gradient", _K.OTHER),
    ("assigned grad", _K.OTHER),
    ("element of the written-to tensor refers to a single memory", _K.OTHER),
    ("requires_grad=True", _K.OTHER),
    ("that doesn't require gradient", _K.OTHER),
    ("requires_grad must be a bool", _K.OTHER),
    ("tensors that require grad", _K.OTHER),
    ("autograd kernel was not registered", _K.OTHER),
    ("no autograd formula was registered", _K.OTHER),
    ("torch.utils.checkpoint", _K.OTHER),
)


def classify(error: BaseException | str) -> FaultKind | None:
    """The class of an exception, or of a message; None for one that autograd did not raise."""
    text = error if isinstance(error, str) else str(error)
    for fragment, kind in _FRAGMENTS:
        if fragment in text:
            return kind
    return None
