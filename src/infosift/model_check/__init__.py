"""A model on the selected features and on all features, cross-validated with the selection inside."""
