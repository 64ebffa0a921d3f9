"""Source: absl/app.py."""
