"""Where artifacts are kept, by their URIs: folders of a claim, or object stores."""
