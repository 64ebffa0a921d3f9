"""`python -m autograd_lint`: the command, where its script is not on the path."""

from autograd_lint.cli import start

start()
