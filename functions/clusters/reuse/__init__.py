"""What the edge says of a request to take resources over, before an operation begins; the stage looks again."""
