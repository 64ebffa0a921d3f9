"""What the tests of the real engine share."""

from pathlib import Path

import pytest

from tests.live.programs import Run, Traced


@pytest.fixture
def traced(tmp_path: Path) -> Run:
    """Runs a program under the tracer."""
    return lambda source: Traced(source, tmp_path)
