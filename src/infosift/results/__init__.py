"""What a run leaves behind: frozen records, to and from JSON. What was decided is stored, not worked out again."""
