#!/bin/sh
# The Debian packages that the tests need beyond python3, python3-venv, git and make.
#
# A test that needs one is marked @pytest.mark.system("part"); the part gets its check in
# tests/conftest.py and its package a place in the list below. Packages are installed only by root
# on Debian and its kin; anywhere else such a test is left out, or fails with STRICT=1.
set -eu

packages="chromium chromium-driver fonts-dejavu-core
    systemd desktop-file-utils libglib2.0-bin binutils libpython3-dev zsh fish
    xvfb trayer xdotool x11-utils dbus gir1.2-gtk-3.0 gir1.2-ayatanaappindicator3-0.1
    libgirepository1.0-dev libcairo2-dev pkg-config gcc libc6-dev python3-dev"

missing=""
for package in $packages; do
    dpkg -s "$package" >/dev/null 2>&1 || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "== not installed, their tests are left out:$missing"
    exit 0
fi
echo "== system packages:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086  # a list of words
apt-get install -y -qq --no-install-recommends $missing >/dev/null
