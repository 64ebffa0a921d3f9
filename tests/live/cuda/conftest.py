"""These tests need a CUDA device. Elsewhere they are skipped."""

from collections.abc import Iterator

import pytest
import torch


@pytest.fixture(autouse=True)
def on_gpu() -> Iterator[None]:
    """A device; what a program makes the default device is so for that program alone."""
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device here")
    yield
    torch.set_default_device(None)
