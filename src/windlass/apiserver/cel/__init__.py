"""Kubernetes' Common Expression Language: validation rules of custom resources, and admission policies.

`runtime` wraps the CEL runtime (loaded when the first expression is compiled), `library` adds Kubernetes' functions,
`rules` evaluates x-kubernetes-validations, `compiling` checks them when a definition is written, `fields` and `syntax`
connect the fields in an expression with their schema.
"""
