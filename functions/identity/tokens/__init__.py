"""What the tokens of those who sign in may hold."""
