"""Other programs that our findings reach."""
