"""Notebooks: names, annotations and rules that the controller, the gateway and the web app share."""
