"""Views of what a namespace has besides jobs: notebooks, TensorBoards, volumes, and its home page."""
