"""One request served: the road from the queue to the vendor and back."""
