"""The agents that are known, a module for each."""
