"""What is said about a cluster rather than made for it: whose it is, and the tags of the company."""
