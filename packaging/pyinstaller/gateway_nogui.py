"""The frozen program `gateway-nogui`."""

from holdgate.cli.nogui import main

main(prog_name="gateway-nogui")
