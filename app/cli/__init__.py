"""The `assay` command: one module a subcommand."""
