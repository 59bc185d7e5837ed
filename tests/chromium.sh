#!/bin/sh
# Provides a Chromium for the browser tests: the one on PATH, else Debian's, else playwright's own.
cd "$(dirname "$0")/.." || exit 0

for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && exit 0
done

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium && exit 0
fi

.venv/bin/playwright install chromium && exit 0

echo "No Chromium could be installed, so the browser tests will be skipped."
exit 0
