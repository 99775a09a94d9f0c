"""Variations: differing toolsets derived from given ones, offline and by seed alone."""
