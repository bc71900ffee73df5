"""The built-in demo provider: a scripted vendor that needs no key and no network."""
