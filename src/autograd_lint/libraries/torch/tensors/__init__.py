"""Tensors as a program uses them: making, attributes, methods, conversions, hooks."""
