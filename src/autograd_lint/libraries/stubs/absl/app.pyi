"""Source: `run` in absl/app.py."""

def run(main, argv=None, flags_parser=None):
    main(argv)
