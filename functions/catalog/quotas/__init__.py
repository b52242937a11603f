"""What the account may have, and what of it is in use."""
