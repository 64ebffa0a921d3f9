"""Confines the calling process for good: files, processes, network, time and memory.

Only the standard library is used; each layer that the system lacks is named, not an error.
"""

from autograd_lint.live.sandbox.confine import Limits, confine

__all__ = ["Limits", "confine"]
