"""autograd-lint: says what PyTorch's autograd will do to a program before it does it."""

__version__ = "0.1.0"
