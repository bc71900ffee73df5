"""Anthropic Messages for translation: its readers and writers of the neutral form."""
