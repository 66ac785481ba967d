"""What the gateway knows of notebooks: how IDEs reach their servers, and when they were last used."""
