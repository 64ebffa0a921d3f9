"""One file per rule; see `base.py` for what a rule is and `registry.py` for how they are found."""
