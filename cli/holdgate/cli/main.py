"""The program `gateway`."""
