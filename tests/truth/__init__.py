"""The judge of the static analyser: programs whose truth the real engine tells."""
