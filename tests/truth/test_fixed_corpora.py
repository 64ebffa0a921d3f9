"""The programs in `fixtures/cases` that a fix is offered for run well once it is applied."""

import sys
from pathlib import Path

import pytest
import torch
from benchmarks.fixes import GOOD, mend, programs

CASES = Path(__file__).parents[2] / "fixtures" / "cases"
SHARDS = 16  # for as many processes as there are


@pytest.mark.skipif(sys.platform == "win32", reason="programs are run in forks")
@pytest.mark.parametrize("shard", range(SHARDS))
def test_they_run_and_check_clean(shard: int) -> None:
    torch.set_num_threads(1)
    fixed = [mend(path) for path in list(programs(CASES, ""))[shard::SHARDS]]
    assert sum(one is not None for one in fixed) >= 5
    wrong = [one for one in fixed if one and (one.verdict not in GOOD or one.left)]
    assert wrong == []
