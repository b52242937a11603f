"""What is looked up about a request before anything is made for it."""
