"""What is called by a name that programs give to counts of hits, and is not known."""

from pathlib import Path

import pytest

from tests.evidence.test_reconsidering import is_shown

EPOCH = """
import torch

def run_epoch(data, model, optimizer):
    {kept} = []
    for xs, ys in data:
        loss, other = model(xs, ys)
        {kept}.append(other * len(xs))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return sum({kept})
"""


@pytest.mark.parametrize(("kept", "shown"), [("accs", False), ("others", True)])
def test_a_score_of_which_nothing_else_is_known_has_no_graph(
    tmp_path: Path, kept: str, shown: bool
) -> None:
    assert is_shown(tmp_path, EPOCH.format(kept=kept), "") is shown
