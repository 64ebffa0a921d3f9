"""What becomes of gradients from round to round."""

from pathlib import Path
from textwrap import dedent, indent

import pytest
from tests.live.confirm.watch.test_onlooker import code_of, outcome

from autograd_lint.engine.pitfalls import Pitfall

OWN = "opt.zero_grad()\n(w * net(x)).sum().backward()\nopt.step()"
PILES = {
    "of what no optimizer has": (OWN, True),
    "cleared by hand": (f"w.grad = None\n{OWN}", False),
    "of another optimizer": (f"{OWN}\nthird.step()\nw.grad = None", False),
}


@pytest.mark.parametrize(("step", "seen"), PILES.values(), ids=PILES)
def test_gradients_that_zero_grad_passes_by(step: str, seen: bool, tmp_path: Path) -> None:
    found, _ = outcome(
        "w = torch.ones(3, requires_grad=True)\n"
        "third = torch.optim.SGD([w], lr=0.1)\n"
        f"for _ in range(3):\n{indent(step, '    ')}\n",
        tmp_path,
    )
    assert (code_of(Pitfall.GRADIENTS_PILE_UP) in {one.code for one in found.seen}) is seen


@pytest.mark.parametrize(("between", "seen"), [("pass", True), ("w.grad = None", False)])
def test_gradients_of_what_is_told_to_require_grad_again(
    between: str, seen: bool, tmp_path: Path
) -> None:
    found, _ = outcome(
        dedent(f"""
        w = torch.ones(3, requires_grad=True)
        (w * 2).sum().backward()
        {between}
        w.requires_grad_()
        (w * 2).sum().backward()
        """),
        tmp_path,
    )
    rows = {one.row for one in found.seen if one.code == code_of(Pitfall.GRADIENTS_PILE_UP)}
    assert (11 in rows) is seen


def rows_of(pitfall: Pitfall, text: str, folder: Path) -> set[int]:
    """The rows at which the onlooker sees a pitfall in a program that begins at row 7."""
    found, _ = outcome(text, folder)
    return {one.row for one in found.seen if one.code == code_of(pitfall)}


@pytest.mark.parametrize(("clear", "seen"), [("pass", True), ("opt.zero_grad()", False)])
def test_gradients_of_zeros_pile_up_as_well(clear: str, seen: bool, tmp_path: Path) -> None:
    program = f"""
        for _ in range(4):
            {clear}
            (0 * net(x)).sum().backward()
        """
    assert bool(rows_of(Pitfall.GRADIENTS_PILE_UP, program, tmp_path)) is seen


@pytest.mark.parametrize("freezes", ["net.weight.requires_grad = False", "net.weight.detach_()"])
@pytest.mark.parametrize(("before", "seen"), [("pass", True), ("net(x).sum().backward()", False)])
def test_a_leaf_is_frozen_before_it_has_a_gradient(
    freezes: str, before: str, seen: bool, tmp_path: Path
) -> None:
    program = f"""
        {before}
        loss = net(x).sum()
        {freezes}
        loss.backward()
        """
    assert (9 in rows_of(Pitfall.GRADIENT_CUT, program, tmp_path)) is seen


def test_a_graph_that_another_file_leaves_is_left_at_the_call(tmp_path: Path) -> None:
    (tmp_path / "leaving.py").write_text("def cut(x):\n    return x.detach() * 2\n")
    program = f"""
        import sys
        sys.path.append({str(tmp_path)!r})
        from leaving import cut
        other(cut(net(x))).sum().backward()
        opt.step()
        """
    assert rows_of(Pitfall.GRADIENT_CUT, program, tmp_path) == {10}


@pytest.mark.parametrize(("given", "seen"), [("pass", True), ("net.weight.grad = slope", False)])
def test_what_is_only_computed_trains_nothing(given: str, seen: bool, tmp_path: Path) -> None:
    program = f"""
        opt = torch.optim.SGD([net.weight], lr=0.1)
        copy = net.weight.detach().clone().requires_grad_()
        (slope,) = torch.autograd.grad(net(x).sum(), [net.weight])
        {given}
        copy.sum().backward()
        opt.step()
        """
    assert (8 in rows_of(Pitfall.GRADIENT_CUT, program, tmp_path)) is seen
