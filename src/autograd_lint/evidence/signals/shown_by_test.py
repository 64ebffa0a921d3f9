"""Only a test reaches the code in a way that shows the finding.

def test_decoder():
    optimizer = torch.optim.Adam(encoder.parameters())   # told: `self.decoder` is in no optimizer
    Trainer(encoder, optimizer).fit(data)
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.callers import is_test_path


def _speaks(case: Case) -> bool:
    caller = case.fault.caller
    return caller is not None and is_test_path(caller.filename)


SIGNAL = Signal("shown-by-test", _speaks)
