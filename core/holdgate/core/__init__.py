"""The gateway as a library: no command line, no tray, no printing."""
