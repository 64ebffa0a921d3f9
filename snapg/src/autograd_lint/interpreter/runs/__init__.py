"""What is run, along which paths, and what comes of it all."""
