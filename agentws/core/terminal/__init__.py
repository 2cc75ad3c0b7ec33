"""The terminal: options, input, output, prompts and progress of the command line."""
