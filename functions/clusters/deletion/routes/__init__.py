"""The deletion routes, and the look at a cluster that their previews are made from."""
