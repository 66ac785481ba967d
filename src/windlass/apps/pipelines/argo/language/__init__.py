"""The language of templates: tags, expressions, conditions, and the scope that they refer to. Pure."""
