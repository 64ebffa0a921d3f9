"""Messages of torch belong to the classes of error that the contract names."""

import pytest
import torch

from autograd_lint.engine.faults import FaultKind
from autograd_lint.live.messages import classify

OF_OTHER_RELEASES = {
    "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place "
    "operation.": FaultKind.LEAF_VIEW_MODIFIED,
    "One of the differentiated Tensors appears to not have been used in the graph. Set "
    "allow_unused=True if this is the desired behavior.": FaultKind.UNUSED_INPUT,
    "Trying to backward through the graph a second time (or directly access saved tensors after "
    "they have already been freed).": FaultKind.GRAPH_FREED,
    "function FnBackward returned an incorrect number of gradients (expected 2, got 1)": (
        FaultKind.CUSTOM_FUNCTION
    ),
}


def leaf_modified() -> None:
    torch.ones(3, requires_grad=True).add_(1)


def leaf_view_modified() -> None:
    torch.ones(3, requires_grad=True)[0] = 1


def view_modified() -> None:
    first, _ = (torch.ones(4, requires_grad=True) * 2).chunk(2)
    first.add_(1)


def saved_tensor_modified() -> None:
    y = torch.ones(3, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def graph_freed() -> None:
    y = torch.ones(3, requires_grad=True).exp().sum()
    y.backward()
    y.backward()


def no_grad_root() -> None:
    torch.ones(3).sum().backward()


def non_scalar_root() -> None:
    torch.ones(3, requires_grad=True).exp().backward()


def unused_input() -> None:
    x, z = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    torch.autograd.grad(x.sum(), z)


def non_leaf_optimizer() -> None:
    torch.optim.SGD([torch.ones(3, requires_grad=True) * 2], lr=0.1)


def numpy_on_grad() -> None:
    torch.ones(3, requires_grad=True).numpy()


def inference_tensor() -> None:
    with torch.inference_mode():
        x = torch.ones(3)
    x.add_(1)


def non_leaf_flag() -> None:
    y = torch.ones(3, requires_grad=True) * 2
    y.requires_grad = False


def retain_grad() -> None:
    torch.ones(3).retain_grad()


@pytest.mark.parametrize(
    "program",
    [
        leaf_modified,
        leaf_view_modified,
        view_modified,
        saved_tensor_modified,
        graph_freed,
        no_grad_root,
        non_scalar_root,
        unused_input,
        non_leaf_optimizer,
        numpy_on_grad,
        inference_tensor,
        non_leaf_flag,
        retain_grad,
    ],
)
def test_error_of_the_engine_has_its_class(program) -> None:
    with pytest.raises((RuntimeError, ValueError)) as raised:
        program()
    assert classify(raised.value) is FaultKind(program.__name__.replace("_", "-"))


@pytest.mark.parametrize("message", OF_OTHER_RELEASES)
def test_text_of_another_release_is_read(message: str) -> None:
    assert classify(message) is OF_OTHER_RELEASES[message]


def test_error_that_autograd_did_not_raise_has_no_class() -> None:
    assert classify(KeyError("backward")) is None
