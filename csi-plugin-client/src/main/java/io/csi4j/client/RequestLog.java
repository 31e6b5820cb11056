package io.csi4j.client;

import io.csi4j.client.internal.log.RequestLines;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Writes down what is asked of a plugin and what it answers, in lines for people: one for each request that is sent,
 * one for each end of a try, one for each message of a stream. Off unless a client is given one, see
 * {@link CsiClient.Builder#requestLog}; a call that is refused before it is sent has no line.
 *
 * <p>A line holds the number of the call and of the try, the RPC, the volume, the plugin, the code, the outcome, the
 * time it took, and the fields of the message. It does not hold (R35):
 *
 * <ul>
 *   <li>secrets, also where the plugin repeats them, in text, hexadecimal or base64;
 *   <li>mount flags, and values of contexts, parameters and all other maps but topologies, which may hold credentials:
 *       their keys are shown. {@link #withShownKeys} shows the values of some;
 *   <li>those values in texts of the plugin's;
 *   <li>more than {@value RequestLines#MAX_CHARS} characters of a value, {@value RequestLines#MAX_ELEMENTS} elements of a list or map, and
 *       {@value RequestLines#MAX_LINE} characters of a message;
 *   <li>line breaks, and what a terminal obeys.
 * </ul>
 *
 * <p>Safe for use by many threads, and by many clients: calls are numbered over all of them. While nobody reads it,
 * because the logger is not at DEBUG, nothing is formatted.
 */
public final class RequestLog {
    /** The logger that the lines of {@link #ofDefaults} go to, at DEBUG. */
    public static final String LOGGER = "io.csi4j.client.requests";

    private static final System.Logger LINES = System.getLogger(LOGGER);

    private final RequestLines lines;

    private RequestLog(RequestLines lines) {
        this.lines = lines;
    }

    /**
     * A log that goes to the {@link System.Logger} named {@link #LOGGER}, at DEBUG; so it can be turned on and off
     * while the program runs.
     */
    public static RequestLog ofDefaults() {
        return new RequestLog(new RequestLines(
                () -> LINES.isLoggable(Level.DEBUG), line -> LINES.log(Level.DEBUG, line), Set.of(), new AtomicLong()));
    }

    /**
     * A log that goes where the host wants it.
     *
     * @param lines is given each line, by the thread that sends the request or brings the answer, and before the caller
     *     is told; so it is quick, does not block, and is safe for many threads. What it throws is logged by its class,
     *     and the call goes on
     */
    public static RequestLog to(Consumer<String> lines) {
        return new RequestLog(
                new RequestLines(() -> true, Objects.requireNonNull(lines, "lines"), Set.of(), new AtomicLong()));
    }

    /**
     * The same log, with the values under some keys of contexts and parameters shown. Secrets stay hidden.
     *
     * @param keys keys of which the host knows that they hold nothing confidential, for example {@code fsType}
     * @return a log that numbers calls together with this one
     */
    public RequestLog withShownKeys(Set<String> keys) {
        return new RequestLog(new RequestLines(lines.on(), lines.lines(), Set.copyOf(keys), lines.calls()));
    }

    RequestLines lines() {
        return lines;
    }

    @Override
    public String toString() {
        return "RequestLog[" + (lines.shownKeys().isEmpty() ? "" : "shown keys " + lines.shownKeys()) + "]";
    }
}
