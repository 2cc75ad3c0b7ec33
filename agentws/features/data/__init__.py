"""data, artifact: tables of JSON rows, logs of rows for programs, and files by their digest."""
