"""Start at login: what is written where on each system, and undone exactly."""

from holdgate.core.autostart.program import Refused
from holdgate.core.autostart.switch import Autostart, Change, Status, autostart_here

__all__ = ["Autostart", "Change", "Refused", "Status", "autostart_here"]
