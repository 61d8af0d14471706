"""What every backend of a port has to do, run over all of them."""
