"""Backward hooks of the old kind: what they read decides whether they are given the wrong thing."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted


@pytest.mark.parametrize(
    ("read", "told"),
    [("grad_input", True), ("grad_output", False)],
)
def test_a_hook_that_reads_the_gradients_of_the_result_alone_is_given_them(
    read: str, told: bool
) -> None:
    program = f"""
    def keep(module, grad_input, grad_output):
        seen.append({read})

    model.register_backward_hook(keep)
    """
    assert (Pitfall.LEGACY_HOOK in noted(program)) is told


def test_a_hook_that_is_not_seen_may_read_what_is_right() -> None:
    assert Pitfall.LEGACY_HOOK not in noted("model.register_backward_hook(other.hook)")


@pytest.mark.parametrize(("read", "told"), [("grad_input", True), ("grad_output", False)])
def test_a_function_of_the_file_may_make_the_hook(read: str, told: bool) -> None:
    program = f"""
    def keeping(name):
        def keep(module, grad_input, grad_output):
            seen[name] = {read}
        return keep

    model.register_backward_hook(keeping("first"))
    """
    assert (Pitfall.LEGACY_HOOK in noted(program)) is told


@pytest.mark.parametrize(("read", "told"), [("grad_input", True), ("grad_output", False)])
def test_options_bound_by_keyword_leave_a_hook_what_it_is(read: str, told: bool) -> None:
    program = f"""
    from functools import partial

    def keep(self, grad_input, grad_output, name):
        seen[name] = {read}

    model.register_backward_hook(partial(keep, name="first"))
    """
    assert (Pitfall.LEGACY_HOOK in noted(program)) is told


@pytest.mark.parametrize(
    ("read", "told"),
    [("args[0]", True), ("module.weight", False), ("None; return self.replaced", True)],
)
def test_a_module_whose_own_hook_reads_and_gives_no_gradient_loses_nothing(
    read: str, told: bool
) -> None:
    program = f"""
    class Net(nn.Linear):
        def __init__(self):
            super().__init__(2, 2)
            self.register_backward_hook(self.forget)

        def forget(self, module, *args):
            self.kept = {read}

        def forward(self, x):
            return super().forward(x).relu()
    """
    assert (Pitfall.LEGACY_HOOK in noted(program)) is told


@pytest.mark.parametrize(("read", "told"), [("given", True), ("result", False)])
def test_a_hook_may_hand_the_gradients_to_a_function_that_leaves_them_alone(
    read: str, told: bool
) -> None:
    program = f"""
    def keep(module, given, result, name):
        seen[name] = {read}

    def hook(module, grad_input, grad_output):
        return keep(module, grad_input, grad_output, "first")

    model.register_backward_hook(hook)
    """
    assert (Pitfall.LEGACY_HOOK in noted(program)) is told


@pytest.mark.parametrize(("kind", "told"), [("nn.ReLU", False), ("nn.Linear", True)])
def test_an_activation_runs_one_operator_on_one_tensor(kind: str, told: bool) -> None:
    program = f"""
    def keep(module, grad_input, grad_output):
        seen.append(grad_input)

    for module in model.modules():
        if isinstance(module, {kind}):
            module.register_backward_hook(keep)
    """
    assert (Pitfall.LEGACY_HOOK in noted(program)) is told
