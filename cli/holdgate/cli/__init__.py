"""The command line: `gateway` and `gateway-nogui`."""
