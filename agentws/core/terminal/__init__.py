"""Options, parser, output, prompts and progress of the command line."""
