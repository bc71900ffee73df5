"""Surgical edits: one value of somebody's text is set or removed, every other byte stays."""
