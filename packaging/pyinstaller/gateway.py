"""The frozen program `gateway`."""

from holdgate.cli.main import main

main(prog_name="gateway")
