"""Translation: requests and replies of one dialect told in another, through the neutral form."""
