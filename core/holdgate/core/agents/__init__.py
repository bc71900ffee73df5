"""Agents: which there are, how each is pointed at the gateway, and how that is undone."""
