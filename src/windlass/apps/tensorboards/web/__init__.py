"""/tensorboards: the web app of TensorBoards."""
