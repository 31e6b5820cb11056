package io.csi4j.admin;

import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.Environment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Slows down clients that present wrong tokens. After {@link #FREE} wrong ones, an address has to wait after each further
 * one: a second, then twice as long each time, up to a minute. Meanwhile its tokens are not even compared. Thread-safe.
 */
final class WrongTokens {
    /** The number of wrong tokens before an address has to wait. */
    static final int FREE = 5;

    static final Duration LONGEST = Duration.ofMinutes(1);

    private static final System.Logger LOGGER = System.getLogger(AdminServer.class.getName());
    private static final int ADDRESSES = 10_000;
    /** The part of an IPv6 address that one user has for himself: a network of 64 bits. */
    private static final int NETWORK_BYTES = 8;

    private record Wrong(int count, long lastNanos) {
        Duration delay() {
            return count < FREE
                    ? Duration.ZERO
                    : Duration.ofSeconds(Math.min(LONGEST.toSeconds(), 1L << Math.min(count - FREE, 10)));
        }
    }

    private final Environment environment;
    private final CauseLog causes;
    // Guarded by this object's monitor. In the order of the last wrong token.
    private final Map<String, Wrong> addresses = new LinkedHashMap<>();

    WrongTokens(Environment environment) {
        this.environment = environment;
        this.causes = new CauseLog(LOGGER, environment.clock());
    }

    /** Returns how long an address has to wait before a token of it is compared; zero if it has not. */
    synchronized Duration remaining(InetAddress address) {
        Wrong wrong = addresses.get(source(address));
        if (wrong == null) {
            return Duration.ZERO;
        }
        Duration since = Duration.ofNanos(environment.timer().nanoTime() - wrong.lastNanos());
        Duration rest = wrong.delay().minus(since);
        return rest.isNegative() ? Duration.ZERO : rest;
    }

    /** Notes that a token of an address was wrong. */
    void wrong(InetAddress address) {
        String source = source(address);
        int count;
        synchronized (this) {
            Wrong before = addresses.remove(source);
            count = before == null ? 1 : before.count() + 1;
            addresses.put(source, new Wrong(count, environment.timer().nanoTime()));
            if (addresses.size() > ADDRESSES) {
                addresses.remove(addresses.keySet().iterator().next());
            }
        }
        if (count >= FREE) {
            causes.warn(
                    source,
                    "The administration got " + count + " wrong tokens from " + source
                            + ", and slows it down; correct the token there, or find out who guesses");
        }
    }

    /** Notes that a token of an address was right, so its earlier wrong ones are forgotten. */
    synchronized void right(InetAddress address) {
        addresses.remove(source(address));
    }

    private static String source(InetAddress address) {
        byte[] bytes = address.getAddress();
        return address instanceof Inet6Address
                ? HexFormat.ofDelimiter(":").formatHex(Arrays.copyOf(bytes, NETWORK_BYTES)) + "/64"
                : address.getHostAddress();
    }
}
