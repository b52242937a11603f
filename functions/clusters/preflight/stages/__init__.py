"""What gathers the facts of a request, and the stage (`again`) that does so once more."""
