"""What listens: HTTP, the guard, the agents' API and the control API."""
