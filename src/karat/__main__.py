"""python -m karat."""

from karat.cli.main import main

main()
