"""The entrances that apps declare: paths, rights and tokens of servers, and the answer while a server is not ready."""
