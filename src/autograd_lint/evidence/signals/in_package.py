"""The file is a module of a package: others import it, and call what it defines as they like.

Not where tests show how it is called.

package/__init__.py
package/losses.py       # of what is found here
"""

from __future__ import annotations

from pathlib import Path

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import Case, Signal


def _speaks(case: Case) -> bool:
    if any(why.kind is Kind.DIFFERENTIATED_IN_TESTS for why in case.fault.assumptions):
        return False
    return Path(case.source.filename).with_name("__init__.py").exists()


SIGNAL = Signal("in-package", _speaks)
