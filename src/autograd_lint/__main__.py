"""`python -m autograd_lint`: the command, where its script is not on the path."""

import os
import sys

if not getattr(sys.flags, "safe_path", False):
    # What lies in the folder to be checked is not to be imported; the script begins like this, too.
    sys.path[0:1] = [os.path.dirname(sys.executable)]

from autograd_lint.cli import start

start()
