"""macOS and Windows, as far as Linux can tell: pystray's own code on recorded stand-ins.

What a real Mac and a real Windows would say is not known here; docs/tray.md says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PATIENCE = 60

# Stand-ins for PyObjC that note which thread touches AppKit. NSApplication's loop does what
# AppHelper.callAfter was given, on the main thread, until it is stopped.
DARWIN = """
import queue, sys, threading, types

touched, later = [], queue.Queue()


class Thing:
    def __init__(self, name): self._name = name
    def __call__(self, *args): return self
    def __getattr__(self, name):
        if name.startswith("set") or name in ("alloc", "removeStatusItem_"):
            touched.append((self._name + "." + name, threading.current_thread().name))
        return Thing(name)
    def thickness(self): return 22
    def size(self): return None


class App(Thing):
    over = False
    def run(self):
        while not self.over:
            later.get(timeout=20)()
    def stop_(self, _): App.over = True
    def postEvent_atStart_(self, *_): later.put(lambda: None)


def module(name, **members):
    found = types.ModuleType(name)
    found.__dict__.update(members)
    found.__getattr__ = lambda missing: Thing(missing)
    sys.modules[name] = found
    return found


app = App("app")
module("AppKit", NSApplication=types.SimpleNamespace(sharedApplication=lambda: app))
module("Foundation", NSObject=object, NSData=lambda data: data)
module("objc", namedSelector=lambda _: lambda method: method)
signals = {}
mach = module("PyObjCTools.MachSignals", signal=lambda n, h: signals.__setitem__(n, h),
              getsignal=signals.get)
helper = module("PyObjCTools.AppHelper", callAfter=later.put)
module("PyObjCTools", MachSignals=mach, AppHelper=helper)
sys.platform = "darwin"
import pystray
sys.platform = "linux"
pystray._darwin.IconDelegate.alloc = classmethod(lambda cls: cls())
pystray._darwin.IconDelegate.init = lambda self: self

import signal
from holdgate.icons.look import Look, State
from holdgate.tray.backend import Shown
from holdgate.tray.menu import Item
from holdgate.tray.pystray_backend import PystrayBackend

heard = []
backend = PystrayBackend(pystray, print, lambda number, frame: heard.append(number))
assert backend.has_menu


def update():
    assert threading.current_thread() is not threading.main_thread()
    for look, text in ((Look(State.IDLE), "one"), (Look(State.WAITING, 2), "two")):
        backend.apply(Shown(look, text, (Item(text),)))
    backend.stop()


backend.run(update)
kinds = {name.rpartition(".")[2] for name, _ in touched}
print("kinds", sorted(kinds))
print("threads", sorted({thread for _, thread in touched}))
signals[signal.SIGTERM](signal.SIGTERM)
print("heard", heard == [signal.SIGTERM], set(signals) >= {signal.SIGINT, signal.SIGHUP})
"""

# Stand-ins for Windows' libraries: every function gives 1. Structures are ctypes' own, so a text
# that is too long for them raises.
WIN32 = """
import ctypes, sys, types
from ctypes import wintypes

calls = []


class Function:
    def __init__(self, name): self.name = name
    def __call__(self, *args):
        calls.append(self.name)
        return 1


class Library:
    def __getattr__(self, name):
        found = Function(name)
        setattr(self, name, found)
        return found


ctypes.windll = types.SimpleNamespace(
    user32=Library(), kernel32=Library(), shell32=Library(), gdi32=Library()
)
ctypes.WinDLL = lambda *args, **more: Library()
ctypes.WINFUNCTYPE = ctypes.CFUNCTYPE
ctypes.HRESULT = ctypes.c_long
ctypes.WinError = OSError
sys.platform = "win32"
import pystray
sys.platform = "linux"

from holdgate.tray import notices
from holdgate.tray.backend import Shown
from holdgate.tray.menu import Item
from holdgate.tray.pystray_icons import kind_of, mended
from holdgate.tray.title import MOST
from pystray._util import win32

kind = kind_of(pystray)
print("kind", kind)
icon = mended(pystray, kind)("holdgate")
icon._hwnd = icon._menu_hwnd = 1


def fits(**texts):
    try:
        win32.NOTIFYICONDATAW(**texts)
    except ValueError:
        return False
    return True


print("fits", fits(szTip="x" * MOST), fits(szInfo="x" * notices.TEXT_MOST),
      fits(szInfoTitle="x" * notices.TITLE_MOST), "not", fits(szTip="x" * 129))

# While nobody opens it, no native menu is made or destroyed: not from the updater's thread.
calls.clear()
icon.menu = pystray.Menu(pystray.MenuItem("Pause", lambda: None))
icon.update_menu()
print("untouched", not {"CreatePopupMenu", "DestroyMenu"} & set(calls), calls)
icon._on_notify(0, win32.WM_RBUTTONUP)
print("opened", calls.count("CreatePopupMenu"), calls.count("TrackPopupMenuEx"))
icon._running = False
"""


def run(script: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
        env={name: text for name, text in os.environ.items() if name != "PYSTRAY_BACKEND"},
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_macos_draws_on_the_main_thread_only() -> None:
    kinds, threads, heard = run(DARWIN)
    for touched in ("setImage_", "setMenu_", "setToolTip_", "setHidden_", "setTemplate_"):
        assert touched in kinds
    assert "setActivationPolicy_" in kinds
    assert threads == "threads ['MainThread']"
    assert heard == "heard True True"


def test_macos_without_the_detour_would_draw_elsewhere() -> None:
    direct = "PystrayBackend._call = lambda self, what: what()\nheard = []"
    _, threads, _ = run(DARWIN.replace("heard = []", direct, 1))
    assert threads != "threads ['MainThread']"


def test_windows_takes_our_texts_and_menus() -> None:
    kind, fits, untouched, opened = run(WIN32)
    assert kind == "kind win32"
    assert fits == "fits True True True not False"
    assert untouched.startswith("untouched True")
    assert opened == "opened 1 1"
