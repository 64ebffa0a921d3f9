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
