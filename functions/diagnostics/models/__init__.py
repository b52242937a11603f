"""What a diagnosis consists of: the answer (`answers`), and the facts that it is made from (`facts`)."""
