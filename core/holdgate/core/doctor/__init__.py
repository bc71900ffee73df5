"""The doctor: what keeps a gateway, its vendors and its agents from working, and what to do.

Decisions are plain functions of facts; collectors get sockets, environment, home and clock as
arguments. It writes nothing, but for the tiny requests that it has asked.
"""

from holdgate.core.doctor.examination import examine
from holdgate.core.doctor.finding import Examined, Finding
from holdgate.core.doctor.scene import Scene

__all__ = ["Examined", "Finding", "Scene", "examine"]
