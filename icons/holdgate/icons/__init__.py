"""Icons and how they are drawn. Only the tray imports them."""
