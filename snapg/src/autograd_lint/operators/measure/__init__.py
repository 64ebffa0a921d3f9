"""The measuring program: runs every operator on a live torch and writes the table."""
