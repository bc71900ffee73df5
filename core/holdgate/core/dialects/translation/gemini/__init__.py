"""Gemini generateContent in the neutral form, and the way back."""
