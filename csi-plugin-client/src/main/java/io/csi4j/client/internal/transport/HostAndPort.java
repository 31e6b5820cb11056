package io.csi4j.client.internal.transport;

import io.csi4j.core.internal.text.Text;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A TCP address.
 *
 * @param host a name, an IPv4 address, or an IPv6 address in brackets
 * @param port 1 to 65535
 */
public record HostAndPort(String host, int port) {
    private static final Pattern FORM = Pattern.compile(
            "(?:tcp://|dns:///|dns:)([a-z0-9._-]+|\\[[0-9a-f:.]+]):(\\d{1,5})", Pattern.CASE_INSENSITIVE);
    private static final Pattern LOOPBACK_NUMBER =
            Pattern.compile("127(?:\\.(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)){3}|\\[(?:::1|(?:0{1,4}:){7}0{0,3}1)]");

    public static HostAndPort parse(String text) {
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            int port = Integer.parseInt(form.group(2));
            if (port >= 1 && port <= 65_535) {
                return new HostAndPort(form.group(1).toLowerCase(Locale.ROOT), port);
            }
        }
        throw new IllegalArgumentException("endpoint: " + Text.printable(text)
                + " is not a TCP address; write tcp://host:port or dns:///host:port with a port from 1 to 65535");
    }

    /** Returns whether the host is this machine. */
    public boolean isLoopback() {
        return host.equals("localhost") || LOOPBACK_NUMBER.matcher(host).matches();
    }

    @Override
    public String toString() {
        return "tcp://" + host + ":" + port;
    }
}
