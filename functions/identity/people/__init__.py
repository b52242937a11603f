"""Access of people: which roles and users enter a cluster or some of its namespaces, and how they get there."""
