"""What callers send about imported clusters, what is remembered of one, and what a connection test answers."""
