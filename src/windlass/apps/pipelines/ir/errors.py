"""What is wrong with an uploaded pipeline, or with the parameters of a run."""


class InvalidPipeline(ValueError):
    """A pipeline that cannot be read or could never run; the text names the task and the field."""


class InvalidParameters(ValueError):
    """Values that a pipeline does not take; the text names the parameter."""
