"""What every answer of the catalog has in common: where it comes from, and which part of it is unknown."""
