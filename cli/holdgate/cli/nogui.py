"""The program `gateway-nogui`: the same commands without any tray code."""

from holdgate.cli.main import build

main = build(gui=False)

if __name__ == "__main__":
    main()
