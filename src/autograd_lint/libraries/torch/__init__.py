"""What PyTorch offers a program: tensors, operators, modules, optimizers, transforms."""
