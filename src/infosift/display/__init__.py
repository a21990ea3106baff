"""What people look at: terminal, report and plots, built from a Selection."""
