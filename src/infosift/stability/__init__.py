"""How often features are selected over half-samples of the rows."""
