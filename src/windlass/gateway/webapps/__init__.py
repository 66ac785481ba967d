"""REST back ends of the web apps: notebooks, TensorBoards and volumes."""
