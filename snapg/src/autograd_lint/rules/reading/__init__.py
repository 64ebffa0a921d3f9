"""The exact reading: LibCST on the few lines that a fault points at.

Importing this package imports LibCST; rules name it in annotations only.
"""

from autograd_lint.rules.reading.chunk import Assigned, Chunk
from autograd_lint.rules.reading.writes import Form, Write

__all__ = ["Assigned", "Chunk", "Form", "Write"]
