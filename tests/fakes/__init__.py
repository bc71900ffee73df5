"""Stand-ins for the world outside: a vendor and an agent over real loopback sockets."""
