package io.csi4j.client;

import io.csi4j.client.internal.call.Calls;
import io.csi4j.client.internal.call.CapabilityGuard;
import io.csi4j.client.internal.call.KnownValues;
import io.csi4j.client.internal.call.StatusMapper;
import io.csi4j.client.internal.log.CallLog;
import io.csi4j.client.internal.retry.CallRetries;
import io.csi4j.client.internal.retry.RetryEnvironment;
import io.csi4j.client.internal.service.ControllerClient;
import io.csi4j.client.internal.service.GroupControllerClient;
import io.csi4j.client.internal.service.IdentityClient;
import io.csi4j.client.internal.service.NodeClient;
import io.csi4j.client.internal.service.ServiceCalls;
import io.csi4j.client.internal.service.SnapshotMetadataClient;
import io.csi4j.client.internal.transport.Connection;
import io.csi4j.client.internal.transport.Connector;
import io.csi4j.client.internal.transport.Ticker;
import io.csi4j.client.retry.AttemptObserver;
import io.csi4j.client.retry.OutstandingCall;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.metadata.ResumingSnapshotMetadata;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A client of one CSI plugin. Safe for use by many threads; one for each plugin is enough.
 *
 * <p>Making a client connects to nothing. The first call does, and each call after the plugin has gone,
 * come back, or given its socket's path to a new process finds its way by itself; a client is never made
 * anew. Threads are daemons, named {@code csi4j-io-N} and {@code csi4j-call-N}, shared by all clients and
 * gone with the last.
 *
 * <p>Futures are completed by the client's executor. Stages that depend on them without an executor of
 * their own run there too, and may block: with the default executor they hold up nobody else.
 */
public final class CsiClient implements AutoCloseable {
    /** The largest answer that is accepted unless a builder says otherwise, in bytes: 16 MiB. */
    public static final int DEFAULT_MAX_INBOUND_MESSAGE_SIZE = 16 << 20;

    private final String plugin;
    private final Endpoint endpoint;
    private final CallDeadlines deadlines;
    private final Connection connection;
    private final ServiceCalls calls;
    private final CallRetries discipline;

    private CsiClient(Builder builder) {
        this.endpoint = builder.endpoint;
        this.plugin = builder.plugin == null ? endpoint.toString() : builder.plugin;
        this.deadlines = builder.deadlines;
        Ticker ticker = builder.ticker;
        this.connection = new Connector(
                        endpoint, builder.transport, builder.maxInboundMessageSize, builder.executor, ticker)
                .open();
        StatusMapper mapper = new StatusMapper(plugin, endpoint, builder.rules, builder.maxInboundMessageSize);
        RetryEnvironment surroundings = new RetryEnvironment(
                ticker::nanos,
                (delay, task) -> connection.later(task, Math.max(0, delay.toNanos())),
                connection::isClosed,
                Optional.ofNullable(builder.observer));
        this.discipline = new CallRetries(builder.rules, builder.volumeOrder, surroundings, Chance.system())
                .with(builder.retries);
        this.calls = new ServiceCalls(
                new Calls(connection, mapper, deadlines, ticker),
                discipline,
                new CapabilityGuard(plugin, builder.capabilities),
                new CallLog(builder.requestLog == null ? null : builder.requestLog.lines(), plugin, ticker),
                new KnownValues());
    }

    private CsiClient(CsiClient origin, CallDeadlines deadlines, CallRetries discipline, ServiceCalls calls) {
        this.endpoint = origin.endpoint;
        this.plugin = origin.plugin;
        this.deadlines = deadlines;
        this.connection = origin.connection;
        this.discipline = discipline;
        this.calls = calls;
    }

    /**
     * A client with the default settings for the plugin at a Unix socket.
     *
     * @param endpoint see {@link Endpoint#parse}
     * @return a new client; the caller closes it
     * @throws IllegalArgumentException if the text names no Unix socket
     */
    public static CsiClient connect(String endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        return builder(Endpoint.parse(endpoint)).build();
    }

    /**
     * A builder of a client.
     *
     * @param endpoint where the plugin listens
     * @return a new builder with the default settings
     */
    public static Builder builder(Endpoint endpoint) {
        return new Builder(Objects.requireNonNull(endpoint, "endpoint"));
    }

    /**
     * How this client calls the plugin in messages and exceptions.
     *
     * @return the name given to the builder, or the endpoint
     */
    public String plugin() {
        return plugin;
    }

    /** Where the plugin listens. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** How long this client waits for answers. */
    public CallDeadlines deadlines() {
        return deadlines;
    }

    /**
     * A view of this client that waits the same time for every answer. It shares the connection; closing
     * one closes both.
     *
     * @param deadline longer than zero
     * @return a view
     * @throws IllegalArgumentException if the deadline is zero, negative, or over 292 years
     */
    public CsiClient withDeadline(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        return withDeadlines(deadlines.withAll(deadline));
    }

    /**
     * A view of this client with other deadlines. It shares the connection; closing one closes both.
     *
     * @param deadlines for each {@link Rpc}
     * @return a view
     */
    public CsiClient withDeadlines(CallDeadlines deadlines) {
        Objects.requireNonNull(deadlines, "deadlines");
        return new CsiClient(this, deadlines, discipline, calls.with(deadlines, discipline));
    }

    /**
     * A view of this client that repeats calls differently. It shares the connection, and calls of both wait for
     * each other; closing one closes both.
     *
     * @param retries how often and how fast
     * @return a view
     */
    public CsiClient withRetries(RetryOptions retries) {
        CallRetries other = discipline.with(Objects.requireNonNull(retries, "retries"));
        return new CsiClient(this, deadlines, other, calls.with(deadlines, other));
    }

    /**
     * A view of this client that holds requests against other capabilities (R42), for example none, for who reads them
     * anew. It shares the connection, and calls of both wait for each other; closing one closes both.
     *
     * @param capabilities see {@link Builder#capabilities}
     * @return a view
     */
    public CsiClient withCapabilities(Supplier<Capabilities> capabilities) {
        return new CsiClient(
                this, deadlines, discipline, calls.with(Objects.requireNonNull(capabilities, "capabilities")));
    }

    /** How often and how fast this client repeats calls. */
    public RetryOptions retries() {
        return discipline.retries();
    }

    /**
     * What each status code means for each RPC, and whether the call is repeated.
     *
     * @return the table
     */
    public CallRules rules() {
        return discipline.rules();
    }

    /**
     * The changes that ended without a definite answer and hold their volumes until they are repeated or undone
     * (R30).
     *
     * @return those of this client and all its views, in no particular order
     */
    public List<OutstandingCall> outstanding() {
        return discipline.outstanding();
    }

    /**
     * Lets all calls about a volume, snapshot or group in again, although a change of it may take effect yet. For a
     * host who knows by other means how that ended, or has overridden it on record.
     *
     * @param subject its id, as in {@link OutstandingCall#subject()}; an id that holds nothing does nothing
     */
    public void forgetOutstanding(String subject) {
        Objects.requireNonNull(subject, "subject");
        discipline.forget(subject);
    }

    /**
     * Who the plugin is, what it can do and whether it is well.
     *
     * @return the service; every plugin has it (R14)
     */
    public IdentityService identity() {
        return new IdentityClient(calls);
    }

    /**
     * Volume operations that need no particular node.
     *
     * @return the service; what the plugin has of it, its capabilities say (R42)
     */
    public ControllerService controller() {
        return new ControllerClient(calls);
    }

    /**
     * Snapshots of several volumes at one point.
     *
     * @return the service; for plugins with GROUP_CONTROLLER_SERVICE
     */
    public GroupControllerService groupController() {
        return new GroupControllerClient(calls);
    }

    /**
     * Volume operations on the node where the plugin runs.
     *
     * @return the service; what the plugin has of it, its capabilities say (R42)
     */
    public NodeService node() {
        return new NodeClient(calls);
    }

    /**
     * Which blocks of a snapshot are allocated, or differ from an earlier snapshot. A stream ends where it
     * breaks.
     *
     * @return the service; for plugins with SNAPSHOT_METADATA_SERVICE
     */
    public SnapshotMetadataService snapshotMetadata() {
        return new SnapshotMetadataClient(calls);
    }

    /**
     * The same, with streams that are resumed where they break (R102) and keep the order of ranges over all
     * their parts (R101). Another number of resumptions, or another pause before them, has who builds the
     * {@link ResumingSnapshotMetadata} himself.
     *
     * @return the service; for plugins with SNAPSHOT_METADATA_SERVICE
     */
    public SnapshotMetadataService resumingSnapshotMetadata() {
        return ResumingSnapshotMetadata.builder(snapshotMetadata(), plugin)
                .timer((task, pause) -> connection.later(task, pause.toNanos()))
                .build();
    }

    /**
     * Makes calls of the controller services for somebody else, who has them as messages. They go through the same
     * order, repeats and checks as all others of this client: a request that breaks a rule of CSI (R16-R25) or needs
     * what the plugin has not announced (R42) fails with a {@link io.csi4j.core.call.CsiRequestException} that names
     * all that is wrong with it, and nothing is sent.
     *
     * @return a relay to the plugin; cancelling its futures cancels the calls
     */
    public CallRelay relay() {
        return new ClientRelay(calls, discipline, deadlines);
    }

    /** Makes the calls; the services stand on this. */
    ServiceCalls calls() {
        return calls;
    }

    /**
     * Closes the connection, for this client and all its views. Calls in flight fail with an unknown
     * outcome; later ones with an {@link IllegalStateException}. Does nothing the second time.
     */
    @Override
    public void close() {
        connection.close();
    }

    @Override
    public String toString() {
        return "CsiClient[" + plugin + (plugin.equals(endpoint.toString()) ? "" : " at " + endpoint)
                + (connection.isClosed() ? ", closed]" : "]");
    }

    /** Collects the settings of a client. Not for use by several threads. */
    public static final class Builder {
        private final Endpoint endpoint;
        private @Nullable String plugin;
        private CallDeadlines deadlines = CallDeadlines.ofDefaults();
        private Transport transport = Transport.AUTO;
        private int maxInboundMessageSize = DEFAULT_MAX_INBOUND_MESSAGE_SIZE;
        private @Nullable Executor executor;
        private CallRules rules = CallRules.defaults();
        private RetryOptions retries = RetryOptions.ofDefaults();
        private VolumeOrder volumeOrder = VolumeOrder.oneAtATime();
        private Supplier<Capabilities> capabilities = Capabilities::unknown;
        private @Nullable AttemptObserver observer;
        private @Nullable RequestLog requestLog;
        private Ticker ticker = Ticker.system();

        private Builder(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        /**
         * How to call the plugin in messages and exceptions.
         *
         * @param name a name; the endpoint unless set
         * @throws IllegalArgumentException if the name is blank
         */
        public Builder plugin(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("plugin: the name is blank; leave it out for the endpoint");
            }
            this.plugin = name;
            return this;
        }

        /**
         * How long to wait for answers.
         *
         * @param deadlines for each RPC; the defaults unless set
         */
        public Builder deadlines(CallDeadlines deadlines) {
            this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
            return this;
        }

        /**
         * What each status code means for each RPC, and whether the call is repeated.
         *
         * @param rules {@link CallRules#defaults()} unless set
         */
        public Builder rules(CallRules rules) {
            this.rules = Objects.requireNonNull(rules, "rules");
            return this;
        }

        /**
         * How often and how fast calls are repeated, within their deadlines.
         *
         * @param retries {@link RetryOptions#ofDefaults()} unless set; {@link RetryOptions#none()}: never
         */
        public Builder retries(RetryOptions retries) {
            this.retries = Objects.requireNonNull(retries, "retries");
            return this;
        }

        /**
         * Whether calls about one volume wait for each other (R26).
         *
         * @param volumeOrder {@link VolumeOrder#oneAtATime()} unless set
         */
        public Builder volumeOrder(VolumeOrder volumeOrder) {
            this.volumeOrder = Objects.requireNonNull(volumeOrder, "volumeOrder");
            return this;
        }

        /**
         * What the plugin has announced. A call or a field that needs something else fails with a {@link
         * io.csi4j.core.call.CsiRequestException} that names the capability, before anything is sent (R42).
         *
         * @param capabilities asked at every call, so it must be quick; nothing is known unless set, and nothing
         *     refused by what is not known
         */
        public Builder capabilities(Supplier<Capabilities> capabilities) {
            this.capabilities = Objects.requireNonNull(capabilities, "capabilities");
            return this;
        }

        /**
         * Who is told of each try of each call: metrics by method and code, and what is repeated.
         *
         * @param observer quick and safe for many threads; nobody unless set
         */
        public Builder observer(AttemptObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Where requests and answers are written down for people, without what is confidential in them: for finding
         * out what a plugin was asked, and what it said.
         *
         * @param log for example {@link RequestLog#ofDefaults()}; nothing is written unless set
         */
        public Builder requestLog(RequestLog log) {
            this.requestLog = Objects.requireNonNull(log, "log");
            return this;
        }

        /** Elapsed time, for tests. */
        Builder ticker(Ticker elapsed) {
            this.ticker = elapsed;
            return this;
        }

        /**
         * How to move bytes.
         *
         * @param transport {@link Transport#AUTO} unless set
         */
        public Builder transport(Transport transport) {
            this.transport = Objects.requireNonNull(transport, "transport");
            return this;
        }

        /**
         * The largest answer to accept. A plugin that does not page its lists may need more than the
         * default.
         *
         * @param bytes at least 1; {@value CsiClient#DEFAULT_MAX_INBOUND_MESSAGE_SIZE} unless set
         * @throws IllegalArgumentException if the number is zero or negative
         */
        public Builder maxInboundMessageSize(int bytes) {
            if (bytes < 1) {
                throw new IllegalArgumentException(
                        "maxInboundMessageSize: " + bytes + " bytes hold no answer; use at least 1");
            }
            this.maxInboundMessageSize = bytes;
            return this;
        }

        /**
         * What completes futures and calls subscribers, instead of threads that clients share. The caller
         * closes it, after the client. With one that runs work on the thread that brings it
         * ({@code Runnable::run}) calls are somewhat faster, and a dependent stage that blocks stops every
         * client in this program.
         *
         * @param executor any executor
         */
        public Builder executor(Executor executor) {
            this.executor = Objects.requireNonNull(executor, "executor");
            return this;
        }

        /**
         * Makes the client. Nothing is connected yet.
         *
         * @return a new client; the caller closes it
         * @throws IllegalArgumentException if the transport is not available on this system, or the files of
         *     the TLS settings cannot be used
         */
        public CsiClient build() {
            return new CsiClient(this);
        }
    }
}
