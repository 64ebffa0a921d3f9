"""What a run finds on its way, where there was no time for other ways."""

from tests.interpreter.running import faults

PHASES = """
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.phase = config.phase
        self.embed = nn.Linear(4, 4)
        self.top = nn.Linear(4, 4)
    def forward(self, x):
        x = self.embed(x)
        if self.phase == "late":
            x = x.data
        for i in range({rounds}):
            x = x + i
        return self.top(x)
"""


def test_what_one_phase_cuts_another_may_train() -> None:
    assert [fault.weight for fault in faults(PHASES.format(rounds=1))] == []
    assert [fault.weight for fault in faults(PHASES.format(rounds=600))] == []
