"""Which feature next, and when to stop: searches, and the methods that answer their questions."""
