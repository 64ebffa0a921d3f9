"""What libraries do to a program: PyTorch, and what else matters to autograd."""
