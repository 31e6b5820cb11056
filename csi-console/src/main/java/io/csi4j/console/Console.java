package io.csi4j.console;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.ReplicatedLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A web page for operators that shows one server: its volumes with their holders and waiters, its plugins, nodes and
 * calls, its log, and the history of each volume. Programs read the health of the server at {@code /health}. The console changes
 * nothing. It shows all namespaces and never a secret, a context, a parameter or a mount flag.
 *
 * <p>The console listens on the loopback address. Another address needs TLS and a token. Thread-safe.
 *
 * <p>It has its own daemon threads, {@code csi4j-console-N}; the engine never waits for one of them.
 */
public final class Console implements AutoCloseable {
    private static final int THREADS = 8;
    private static final int STREAMS = 32;

    private final HttpServer server;
    private final URI uri;
    private final EventStreams streams;
    private final ClientThreads threads;
    private final Runnable closeEnvironment;

    private Console(Builder builder, Environment environment, Runnable closeEnvironment) throws IOException {
        this.closeEnvironment = closeEnvironment;
        HealthCheck health = builder.health == null ? builder.defaultHealth(environment) : builder.health;
        LiveReader reader = new LiveReader(builder.lifecycle, health, environment);
        this.threads = new ClientThreads(THREADS + STREAMS, environment);
        this.streams = new EventStreams(reader, builder.history, threads, STREAMS);
        this.server = builder.tls == null
                ? HttpServer.create(builder.address, 0)
                : secure(HttpsServer.create(builder.address, 0), builder.tls);
        Gate gate = new Gate(Optional.ofNullable(builder.token), new WrongTokens(environment));
        server.createContext(
                "/", new ConsoleHandler(gate, new Router(reader, builder.history, builder.log), streams, threads));
        server.setExecutor(threads);
        server.start();
        this.uri = uri(server.getAddress(), builder.tls != null);
    }

    /**
     * Returns a builder.
     *
     * @param lifecycle the engine to show, with a caller who may manage the cluster and read all volumes and plugins
     */
    public static Builder builder(VolumeLifecycle lifecycle) {
        return new Builder(lifecycle);
    }

    private static HttpServer secure(HttpsServer server, SSLContext tls) {
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return server;
    }

    private static URI uri(InetSocketAddress address, boolean tls) {
        String host = address.getAddress().isAnyLocalAddress()
                ? "localhost"
                : address.getAddress().getHostAddress();
        return URI.create((tls ? "https" : "http") + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                + address.getPort() + "/");
    }

    /** Returns the address of the page, with the port that the system chose if the host chose none. */
    public URI uri() {
        return uri;
    }

    /** Ends all connections and threads. Further calls have no effect. Close the console before the engine. */
    @Override
    public void close() {
        streams.close();
        server.stop(0);
        threads.shutdownNow();
        closeEnvironment.run();
    }

    /** Builds {@link Console}s. Not thread-safe. */
    public static final class Builder {
        private final VolumeLifecycle lifecycle;
        private ConsoleHistory history = ConsoleHistory.of(1);
        private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private @Nullable HealthCheck health;
        private @Nullable ReplicatedLog log;
        private @Nullable Environment environment;
        private @Nullable SSLContext tls;
        private @Nullable String token;

        private Builder(VolumeLifecycle lifecycle) {
            this.lifecycle = Objects.requireNonNull(lifecycle, "lifecycle");
        }

        /**
         * Sets the events to show.
         *
         * @param history the history, which the host also adds to the engine as a listener; if not set, the page
         *     shows no history and no failed calls
         */
        public Builder history(ConsoleHistory history) {
            this.history = Objects.requireNonNull(history, "history");
            return this;
        }

        /**
         * Sets the health check whose result {@code /health} and the overview page show.
         *
         * @param health the check. Default: one that knows the {@linkplain #log log}, if it is set; otherwise {@link
         *     HealthCheck#of}, for a server that is alone and always leads
         */
        public Builder health(HealthCheck health) {
            this.health = Objects.requireNonNull(health, "health");
            return this;
        }

        /**
         * Sets the log of the server, which has a page of its own: leader, servers and their progress, entries, snapshot,
         * and why its storage fails.
         *
         * @param log the log, for example {@code CsiServer.log()}; if not set, its page is empty
         */
        public Builder log(ReplicatedLog log) {
            this.log = Objects.requireNonNull(log, "log");
            return this;
        }

        private HealthCheck defaultHealth(Environment own) {
            HealthCheck.Builder check = HealthCheck.builder(lifecycle, own);
            return (log == null ? check : check.log(log)).build();
        }

        /**
         * Sets the clock, the timer and the executor.
         *
         * @param environment the host's environment; if not set, the console has its own and closes it
         */
        public Builder environment(Environment environment) {
            this.environment = Objects.requireNonNull(environment, "environment");
            return this;
        }

        /**
         * Sets the address on which the console listens. Default: the loopback address and a free port.
         *
         * @param address the address; with port 0, the system chooses a free port
         */
        public Builder listen(InetSocketAddress address) {
            this.address = Objects.requireNonNull(address, "address");
            return this;
        }

        /**
         * Serves HTTPS.
         *
         * @param tls the keys and certificates of the server
         */
        public Builder tls(SSLContext tls) {
            this.tls = Objects.requireNonNull(tls, "tls");
            return this;
        }

        /**
         * Sets the token that every reader must present. A browser asks its user for the token as a password, with any
         * user name; a program sends the token as a bearer token. Without the token, {@code /health} shows only whether
         * the server can do its work. After five wrong tokens, an address has to wait before its next one is compared.
         *
         * @param token random characters that are worth at least 96 bits, for example the output of {@code openssl rand
         *     -base64 32}
         * @throws IllegalArgumentException if the token is easier to guess
         */
        public Builder token(String token) {
            TokenStrength.check(token);
            this.token = token;
            return this;
        }

        /**
         * Starts the console.
         *
         * @throws IllegalStateException if the address is not a loopback address, and TLS or the token is missing
         * @throws IOException if the address cannot be used
         */
        public Console start() throws IOException {
            check();
            Environment own = environment == null ? Environment.system() : environment;
            Runnable close = environment == null ? own::close : () -> {};
            try {
                return new Console(this, own, close);
            } catch (IOException | RuntimeException e) {
                close.run();
                throw e;
            }
        }

        private void check() {
            if (address.isUnresolved()) {
                throw new IllegalStateException("Console: the host name " + address.getHostString()
                        + " has no address; correct it, or use an address");
            }
            if (!address.getAddress().isLoopbackAddress() && (tls == null || token == null)) {
                throw new IllegalStateException(
                        "Console: " + address.getAddress().getHostAddress()
                                + " is not a loopback address, so others could read the page; set "
                                + (tls == null && token == null ? "TLS and a token" : tls == null ? "TLS" : "a token")
                                + ", or listen on a loopback address");
            }
        }
    }
}
