"""The plugin `deviceshare` and its parts."""
