"""The command line: parses, calls one verb, hands the result on."""
