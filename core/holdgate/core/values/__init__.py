"""What is said: plain values that every room may use."""
