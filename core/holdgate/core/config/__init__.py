"""config.toml: load, check, edit, watch."""
