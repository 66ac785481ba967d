"""TensorBoards: how a path of logs is read, and names that controller, gateway and web app share."""
