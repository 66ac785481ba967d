"""Commands that run one component in the foreground: `server`, `manager`, `scheduler` and `node`."""
