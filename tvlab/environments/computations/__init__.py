"""Tools that compute: the catalogue of pure computations whose meaning is certain."""
