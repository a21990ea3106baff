"""Criteria: how informative a subset of features is about the target."""
