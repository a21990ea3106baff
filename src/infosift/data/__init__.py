"""From files and data frames to a table that the estimators can take."""
