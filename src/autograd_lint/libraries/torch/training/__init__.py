"""What a training step is made of: data, backward, optimizers, scalers, schedulers."""
