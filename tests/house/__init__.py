"""The house rules as a program: `python -m tests.house` prints what breaks them, one line each."""
