"""Projects that run what others have trained."""

from pathlib import Path

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.fakes import write_tree

DECODER = """import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, nodes):
        nodes = nodes.exp()
        kept = self.layer(nodes)
        nodes += kept
        return nodes
"""
RUN = """import torch
from decoder import Decoder


def predict(decoder, nodes):
    {how}
        return decoder(nodes)


decoder = Decoder()
{loaded}
print(predict(decoder, torch.ones(1, 3)))
"""
OFF = "with torch.no_grad():"
LOADED = "decoder.load_state_dict(torch.load('decoder.pt'))"
TRAINS = "from torch import optim\n"


@pytest.mark.parametrize(
    ("head", "how", "loaded", "only"),
    [
        ("", OFF, LOADED, True),
        ("", "if True:", LOADED, False),
        ("", OFF, "decoder.eval()", False),
        (TRAINS, OFF, LOADED, False),
    ],
)
def test_what_only_a_training_shows_is_daring_where_nothing_trains(
    tmp_path: Path, head: str, how: str, loaded: str, only: bool
) -> None:
    text = head + RUN.format(how=how, loaded=loaded)
    write_tree(tmp_path, {"decoder.py": DECODER, "run.py": text})
    faults = analyse(Source(str(tmp_path / "decoder.py"), DECODER), Project([tmp_path]))
    kinds = {why.kind for fault in faults for why in fault.assumptions}
    assert faults
    assert (Kind.TRAINED_BY_OTHERS in kinds) is only
