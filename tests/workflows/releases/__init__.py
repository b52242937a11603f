"""What a release leaves running: its state machines, its records and its payloads, frozen for the next one's tests."""
