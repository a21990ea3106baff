"""Spectra as coordinates on a basis of smooth functions."""
