"""python -m trueness."""

from trueness.cli.main import main

main()
