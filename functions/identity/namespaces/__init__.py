"""Namespaces of a cluster: listed, and made for people to work in."""
