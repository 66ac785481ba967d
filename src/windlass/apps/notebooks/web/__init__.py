"""The notebooks web app: spawner configuration, form, phases and REST.

spawner_config          the file of form defaults
form                    from a form's POST to a Notebook and its claims
phases rows             what a list shows of a notebook
"""
