"""Writes that the onlooker is told of must not make it stumble, nor be passed over."""

from pathlib import Path

import pytest
from tests.live.confirm.watch.test_onlooker import code_of, outcome

from autograd_lint.engine.pitfalls import Pitfall


def test_a_view_that_autograd_refuses_is_left_alone(tmp_path: Path) -> None:
    found, _ = outcome(
        """
        w = torch.ones(3, 3, requires_grad=True)
        loss = (w ** 2).sum()
        one, two, three = list(w)
        one.sum().backward()
        with torch.inference_mode(), torch.enable_grad():
            three.lerp_(two, 0.5)
        loss.backward()
        """,
        tmp_path,
    )
    assert found.error_kind == "saved-tensor-modified"


@pytest.mark.parametrize(("by", "seen"), [(2, True), (1, False)])
def test_a_change_under_no_grad_that_backward_passes_by(
    by: int, seen: bool, tmp_path: Path
) -> None:
    found, _ = outcome(
        f"""
        hidden = net(x)
        with torch.no_grad():
            hidden.mul_({by})
        hidden.sum().backward()
        """,
        tmp_path,
    )
    rows = {one.row for one in found.seen if one.code == code_of(Pitfall.UNRECORDED_CHANGE)}
    assert rows == ({9} if seen else set())


def rows_of(pitfall: Pitfall, text: str, folder: Path) -> set[int]:
    """The rows at which the onlooker sees a pitfall in a program; the program begins at row 7."""
    found, _ = outcome(text, folder)
    return {one.row for one in found.seen if one.code == code_of(pitfall)}


@pytest.mark.parametrize("write", ["hidden.pow_(2)", "hidden.add_(1)", "hidden.exp_()"])
def test_a_hidden_change_before_recorded_ones(write: str, tmp_path: Path) -> None:
    program = f"""
        hidden = net(x)
        hidden.data.mul_(2)
        {write}
        hidden.sum().backward()
        """
    assert rows_of(Pitfall.UNRECORDED_CHANGE, program, tmp_path) == {8}


@pytest.mark.parametrize(
    ("change", "seen"), [("mul_(0.5)", True), ("mul_(1)", False), ("clamp_(max=1)", False)]
)
def test_zeros_that_are_scaled_unseen(change: str, seen: bool, tmp_path: Path) -> None:
    program = f"""
        hidden = net(x) * 0
        hidden.data.{change}
        hidden.sum().backward()
        """
    rows = rows_of(Pitfall.UNRECORDED_CHANGE, program, tmp_path)
    assert rows == ({8} if seen else set())


def test_a_view_whose_write_has_no_derivative(tmp_path: Path) -> None:
    program = """
        hidden = net(x).view(6)
        hidden.add_(1)
        hidden.logical_and_(torch.rand(6))
        hidden.sum().backward()
        """
    assert rows_of(Pitfall.WRITE_WITHOUT_DERIVATIVE, program, tmp_path) == {9}


@pytest.mark.parametrize(
    ("end", "seen"), [("(total * 0.5).sum()", True), ("total.pow(2).sum()", False)]
)
def test_a_constant_in_a_sum_of_vectors(end: str, seen: bool, tmp_path: Path) -> None:
    program = f"""
        known = net.bias.detach() * 2
        total = net.bias + known
        {end}.backward()
        """
    assert rows_of(Pitfall.CONSTANT_TERM, program, tmp_path) == ({7} if seen else set())


def test_a_view_of_a_leaf_that_only_claims_to_require_grad(tmp_path: Path) -> None:
    program = """
        with torch.no_grad():
            known = net.bias.view(3)
        (net.bias + known).sum().backward()
        """
    assert rows_of(Pitfall.CONSTANT_TERM, program, tmp_path) == {8}
