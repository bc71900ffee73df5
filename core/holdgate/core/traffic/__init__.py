"""Decisions: plain functions of (state, now). No I/O."""
