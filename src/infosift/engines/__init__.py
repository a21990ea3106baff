"""Where blocks of columns are scored."""
