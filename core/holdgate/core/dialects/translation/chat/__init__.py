"""OpenAI Chat Completions, as the dialect of an agent and of a vendor."""
