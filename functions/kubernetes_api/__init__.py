"""The only door to a cluster: a connection, and the few things that stages do through it."""
