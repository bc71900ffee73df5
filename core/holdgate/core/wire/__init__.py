"""Bytes: event streams, JSON spans, content encodings."""
