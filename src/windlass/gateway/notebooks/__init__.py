"""What the gateway knows of notebooks: the tokens of their servers, and when they were last used."""
