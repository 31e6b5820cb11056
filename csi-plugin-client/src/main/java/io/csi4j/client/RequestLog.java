package io.csi4j.client;

import io.csi4j.client.internal.log.RequestLines;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A log of the requests to a plugin and its responses, for people: one line for each request sent, each ended attempt, and each
 * message of a stream. Each client writes it to the logger named {@link #LOGGER} at level DEBUG, so the level of that logger
 * switches it on and off while the program runs; {@link CsiClient.Builder#requestLog} sets another log. A call that is rejected
 * before sending has no line.
 *
 * <p>A line has the number of the call and of the attempt, the RPC, the volume, the plugin, the code, the outcome, the duration, and
 * the fields of the message. It never has (R35):
 *
 * <ul>
 * <li>secrets, not even where the plugin repeats them as text, hexadecimal or base64;
 *   <li>mount flags, and the values of contexts, parameters and all other maps except topologies, which may contain
 *       credentials: only their keys are shown. {@link #withVisibleKeys} shows the values of some keys;
 * <li>the values of such flags and maps inside texts of the plugin;
 *   <li>more than {@value RequestLines#MAX_CHARS} characters of a value, {@value RequestLines#MAX_ELEMENTS} elements of a list
 *       or map, and {@value RequestLines#MAX_LINE} characters of a message;
 *   <li>line breaks and control characters.
 * </ul>
 *
 * <p>Thread-safe. Several clients may share one log; calls are numbered over all of them. If the logger is not at DEBUG, nothing is
 * formatted.
 */
public final class RequestLog {
    /** The name of the logger of {@link #ofDefaults}; its lines have the level DEBUG. */
    public static final String LOGGER = "io.csi4j.client.requests";

    private static final System.Logger LINES = System.getLogger(LOGGER);

    /** The log of all clients that got no other. */
    static final RequestLog SHARED = ofDefaults();

    private final RequestLines lines;

    private RequestLog(RequestLines lines) {
        this.lines = lines;
    }

    /**
     * Returns a log that writes to the {@link System.Logger} named {@link #LOGGER} at level DEBUG. The host turns the
     * log on and off in its logging configuration.
     */
    public static RequestLog ofDefaults() {
        return new RequestLog(new RequestLines(
                () -> LINES.isLoggable(Level.DEBUG), line -> LINES.log(Level.DEBUG, line), Set.of(), new AtomicLong()));
    }

    /**
     * Returns a log that passes its lines to the host.
     *
     * @param lines gets each line in the thread that sends the request or receives the response, before the caller is notified; has
     *     to be fast, non-blocking and thread-safe. An exception is logged by its class, and the call continues
     */
    public static RequestLog to(Consumer<String> lines) {
        return new RequestLog(
                new RequestLines(() -> true, Objects.requireNonNull(lines, "lines"), Set.of(), new AtomicLong()));
    }

    /**
     * Returns a log like this one that also shows the values of some keys in contexts and parameters. Secrets stay
     * hidden.
     *
     * @param keys keys with harmless values, for example {@code fsType}
     * @return a new log, which shares the numbering of calls with this log
     */
    public RequestLog withVisibleKeys(Set<String> keys) {
        return new RequestLog(new RequestLines(lines.on(), lines.lines(), Set.copyOf(keys), lines.calls()));
    }

    RequestLines lines() {
        return lines;
    }

    @Override
    public String toString() {
        return "RequestLog[" + (lines.visibleKeys().isEmpty() ? "" : "shown keys " + lines.visibleKeys()) + "]";
    }
}
