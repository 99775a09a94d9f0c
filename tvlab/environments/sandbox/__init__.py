"""Code from strangers and models: checked, then run in locked worker processes."""
