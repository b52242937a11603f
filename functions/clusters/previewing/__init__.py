"""What a request about a cluster would make, told before anything is made."""
