"""The file is a module of a package: others import it, and call what it defines as they like.

Not where tests or callers show what for.

package/__init__.py
package/losses.py       # of what is found here
"""

from __future__ import annotations

from pathlib import Path

from autograd_lint.engine.assumptions import Kind
from autograd_lint.evidence.signals.base import Case, Signal

_KNOWN = {Kind.DIFFERENTIATED_BY_CALLERS, Kind.DIFFERENTIATED_IN_TESTS}


def _speaks(case: Case) -> bool:
    if any(why.kind in _KNOWN for why in case.fault.assumptions):
        return False
    return Path(case.source.filename).with_name("__init__.py").exists()


SIGNAL = Signal("in-package", _speaks)
