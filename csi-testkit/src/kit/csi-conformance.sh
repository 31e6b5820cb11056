#!/bin/sh
# Checks a CSI plugin in any language against the CSI specification. This file is a script with a jar behind it, so
# that it is all that is needed beside a JRE. Its first argument may be `plugin`, for the fake plugin.
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if ! command -v -- "$java" >/dev/null 2>&1; then
  echo "csi-conformance: no Java found; install a JRE, 17 or newer (Debian: openjdk-17-jre-headless), or set JAVA_HOME" >&2
  exit 2
fi
version=$("$java" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java\.specification\.version = //p')
case $version in
  1.* | 9 | 1[0-6])
    echo "csi-conformance: needs Java 17 or newer, and $java is Java $version; set JAVA_HOME to a newer one" >&2
    exit 2
    ;;
esac
case ${1:-} in
  plugin | conformance) ;;
  *) set -- conformance "$@" ;;
esac
exec "$java" -jar "$0" "$@"
