"""Graphs that live on where nothing is differentiated."""

from pathlib import Path

import pytest
from tests.live.confirm.watch.test_onlooker import code_of, outcome

from autograd_lint.engine.pitfalls import Pitfall


@pytest.mark.parametrize(("kept", "seen"), [("out", True), ("out.detach()", False)])
def test_graphs_of_every_round_without_a_backward(kept: str, seen: bool, tmp_path: Path) -> None:
    found, _ = outcome(
        f"""
        history = []
        for _ in range(3):
            out = net(x)
            history.append({kept})
        """,
        tmp_path,
    )
    rows = {one.row for one in found.seen if one.code == code_of(Pitfall.GRAPH_KEPT)}
    assert rows == ({9} if seen else set())
