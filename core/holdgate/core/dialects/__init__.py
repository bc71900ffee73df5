"""The four APIs that agents and vendors speak. No I/O."""
