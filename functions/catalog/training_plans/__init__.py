"""Training plans of the account, and those that could be bought."""
