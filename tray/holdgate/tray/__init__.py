"""The tray icon. Its parts come with the tray extra; nothing else imports them."""
