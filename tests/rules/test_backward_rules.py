"""What is told about backward, its roots and the lifetime of graphs."""

from dataclasses import replace

from expecttest import assert_expected_inline

from autograd_lint.engine.events import Created, Freed, Needed, Noted
from autograd_lint.engine.faults import Fault, FaultKind
from autograd_lint.project.source import Source
from tests.rules.telling import spot, told

TRAIN = Source(
    "train.py",
    """\
h = cell(x, h)
first = h.exp().sum()
first.backward()
second = h.mean()
second.backward()
hard = logits.argmax(1)
loss = torch.tensor(hard)
grads = torch.autograd.grad(loss, w)
y.numpy()
opt = SGD([w], lr=0.1)
y.requires_grad = False
y.retain_grad()
z = y // 2
Scale.apply(y)
""",
)
FIRST, SECOND = spot(TRAIN, "first.backward()"), spot(TRAIN, "second.backward()")
EXP = Created(spot(TRAIN, "h.exp()"), "exp")


def test_two_backwards_through_one_graph() -> None:
    fault = Fault(
        FaultKind.GRAPH_FREED,
        SECOND,
        tensor="second",
        operator="exp",
        built=EXP,
        freed=Freed(FIRST, "backward"),
        needed=Needed(SECOND, "backward"),
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG201 certain: `backward()` on `second` needs a graph that an earlier `backward()` has freed
  5 [second.backward()] needed: needed again here
  2 [h.exp()] built: built here by `exp`
  3 [first.backward()] freed: freed by this `backward()`
reason: `backward()` frees the graph unless it is called with `retain_graph=True`
help: add the losses and call `backward()` once; only if both calls are intended, pass
      `retain_graph=True` to the first
""",
    )


def test_one_backward_that_runs_twice() -> None:
    fault = Fault(
        FaultKind.GRAPH_FREED,
        FIRST,
        tensor="first",
        built=EXP,
        freed=Freed(FIRST, "backward"),
        needed=Needed(FIRST, "backward"),
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG201 certain: `backward()` on `first` runs again through a graph that it has freed
  3 [first.backward()] needed: the first time `backward()` frees the graph, the next time it
      needs it again
  2 [h.exp()] built: built here by `exp`
reason: `backward()` frees the graph unless it is called with `retain_graph=True`
help: run the forward again before each backward, so that each has its own graph
""",
    )


def test_state_of_an_earlier_iteration() -> None:
    fault = Fault(
        FaultKind.GRAPH_FREED,
        FIRST,
        tensor="h",
        built=Created(spot(TRAIN, "cell(x, h)"), "nn.RNNCell"),
        freed=Freed(FIRST, "backward"),
        needed=Needed(FIRST, "backward"),
        carried=True,
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG202 certain: the graph of `h` is needed again in the next iteration, after backward has
      freed it
  1 [cell(x, h)] built: built here, in an earlier iteration
  3 [first.backward()] needed: `backward()` frees it in that iteration, and needs it again
      in the next
reason: `backward()` goes back into the graph of an earlier iteration, which that backward
      has freed
help: cut the graph between iterations: `h = h.detach()`; `retain_graph=True` would only
      keep all earlier graphs alive
""",
    )


def test_state_of_a_module_that_nobody_trains() -> None:
    fault = Fault(
        FaultKind.GRAPH_FREED,
        None,
        tensor="self.h",
        built=Created(spot(TRAIN, "cell(x, h)"), "nn.RNNCell"),
        freed=Freed(None, "backward"),
        needed=Needed(None, "backward"),
        carried=True,
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG202 certain: the graph of `h` is needed again in the next iteration, after backward has
      freed it
  1 [cell(x, h)] built: built here, in an earlier iteration
reason: backward through the result of `forward` goes back into the graph of an earlier
      iteration, which that backward has freed
help: cut the graph between iterations: `h = h.detach()`; `retain_graph=True` would only
      keep all earlier graphs alive
""",
    )


def test_graph_that_is_built_once_for_all_iterations() -> None:
    fault = Fault(
        FaultKind.GRAPH_FREED,
        FIRST,
        built=EXP,
        freed=Freed(FIRST, "backward"),
        needed=Needed(FIRST, "backward"),
        carried=True,
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG202 certain: the graph of `first` is needed again in the next iteration, after backward
      has freed it
  2 [h.exp()] built: built here
  3 [first.backward()] needed: `backward()` frees it in that iteration, and needs it again
      in the next
reason: `backward()` goes back into the graph of an earlier iteration, which that backward
      has freed
help: recompute it in each iteration, or `detach()` what is carried over to the next;
      `retain_graph=True` would only keep all earlier graphs alive
""",
    )


def test_graph_that_two_calls_need() -> None:
    fault = Fault(
        FaultKind.GRAPH_FREED,
        FIRST,
        built=EXP,
        freed=Freed(FIRST, "backward", path=(FIRST,)),
        needed=Needed(FIRST, "backward", path=(SECOND,)),
        carried=True,
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG202 certain: the graph of `first` is needed again in a later call, after backward has
      freed it
  2 [h.exp()] built: built here
  3 [first.backward()] freed: the backward of this call frees it
  5 [second.backward()] needed: the backward of this call needs it again
reason: `backward()` frees the graph unless it is called with `retain_graph=True`
help: add the losses and run one backward, or compute what they share anew for each
""",
    )


def no_grad_root(built: Created | None) -> Fault:
    return Fault(
        FaultKind.NO_GRAD_ROOT, FIRST, "loss", built=built, needed=Needed(FIRST, "backward")
    )


def test_root_copied_out_of_its_graph() -> None:
    cut = Created(spot(TRAIN, "torch.tensor(hard)"), "tensor")
    assert_expected_inline(
        told(no_grad_root(cut), TRAIN),
        """\
AG301 certain: `loss` does not require grad: `tensor` left it without a `grad_fn`
  7 [torch.tensor(hard)] built: the graph ends here
  3 [first.backward()] needed: needs a `grad_fn` here
reason: `backward()` has no graph to differentiate
help: use the tensor itself, or `torch.stack` for several: a copy has no graph
""",
    )


def test_root_made_by_a_step_function() -> None:
    cut = Created(spot(TRAIN, "logits.argmax(1)"), "argmax")
    assert_expected_inline(
        told(no_grad_root(cut), TRAIN),
        """\
AG301 certain: `loss` does not require grad: `argmax` left it without a `grad_fn`
  6 [logits.argmax(1)] built: the graph ends here
  3 [first.backward()] needed: needs a `grad_fn` here
reason: `backward()` has no graph to differentiate
help: use a differentiable quantity: scores or probabilities instead of hard decisions
""",
    )


def test_root_without_known_origin() -> None:
    assert_expected_inline(
        told(no_grad_root(None), TRAIN),
        """\
AG301 certain: `loss` does not require grad
  3 [first.backward()] needed: nothing to differentiate
reason: `backward()` has no graph to differentiate
help: make what it is computed from require grad (`requires_grad=True`, parameters that are
      not frozen), outside of `no_grad()`
""",
    )


def test_root_of_frozen_parameters() -> None:
    frozen = Noted(spot(TRAIN, "torch.tensor(hard)"), "frozen here")
    assert_expected_inline(
        told(replace(no_grad_root(None), noted=(frozen,)), TRAIN),
        """\
AG301 certain: `loss` does not require grad
  3 [first.backward()] needed: nothing to differentiate
  7 [torch.tensor(hard)] built: frozen here
reason: `backward()` has no graph to differentiate
help: let what is to learn require grad again, or freeze before it is added
""",
    )


def test_root_that_is_no_scalar() -> None:
    fault = Fault(FaultKind.NON_SCALAR_ROOT, FIRST, "y", needed=Needed(FIRST, "backward"))
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG302 certain: `y` has more than one element; `backward()` needs a scalar
  3 [first.backward()] needed: not a scalar
reason: backward starts from a gradient of 1, which is only implied for a real scalar
help: reduce it first (`y.mean()`, `y.sum()`), or pass the gradient to start from, such as
      `torch.ones_like(y)`
""",
    )


def test_input_that_was_not_used() -> None:
    place = spot(TRAIN, "torch.autograd.grad(loss, w)")
    fault = Fault(FaultKind.UNUSED_INPUT, place, "w", needed=Needed(place, "grad"))
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG305 certain: `w` is not in the graph: the output was not computed from it
  8 [torch.autograd.grad(loss, w)] needed: requested here
reason: `grad()` finds no path in the graph to it
help: compute the output from this tensor; if it may be unused, pass `allow_unused=True` and
      expect None
""",
    )


def test_input_that_does_not_require_grad() -> None:
    place = spot(TRAIN, "torch.autograd.grad(loss, w)")
    fault = Fault(FaultKind.UNUSED_INPUT, place, "w", detail="does not require grad")
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG305 certain: `w` does not require grad: there is no gradient to compute
  8 [torch.autograd.grad(loss, w)] needed: requested here
reason: only computations on tensors that require grad are recorded
help: call `w.requires_grad_()` before computing with it
""",
    )


def test_a_flag_is_told_of_the_name_on_its_line() -> None:
    fault = Fault(FaultKind.NON_LEAF_FLAG, spot(TRAIN, "y.requires_grad = False"), "made_elsewhere")
    assert "`y = y.detach()`" in told(fault, TRAIN)


def test_dtype_without_gradients() -> None:
    detail = "only Tensors of floating point dtype can require gradients"
    place = spot(TRAIN, "torch.tensor(hard)")
    fault = Fault(FaultKind.OTHER, place, operator="torch.tensor(hard)", detail=detail)
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG310 certain: PyTorch refuses `torch.tensor(hard)`
  7 [torch.tensor(hard)] : refused here
reason: only Tensors of floating point dtype can require gradients
help: use a floating point dtype, such as `dtype=torch.float32`
""",
    )


def test_optimizer_over_a_result() -> None:
    place = spot(TRAIN, "SGD([w], lr=0.1)")
    fault = Fault(FaultKind.NON_LEAF_OPTIMIZER, place, "w", built=EXP)
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG303 certain: the optimizer is given `w`, which is not a leaf: it is the result of `exp`
  10 [SGD([w], lr=0.1)] : not a leaf
  2 [h.exp()] built: made here by `exp`
reason: only leaf tensors keep `.grad`, so only they can be optimized
help: compute the value first and make it a leaf last: `.detach().requires_grad_()` or
      `nn.Parameter(...)`
""",
    )


def test_optimizer_over_a_leaf_that_was_moved() -> None:
    """What is to change is where the leaf was made; the optimizer raises elsewhere."""
    text = Source(
        "a.py", "w = torch.ones(1, requires_grad=True)\nw = w.cuda()\nopt = SGD([w], lr=0.1)\n"
    )
    leaf = Noted(spot(text, "torch.ones(1, requires_grad=True)"), "the leaf is made here")
    fault = Fault(
        FaultKind.NON_LEAF_OPTIMIZER,
        spot(text, "SGD([w], lr=0.1)"),
        "w",
        built=Created(spot(text, "w.cuda()"), "cuda"),
        noted=(leaf,),
    )
    assert_expected_inline(
        told(fault, text),
        """\
AG303 certain: the optimizer is given `w`, which is not a leaf: it is the result of `cuda`
  1 [torch.ones(1, requires_grad=True)] : made a leaf here, before `cuda`
  2 [w.cuda()] built: made here by `cuda`
  3 [SGD([w], lr=0.1)] needed: given to the optimizer here
reason: only leaf tensors keep `.grad`, so only they can be optimized
help: compute the value first and make it a leaf last: `.detach().requires_grad_()` or
      `nn.Parameter(...)`
""",
    )


def test_numpy() -> None:
    fault = Fault(FaultKind.NUMPY_ON_GRAD, spot(TRAIN, "y.numpy()"), "y", "numpy")
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG304 certain: `y` requires grad and cannot be converted to NumPy
  9 [y.numpy()] : requires grad
reason: autograd cannot record what NumPy computes
help: use `y.detach().numpy()` if no gradient should flow through it, else use PyTorch's own
      functions
""",
    )


def test_flag_of_a_result() -> None:
    fault = Fault(FaultKind.NON_LEAF_FLAG, spot(TRAIN, "y.requires_grad = False"), "y")
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG306 certain: `requires_grad` of `y` cannot be changed: it is not a leaf
  11 [y.requires_grad = False] : not a leaf
reason: a result requires grad whenever one of its inputs does
help: detach it instead: `y = y.detach()`
""",
    )


def test_retain_grad_without_gradient() -> None:
    fault = Fault(FaultKind.RETAIN_GRAD, spot(TRAIN, "y.retain_grad()"), "y")
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG308 certain: `y` does not require grad: there is no gradient to retain
  12 [y.retain_grad()] : no gradient will arrive here
reason: no gradient flows through a tensor that does not require grad
help: make what it is computed from require grad, outside of `no_grad()`
""",
    )


def test_inference_tensor() -> None:
    fault = Fault(FaultKind.INFERENCE_TENSOR, spot(TRAIN, "y // 2"), "y", "mul", built=EXP)
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG307 certain: `y` was created under `inference_mode()` and is used by `mul` outside it
  13 [y // 2] : is used by autograd here
  2 [h.exp()] built: created under `inference_mode()` here
reason: inference tensors have no version counter and can never be used by autograd
help: create it under `no_grad()` instead, or use a `.clone()` of it outside
""",
    )


def test_operator_without_derivative() -> None:
    fault = Fault(
        FaultKind.OTHER,
        FIRST,
        operator="floor_divide",
        detail="derivative for aten::floor_divide is not implemented",
        built=Created(spot(TRAIN, "y // 2"), "floor_divide"),
        needed=Needed(FIRST, "backward"),
    )
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG309 certain: `floor_divide` has no derivative, but backward needs one
  13 [y // 2] built: no derivative
  3 [first.backward()] needed: `backward()` needs its derivative here
reason: derivative for aten::floor_divide is not implemented
help: use a differentiable operator, or `detach()` where no gradient should flow
""",
    )


def test_what_has_no_rule_of_its_own() -> None:
    place = spot(TRAIN, "y.retain_grad()")
    detail = "Only Tensors created explicitly by the user support the deepcopy protocol"
    fault = Fault(FaultKind.OTHER, place, "y", "deepcopy", detail)
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG310 certain: PyTorch refuses `deepcopy` for `y`
  12 [y.retain_grad()] : refused here
reason: Only Tensors created explicitly by the user support the deepcopy protocol
help: copy its values with `.detach().clone()`, or copy the leaf
""",
    )


def test_custom_function() -> None:
    applied = Created(spot(TRAIN, "Scale.apply(y)"), "Scale")
    detail = "returned an incorrect number of gradients (expected 2, got 1)"
    fault = Fault(FaultKind.CUSTOM_FUNCTION, FIRST, operator="Scale", detail=detail, built=applied)
    assert_expected_inline(
        told(fault, TRAIN),
        """\
AG601 certain: `backward` of `Scale` returned an incorrect number of gradients (expected 2,
      got 1)
  14 [Scale.apply(y)] built: not what autograd expects
  3 [first.backward()] needed: backward raises here
reason: `backward` returns one gradient per argument of `forward`, in the same order
help: return one gradient for each argument of `forward` after `ctx`, and None for those
      that need none
""",
    )
