"""Fuzzing: whatever comes in, what reads it takes little time and memory, and raises only the errors it names."""
