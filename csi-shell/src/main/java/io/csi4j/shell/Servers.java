package io.csi4j.shell;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * The servers of the settings. A request goes to the one that answered last; where a server does not answer, does not lead,
 * or cannot serve now, to the next one, round and round while the patience lasts. An answer that lacks what only the leader
 * knows is the answer only if no other server has a complete one. Used by one thread.
 */
final class Servers {
    /** The header of an answer that lacks what only the leader knows: the reason. */
    private static final String INCOMPLETE = "csi-incomplete";

    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(300);
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    /** The silence after which a server is asked whether it lives. */
    private static final Duration SUSPICIOUS = Duration.ofSeconds(3);
    /** The time in which a server that lives answers something. */
    private static final Duration SIGN = Duration.ofSeconds(2);
    /** Has no object, and is answered without work. */
    private static final String NOTHING = "/v1/nothing";

    private final Settings settings;
    private final SSLSocketFactory tls;
    private final Pause pause;
    private int first;

    Servers(Settings settings, SSLSocketFactory tls, Pause pause) {
        this.settings = settings;
        this.tls = tls;
        this.pause = pause;
    }

    List<Address> addresses() {
        return settings.addresses();
    }

    /** Returns one of the servers alone, for which nothing waits long. */
    Servers at(Address address) {
        return new Servers(settings.at(address, BETWEEN_ROUNDS.multipliedBy(3)), tls, pause);
    }

    /** The answer of a server that could serve a request. */
    record Answer(HttpReply reply, Address address) implements AutoCloseable {
        /** Returns what the answer lacks, for people; empty if it is complete. */
        Optional<String> incomplete() {
            return reply.header(INCOMPLETE).map(Text::safe);
        }

        @Override
        public void close() throws IOException {
            reply.close();
        }
    }

    /**
     * Sends a request.
     *
     * @throws FailedException if no server serves it, or a server refuses it
     */
    Answer send(HttpRequest request) throws FailedException {
        long end = end();
        while (true) {
            List<String> reasons = new ArrayList<>();
            Duration wait = BETWEEN_ROUNDS;
            FailedException refusal = null;
            // A server that knows another one as the leader will hardly lead soon, and there is no other address.
            @Nullable Problem lone = null;
            Answer partial = null;
            for (int i = 0; i < settings.addresses().size(); i++) {
                int at = (first + i) % settings.addresses().size();
                Address address = settings.addresses().get(at);
                HttpReply reply;
                try {
                    reply = open(address, request, partial == null ? end : pause.nanos());
                } catch (IOException e) {
                    reasons.add(address + ": " + reason(e));
                    continue;
                }
                Refusal refused = refused(reply, address);
                if (refused == null
                        && reply.header(INCOMPLETE).isPresent()
                        && settings.addresses().size() > 1) {
                    // The leader knows more.
                    if (partial == null) {
                        partial = new Answer(reply, address);
                        first = at;
                    } else {
                        close(reply);
                    }
                    continue;
                }
                if (refused == null) {
                    if (partial != null) {
                        close(partial.reply());
                    }
                    first = at;
                    return new Answer(reply, address);
                }
                if (!refused.elsewhere() && partial == null) {
                    throw refused.failure();
                }
                refusal = refused.failure();
                lone = settings.addresses().size() == 1 ? refused.problem() : null;
                reasons.add(address + ": " + refusal.getMessage());
                if (refused.retryAfter().isPresent()) {
                    wait = Duration.ofSeconds(refused.retryAfter().getAsLong());
                }
            }
            if (partial != null) {
                return partial;
            }
            boolean follows = lone != null && lone.leader().isPresent();
            if (follows || pause.nanos() + wait.toNanos() - end > 0) {
                throw new FailedException(
                        refusal == null ? Csi.UNREACHABLE : refusal.code(),
                        "no server serves the request\n  " + String.join("\n  ", reasons)
                                + (follows ? "\ngive the addresses of all servers, or that of the leader" : ""));
            }
            pause.pause(wait);
        }
    }

    /**
     * Sends a request to one server, once.
     *
     * @param end the time at which the patience for the answer ends, at the earliest after a second
     * @throws FailedException if the server does not serve it
     */
    Answer once(Address address, HttpRequest request, long end) throws FailedException {
        HttpReply reply;
        try {
            reply = open(address, request, end);
        } catch (IOException e) {
            throw new FailedException(Csi.UNREACHABLE, reason(e));
        }
        Refusal refused = refused(reply, address);
        if (refused != null) {
            throw refused.failure();
        }
        return new Answer(reply, address);
    }

    /** Returns the time at which the patience ends. */
    long end() {
        return pause.nanos() + settings.patience().toNanos();
    }

    private static void close(HttpReply reply) {
        try {
            reply.close();
        } catch (IOException e) {
            return; // The answer is not needed.
        }
    }

    private HttpReply open(Address address, HttpRequest request, long end) throws IOException {
        Duration left = shorter(CONNECT, Duration.ofNanos(end - pause.nanos()));
        Duration silence = shorter(SUSPICIOUS, left);
        return open(
                address,
                request,
                left,
                request.patience(),
                new HttpReply.Silence(silence, () -> lives(address, shorter(SIGN, silence))));
    }

    /** Returns the shorter time, which is not shorter than a second. */
    private static Duration shorter(Duration one, Duration other) {
        Duration shorter = one.compareTo(other) < 0 ? one : other;
        return shorter.compareTo(SHORTEST) < 0 ? SHORTEST : shorter;
    }

    /** Returns whether a server that is silent answers another request: otherwise its process or its machine stands still. */
    private boolean lives(Address address, Duration limit) {
        HttpRequest request = HttpRequest.get(NOTHING, limit);
        try (HttpReply reply = open(address, request, limit, limit, new HttpReply.Silence(limit, () -> false))) {
            return reply.status() > 0;
        } catch (IOException e) {
            return false;
        }
    }

    private HttpReply open(
            Address address, HttpRequest request, Duration connect, Duration patience, HttpReply.Silence silence)
            throws IOException {
        Transport transport = Transport.connect(address, tls, connect);
        try {
            return new HttpReply(transport, address, request, settings.token(), patience, silence);
        } catch (IOException | RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    /**
     * A refused request.
     *
     * @param elsewhere whether another server, or this one later, may serve it
     * @param retryAfter after how many seconds, if the server says it
     */
    private record Refusal(FailedException failure, Problem problem, boolean elsewhere, OptionalLong retryAfter) {}

    private static @Nullable Refusal refused(HttpReply reply, Address address) throws FailedException {
        int status = reply.status();
        String type = reply.type();
        boolean known = type.equals("application/json") || type.equals("text/event-stream");
        if (status >= 200 && (status < 300 || status == 503) && known) {
            return null;
        }
        try (reply) {
            if (status >= 400 && type.equals("application/problem+json")) {
                Problem problem = new Problem(document(reply));
                FailedException failure = new FailedException(problem.exitCode(), problem.message(), problem.kind());
                boolean busy = status == 429;
                return new Refusal(
                        failure,
                        problem,
                        busy || problem.isOfServer(),
                        busy ? retryAfter(reply) : OptionalLong.empty());
            }
            String what = status >= 300 && status < 400
                    ? "with a redirection, which csi does not follow"
                    : "with status " + status + " and the type '"
                            + Text.cut(Text.safe(type.isEmpty() ? "none" : type), 60) + "'";
            throw new FailedException(
                    Csi.FAILED, address + " answers " + what + ", so it is not the API of csi4j; correct the address");
        } catch (IOException | JsonParseException e) {
            throw new FailedException(Csi.FAILED, address + ": " + reason(e));
        }
    }

    private static JsonObject document(HttpReply reply) throws IOException {
        JsonElement parsed = JsonInput.one(reply);
        return parsed instanceof JsonObject object ? object : new JsonObject();
    }

    private static OptionalLong retryAfter(HttpReply reply) {
        String text = reply.header("retry-after").orElse("");
        return text.matches("\\d{1,6}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }

    /** Returns the cause of a failed connection for people. */
    static String reason(Exception e) {
        if (e instanceof ConnectException) {
            return "nothing listens there";
        } else if (e instanceof SocketTimeoutException) {
            return "it does not answer";
        } else if (e instanceof SSLException && String.valueOf(e.getMessage()).contains("SSL message")) {
            return "it does not speak TLS; if its port has none, begin the address with http://";
        } else if (e instanceof SSLException) {
            return "its certificate is not trusted, or has another name; give the ones that signed it with --ca ("
                    + Text.safe(String.valueOf(e.getMessage())) + ")";
        } else if (e instanceof EOFException) {
            return "it ends in the middle";
        } else if (e instanceof JsonParseException || e instanceof MalformedJsonException) {
            return "it is not the JSON of the API";
        }
        String message = e.getMessage();
        return Text.safe(message == null ? e.getClass().getSimpleName() : message);
    }
}
