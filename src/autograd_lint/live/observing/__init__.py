"""What the functions of the program are given while it runs, for `check --facts`."""
