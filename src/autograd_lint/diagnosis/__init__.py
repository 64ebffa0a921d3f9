"""From the error that Python printed to the lines that explain it.

`reading` turns the text into evidence, `matching` its frames into rows of files, `candidates` runs
what leads there and gathers what the runs show, `fitting` says how each agrees with the evidence,
`ranking` puts them in order, and `telling` says it all to the user.
"""
