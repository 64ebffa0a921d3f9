"""What decides what is checked and shown, and how files and options say so."""
