"""The abstract engine: PyTorch's autograd as a small deterministic machine, without torch."""
