"""Results for people: in a terminal, in a notebook, as plots and as a report, all in the words of ``wording``."""
