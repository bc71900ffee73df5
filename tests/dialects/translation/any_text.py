"""Texts of all that JSON can say: halves of characters and line separators come often."""

from __future__ import annotations

from hypothesis import strategies as st

ANY_TEXT = st.text(
    st.characters()
    | st.characters(categories=["Cs"])
    | st.sampled_from('\x85\u2028\u2029\ud83d\ude00"\\\n')
)
