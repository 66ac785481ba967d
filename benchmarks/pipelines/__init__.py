"""How long pipelines take, beside kfp.local in the same run."""
