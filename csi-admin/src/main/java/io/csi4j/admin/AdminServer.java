package io.csi4j.admin;

import io.csi4j.admin.access.AccessPolicies;
import io.csi4j.admin.access.Authenticator;
import io.csi4j.admin.access.TokenAuthenticator;
import io.csi4j.admin.internal.api.AccessEndpoints;
import io.csi4j.admin.internal.api.Api;
import io.csi4j.admin.internal.api.ClaimActions;
import io.csi4j.admin.internal.api.ClaimEndpoints;
import io.csi4j.admin.internal.api.ClassEndpoints;
import io.csi4j.admin.internal.api.Endpoint;
import io.csi4j.admin.internal.api.EngineEndpoints;
import io.csi4j.admin.internal.api.NodeActions;
import io.csi4j.admin.internal.api.NodeEndpoints;
import io.csi4j.admin.internal.api.OpenApi;
import io.csi4j.admin.internal.api.OperationEndpoints;
import io.csi4j.admin.internal.api.Operations;
import io.csi4j.admin.internal.api.OwnerActions;
import io.csi4j.admin.internal.api.PluginActions;
import io.csi4j.admin.internal.api.PluginEndpoints;
import io.csi4j.admin.internal.api.ProfileEndpoints;
import io.csi4j.admin.internal.api.QuotaEndpoints;
import io.csi4j.admin.internal.api.RepairActions;
import io.csi4j.admin.internal.api.SearchEndpoint;
import io.csi4j.admin.internal.api.ServerActions;
import io.csi4j.admin.internal.api.ServerEndpoints;
import io.csi4j.admin.internal.api.ServerParts;
import io.csi4j.admin.internal.api.SnapshotActions;
import io.csi4j.admin.internal.api.SnapshotEndpoints;
import io.csi4j.admin.internal.api.VolumeActions;
import io.csi4j.admin.internal.api.VolumeEndpoints;
import io.csi4j.admin.internal.console.ConsolePages;
import io.csi4j.admin.internal.http.HttpLimits;
import io.csi4j.admin.internal.http.HttpServer;
import io.csi4j.admin.internal.http.RequestThreads;
import io.csi4j.core.internal.file.ServerSocketFile;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.ReplicatedLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP server for operators and their programs: reads and actions as JSON, which {@code /v1/openapi.json} describes, pages
 * for people that change nothing, and the health of the server at {@code /health}. A host starts one beside its engine. No
 * answer has a secret, a context, a parameter or a mount flag.
 *
 * <p>The server listens on the loopback address. Another address needs TLS and an {@link Authenticator}. Thread-safe.
 *
 * <p>It has its own daemon threads, {@code csi4j-admin-N}, {@code csi4j-admin-io-N} and
 * {@code csi4j-console-N}; the engine never waits for one of
 * them.
 */
public final class AdminServer implements AutoCloseable {
    private final HttpServer server;
    private final ConsolePages pages;
    private final RequestThreads threads = new RequestThreads("csi4j-admin-");
    private final boolean secure;
    private final Optional<ServerSocketFile> socket;
    private final Runnable closeEnvironment;

    private AdminServer(Builder builder, Environment environment, Runnable closeEnvironment) throws IOException {
        this.closeEnvironment = closeEnvironment;
        this.secure = builder.tls != null;
        this.socket = builder.socket == null ? Optional.empty() : Optional.of(ServerSocketFile.prepare(builder.socket));
        HealthCheck health = builder.health == null ? builder.defaultHealth(environment) : builder.health;
        ReplicatedLog log = builder.log;
        ServerParts parts = new ServerParts(
                builder.lifecycle.log().state(),
                builder.lifecycle::isLeading,
                Optional.ofNullable(log),
                health,
                Optional.ofNullable(builder.policies),
                builder.policies != null || builder.authenticator instanceof TokenAuthenticator,
                new Operations(environment, threads));
        Api api = new Api(endpoints(), parts, environment.timer(), threads);
        this.pages =
                new ConsolePages(builder.lifecycle, health, environment, builder.history.events(), log, endpoints());
        Gate gate = new Gate(Optional.ofNullable(builder.authenticator), new WrongTokens(environment));
        this.server = new HttpServer(
                builder.address(),
                builder.tls,
                HttpLimits.DEFAULT,
                new AdminService(
                        builder.lifecycle, gate, api, pages, new HealthAnswer(health), OpenApi.of(endpoints())),
                threads,
                environment);
        if (socket.isPresent()) {
            protect(socket.get());
        }
    }

    private void protect(ServerSocketFile file) throws IOException {
        try {
            file.bound();
        } catch (IOException unprotected) {
            close();
            throw unprotected;
        }
    }

    /** Returns all endpoints. */
    static List<Endpoint> endpoints() {
        List<Endpoint> all = new ArrayList<>();
        all.addAll(VolumeEndpoints.all());
        all.addAll(ClaimEndpoints.all());
        all.addAll(NodeEndpoints.all());
        all.addAll(PluginEndpoints.all());
        all.addAll(SnapshotEndpoints.all());
        all.addAll(EngineEndpoints.all());
        all.addAll(SearchEndpoint.all());
        all.addAll(ServerEndpoints.all());
        all.addAll(OperationEndpoints.all());
        all.addAll(VolumeActions.all());
        all.addAll(OwnerActions.all());
        all.addAll(SnapshotActions.all());
        all.addAll(ClaimActions.all());
        all.addAll(NodeActions.all());
        all.addAll(RepairActions.all());
        all.addAll(PluginActions.all());
        all.addAll(ServerActions.all());
        all.addAll(ClassEndpoints.all());
        all.addAll(QuotaEndpoints.all());
        all.addAll(ProfileEndpoints.all());
        all.addAll(AccessEndpoints.all());
        return all;
    }

    /**
     * Returns a builder.
     *
     * @param lifecycle the engine; without an {@link Authenticator}, all requests act on behalf of the host
     */
    public static Builder builder(VolumeLifecycle lifecycle) {
        return new Builder(lifecycle);
    }

    /** Returns the address, with the port that the system chose if the host chose none; {@code unix:} and a path for a Unix socket. */
    public URI uri() {
        if (server.address() instanceof InetSocketAddress address) {
            String host = address.getAddress().isAnyLocalAddress()
                    ? "localhost"
                    : address.getAddress().getHostAddress();
            return URI.create((secure ? "https" : "http") + "://" + (host.contains(":") ? "[" + host + "]" : host) + ":"
                    + address.getPort() + "/");
        }
        return URI.create("unix:" + ((UnixDomainSocketAddress) server.address()).getPath());
    }

    /** Ends all connections and threads, and removes the Unix socket. Further calls have no effect. Close the server before the engine. */
    @Override
    public void close() {
        server.close();
        threads.close();
        pages.close();
        socket.ifPresent(ServerSocketFile::remove);
        closeEnvironment.run();
    }

    /** Builds {@link AdminServer}s. Not thread-safe. */
    public static final class Builder {
        private final VolumeLifecycle lifecycle;
        private InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        private @Nullable Path socket;
        private AdminHistory history = AdminHistory.of(1);
        private @Nullable HealthCheck health;
        private @Nullable ReplicatedLog log;
        private @Nullable Environment environment;
        private @Nullable SSLContext tls;
        private @Nullable Authenticator authenticator;
        private @Nullable AccessPolicies policies;

        private Builder(VolumeLifecycle lifecycle) {
            this.lifecycle = Objects.requireNonNull(lifecycle, "lifecycle");
        }

        private SocketAddress address() {
            return socket == null ? address : UnixDomainSocketAddress.of(socket);
        }

        /**
         * Sets the health check whose result {@code /health} shows.
         *
         * @param health the check. Default: one that knows the {@linkplain #log log}, if it is set; otherwise {@link
         *     HealthCheck#of}, for a server that is alone and always leads
         */
        public Builder health(HealthCheck health) {
            this.health = Objects.requireNonNull(health, "health");
            return this;
        }

        /**
         * Sets the events that the pages show.
         *
         * @param history the history, whose listener the host also adds to the engine; if not set, the pages show no
         *     history and no failed calls
         */
        public Builder history(AdminHistory history) {
            this.history = Objects.requireNonNull(history, "history");
            return this;
        }

        /**
         * Sets the log of the server, so that the API shows it and names the leader.
         *
         * @param log the log, for example {@code CsiServer.log()}
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
         * @param environment the host's environment; if not set, the server has its own and closes it
         */
        public Builder environment(Environment environment) {
            this.environment = Objects.requireNonNull(environment, "environment");
            return this;
        }

        /**
         * Sets the address on which the server listens. Default: the loopback address and a free port.
         *
         * @param address the address; with port 0, the system chooses a free port
         */
        public Builder listen(InetSocketAddress address) {
            this.address = Objects.requireNonNull(address, "address");
            this.socket = null;
            return this;
        }

        /**
         * Listens on a Unix socket, which only the user of this process can reach.
         *
         * @param socket the path, in a directory that is private to this user (rwx------) or does not exist yet. A socket
         *     on which nothing listens, as a killed process leaves it, is replaced
         */
        public Builder listen(Path socket) {
            this.socket = Objects.requireNonNull(socket, "socket").toAbsolutePath();
            return this;
        }

        /**
         * Sets the policies that say what tokens may do, so that operators can see which files are in use. The host gives
         * them to the engine as its access control, too. Without policies and without a {@link TokenAuthenticator}, the
         * API refuses to create tokens, because no request could use them.
         *
         * @param policies the policies; the host closes them
         */
        public Builder policies(AccessPolicies policies) {
            this.policies = Objects.requireNonNull(policies, "policies");
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
         * Lets only requests with a valid token in, each on behalf of the token's owner.
         *
         * @param authenticator finds the owner
         */
        public Builder authenticator(Authenticator authenticator) {
            this.authenticator = Objects.requireNonNull(authenticator, "authenticator");
            return this;
        }

        /**
         * Lets only requests with this token in, all on behalf of the host: the simplest way for a host with few operators.
         *
         * @param token random characters that are worth at least 96 bits, for example the output of {@code openssl rand
         *     -base64 32}
         * @throws IllegalArgumentException if the token is easier to guess
         */
        public Builder token(String token) {
            TokenStrength.check(token);
            return authenticator(new OneToken(token));
        }

        /**
         * Starts the server.
         *
         * @throws IllegalStateException if the address is not a loopback address, and TLS, or a token or authenticator, is missing
         * @throws IOException if the address cannot be used
         */
        public AdminServer start() throws IOException {
            check();
            Environment own = environment == null ? Environment.system() : environment;
            Runnable close = environment == null ? own::close : () -> {};
            try {
                return new AdminServer(this, own, close);
            } catch (IOException | RuntimeException e) {
                close.run();
                throw e;
            }
        }

        private void check() {
            if (socket != null) {
                return;
            }
            if (address.isUnresolved()) {
                throw new IllegalStateException("AdminServer: the host name " + address.getHostString()
                        + " has no address; correct it, or use an address");
            }
            if (!address.getAddress().isLoopbackAddress() && (tls == null || authenticator == null)) {
                throw new IllegalStateException("AdminServer: "
                        + address.getAddress().getHostAddress()
                        + " is not a loopback address, so others could reach it; set "
                        + (tls == null && authenticator == null ? "TLS and a token" : tls == null ? "TLS" : "a token")
                        + ", or listen on a loopback address or a Unix socket");
            }
        }
    }
}
