"""Only a test reaches the code in a way that shows the finding.

def test_decoder():
    optimizer = torch.optim.Adam(encoder.parameters())   # told: `self.decoder` is in no optimizer
    Trainer(encoder, optimizer).fit(data)
"""

from __future__ import annotations

from autograd_lint.evidence.signals.base import Case, Signal
from autograd_lint.facts.files_of_tests import is_test


def _speaks(case: Case) -> bool:
    caller = case.fault.caller
    test = case.project.file(caller.filename) if caller is not None else None
    return test is not None and is_test(test)


SIGNAL = Signal("shown-by-test", _speaks)
