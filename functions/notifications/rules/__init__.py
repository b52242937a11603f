"""What is worth telling, and in which words: pure decisions, a file for each kind of thing."""
