"""/apis/v1beta1, for SDK 1.8: its messages, translated onto the functions that answer /apis/v2beta1."""
