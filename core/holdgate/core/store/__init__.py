"""What lasts: the ledger, secrets, gateway keys."""
