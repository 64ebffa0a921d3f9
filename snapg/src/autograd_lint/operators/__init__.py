"""What each operator does to autograd: measured on a live torch, kept as data."""
