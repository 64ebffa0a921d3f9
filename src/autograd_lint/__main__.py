"""`python -m autograd_lint`: the command, where its script is not on the path."""

import os
import sys

if sys.path and os.path.abspath(sys.path[0]) == os.getcwd():
    del sys.path[0]  # what lies in the folder to be checked is not to be imported

from autograd_lint.cli import start

start()
