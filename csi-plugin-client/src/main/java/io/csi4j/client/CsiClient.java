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
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.client.retry.AttemptObserver;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.client.retry.UnresolvedRequest;
import io.csi4j.client.retry.VolumeOrder;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.internal.metadata.ResumingSnapshotMetadata;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.core.spi.Environment;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A client of one CSI plugin. Thread-safe; one client for each plugin is enough.
 *
 * <p>Building a client opens no connection. The first call connects, and every call reconnects if the plugin has restarted or its
 * socket was replaced; a client never has to be rebuilt. All clients share daemon threads named {@code csi4j-io-N} and {@code
 * csi4j-call-N}, which end with the last client.
 *
 * <p>The client's executor completes the futures. Dependent stages without an executor run there too, and may block: with the
 * default executor, a blocked stage delays no other call.
 */
public final class CsiClient implements AutoCloseable {
    /** The default limit for the size of a response, in bytes: 16 MiB. */
    public static final int DEFAULT_MAX_INBOUND_MESSAGE_SIZE = 16 << 20;

    private final String plugin;
    private final Endpoint endpoint;
    private final CallDeadlines deadlines;
    private final Connection connection;
    private final ServiceCalls calls;
    private final CallRetries retries;

    private CsiClient(Builder builder) {
        this.endpoint = builder.endpoint;
        this.plugin = builder.plugin == null ? endpoint.toString() : builder.plugin;
        this.deadlines = builder.deadlines;
        ElapsedTime elapsed = builder.elapsed;
        Environment environment = builder.environment;
        Executor executor = environment == null ? null : environment.executor();
        RandomGenerator random = environment == null ? DefaultRandom.system() : environment.random();
        Clock clock = environment == null ? ElapsedTime.systemClock() : environment.clock();
        this.connection = new Connector(
                        endpoint, builder.transport, builder.maxInboundMessageSize, executor, elapsed, clock)
                .open();
        StatusMapper mapper = new StatusMapper(plugin, endpoint, builder.rules, builder.maxInboundMessageSize);
        RetryEnvironment retryEnvironment = new RetryEnvironment(
                elapsed::nanos,
                (delay, task) -> connection.later(task, Math.max(0, delay.toNanos())),
                connection::isClosed,
                Optional.ofNullable(builder.observer));
        this.retries =
                new CallRetries(builder.rules, builder.volumeOrder, retryEnvironment, random).with(builder.retries);
        this.calls = new ServiceCalls(
                new Calls(connection, mapper, deadlines, elapsed),
                retries,
                new CapabilityGuard(plugin, builder.capabilities),
                new CallLog(builder.requestLog.lines(), plugin, elapsed),
                new KnownValues());
    }

    private CsiClient(CsiClient origin, CallDeadlines deadlines, CallRetries retries, ServiceCalls calls) {
        this.endpoint = origin.endpoint;
        this.plugin = origin.plugin;
        this.deadlines = deadlines;
        this.connection = origin.connection;
        this.retries = retries;
        this.calls = calls;
    }

    /**
     * Returns a client with default settings for the plugin at a Unix socket.
     *
     * @param endpoint the socket, in a form of {@link Endpoint#parse}
     * @return a new client; the caller closes it
     * @throws IllegalArgumentException if the text names no Unix socket
     */
    public static CsiClient connect(String endpoint) {
        Objects.requireNonNull(endpoint, "endpoint");
        return builder(Endpoint.parse(endpoint)).build();
    }

    /**
     * Returns a builder with the default settings.
     *
     * @param endpoint the address of the plugin
     */
    public static Builder builder(Endpoint endpoint) {
        return new Builder(Objects.requireNonNull(endpoint, "endpoint"));
    }

    /** Returns the name of the plugin for messages and exceptions: the name that the builder was given, or else the endpoint. */
    public String plugin() {
        return plugin;
    }

    /** Returns the address of the plugin. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** Returns the deadlines of this client's calls. */
    public CallDeadlines deadlines() {
        return deadlines;
    }

    /**
     * Returns a view of this client with the same deadline for every call. The client and the view share the connection; closing one closes
     * both.
     *
     * @param deadline longer than zero
     * @throws IllegalArgumentException if the deadline is zero, negative, or over 292 years
     */
    public CsiClient withDeadline(Duration deadline) {
        Objects.requireNonNull(deadline, "deadline");
        return withDeadlines(deadlines.withAll(deadline));
    }

    /** Returns a view of this client with other deadlines. The client and the view share the connection; closing one closes both. */
    public CsiClient withDeadlines(CallDeadlines deadlines) {
        Objects.requireNonNull(deadlines, "deadlines");
        return new CsiClient(this, deadlines, retries, calls.with(deadlines));
    }

    /**
     * Returns a view of this client with other retry options. The client and the view share the connection and the order of calls; closing
     * one closes both.
     */
    public CsiClient withRetries(RetryOptions retries) {
        CallRetries other = this.retries.with(Objects.requireNonNull(retries, "retries"));
        return new CsiClient(this, deadlines, other, calls.with(other));
    }

    /**
     * Returns a view of this client that checks requests against other capabilities (R42). The client and the view share the connection and
     * the order of calls; closing one closes both.
     *
     * @param capabilities as in {@link Builder#capabilities}
     */
    public CsiClient withCapabilities(Supplier<Capabilities> capabilities) {
        return new CsiClient(
                this, deadlines, retries, calls.with(Objects.requireNonNull(capabilities, "capabilities")));
    }

    /** Returns the retry options of this client. */
    public RetryOptions retries() {
        return retries.retries();
    }

    /** Returns the rules that map each status code to an outcome and decide about retries. */
    public CallRules rules() {
        return retries.rules();
    }

    /**
     * Returns the calls that ended with an unknown outcome and block their volumes until they are repeated or undone (R30).
     *
     * @return the calls of this client and all its views, in no particular order
     */
    public List<UnresolvedRequest> unresolved() {
        return retries.unresolved();
    }

    /**
     * Allows all calls about a volume, snapshot or group again, although a call with an unknown outcome may still take effect. Use it
     * after finding out the outcome in another way, or after an operator's override.
     *
     * @param subject the id, as in {@link UnresolvedRequest#subject()}; an id without such a call has no effect
     */
    public void forgetUnresolved(String subject) {
        Objects.requireNonNull(subject, "subject");
        retries.forget(subject);
    }

    /** Returns the Identity service: name, capabilities and health of the plugin. Every plugin has it (R14). */
    public IdentityService identity() {
        return new IdentityClient(calls);
    }

    /**
     * Returns the Controller service, for operations that need no particular node. The plugin's capabilities list the RPCs that it supports
     * (R42).
     */
    public ControllerService controller() {
        return new ControllerClient(calls);
    }

    /**
     * Returns the GroupController service, for snapshots of several volumes; for plugins with GROUP_CONTROLLER_SERVICE.
     */
    public GroupControllerService groupController() {
        return new GroupControllerClient(calls);
    }

    /**
     * Returns the Node service, for operations on the plugin's own node. The plugin's capabilities list the RPCs that it supports (R42).
     */
    public NodeService node() {
        return new NodeClient(calls);
    }

    /**
     * Returns the SnapshotMetadata service, for allocated and changed blocks; for plugins with
     * SNAPSHOT_METADATA_SERVICE. A stream that breaks is not resumed: it ends with an error.
     */
    public SnapshotMetadataService snapshotMetadata() {
        return new SnapshotMetadataClient(calls);
    }

    /**
     * Returns the SnapshotMetadata service with streams that resume after a failure (R102) and keep the order of ranges (R101); for
     * plugins with SNAPSHOT_METADATA_SERVICE. To set the number of resumptions or the backoff, construct {@link
     * ResumingSnapshotMetadata}.
     */
    public SnapshotMetadataService resumingSnapshotMetadata() {
        return ResumingSnapshotMetadata.builder(snapshotMetadata(), plugin)
                .timer((task, backoff) -> connection.later(task, backoff.toNanos()))
                .build();
    }

    /**
     * Returns a relay that makes calls of the controller services from encoded requests. The calls are retried like all other calls of this
     * client, and wait for other calls only with {@link VolumeOrder#oneAtATime()}. The sender has built and checked the requests, so only
     * the RPC is checked: if the plugin does not support it (R42), the call fails with a
     * {@link io.csi4j.core.call.CsiRequestException}, and nothing is sent.
     *
     * @return a relay to the plugin; cancelling its futures cancels the calls
     */
    public CallRelay relay() {
        return new ClientRelay(calls, deadlines);
    }

    /**
     * Returns a relay like {@link #relay()} whose futures complete on another executor. A host that only forwards the
     * responses may pass {@code Runnable::run} to save a change of threads. Then the futures complete on network
     * threads, and code that depends on them must not block.
     *
     * @param executor handles the responses
     * @return a relay to the plugin; cancelling its futures cancels the calls
     */
    public CallRelay relay(Executor executor) {
        Objects.requireNonNull(executor, "executor");
        return new ClientRelay(calls.on(executor), deadlines);
    }

    /** Returns the object that makes the calls of all services. */
    ServiceCalls calls() {
        return calls;
    }

    /**
     * Closes the connection of this client and all its views. Calls in flight fail with an unknown outcome, later calls with an {@link
     * IllegalStateException}. Closing again has no effect.
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

    /** Builds {@link CsiClient}s. Not thread-safe. */
    public static final class Builder {
        private final Endpoint endpoint;
        private @Nullable String plugin;
        private CallDeadlines deadlines = CallDeadlines.ofDefaults();
        private Transport transport = Transport.AUTO;
        private int maxInboundMessageSize = DEFAULT_MAX_INBOUND_MESSAGE_SIZE;
        private @Nullable Environment environment;
        private CallRules rules = CallRules.defaults();
        private RetryOptions retries = RetryOptions.ofDefaults();
        private VolumeOrder volumeOrder = VolumeOrder.unordered();
        private Supplier<Capabilities> capabilities = Capabilities::unknown;
        private @Nullable AttemptObserver observer;
        private RequestLog requestLog = RequestLog.SHARED;
        private ElapsedTime elapsed = ElapsedTime.system();

        private Builder(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        /**
         * Sets the name of the plugin for messages and exceptions.
         *
         * @param name a name; by default the endpoint
         * @throws IllegalArgumentException if the name is blank
         */
        public Builder plugin(String name) {
            if (name.isBlank()) {
                throw new IllegalArgumentException("plugin: the name is blank; leave it out for the endpoint");
            }
            this.plugin = name;
            return this;
        }

        /** Sets the deadlines of calls. Default: {@link CallDeadlines#ofDefaults()}. */
        public Builder deadlines(CallDeadlines deadlines) {
            this.deadlines = Objects.requireNonNull(deadlines, "deadlines");
            return this;
        }

        /**
         * Sets the rules that map each status code to an outcome and decide about retries. Default: {@link CallRules#defaults()}.
         */
        public Builder rules(CallRules rules) {
            this.rules = Objects.requireNonNull(rules, "rules");
            return this;
        }

        /**
         * Sets the retry options; retries stay within the deadline of a call. Default: {@link RetryOptions#ofDefaults()}; {@link
         * RetryOptions#none()} turns retries off.
         */
        public Builder retries(RetryOptions retries) {
            this.retries = Objects.requireNonNull(retries, "retries");
            return this;
        }

        /**
         * Sets whether calls about one volume wait for each other (R26). Set {@link VolumeOrder#oneAtATime()} for a program that calls a
         * plugin directly from several threads; the engine and the volumes of a node order their calls themselves.
         *
         * @param volumeOrder whether calls wait for each other. Default: {@link VolumeOrder#unordered()}
         */
        public Builder volumeOrder(VolumeOrder volumeOrder) {
            this.volumeOrder = Objects.requireNonNull(volumeOrder, "volumeOrder");
            return this;
        }

        /**
         * Sets the source of the plugin's capabilities. A request that needs an unsupported RPC or field fails with a {@link
         * io.csi4j.core.call.CsiRequestException} that names the capability, before anything is sent (R42).
         *
         * @param capabilities called for every request, so it has to be fast. Default: unknown capabilities, which reject nothing
         */
        public Builder capabilities(Supplier<Capabilities> capabilities) {
            this.capabilities = Objects.requireNonNull(capabilities, "capabilities");
            return this;
        }

        /**
         * Sets the observer of attempts, for metrics.
         *
         * @param observer fast and thread-safe. Default: none
         */
        public Builder observer(AttemptObserver observer) {
            this.observer = Objects.requireNonNull(observer, "observer");
            return this;
        }

        /**
         * Sets the log of requests and responses, which leaves out confidential values; for debugging.
         *
         * @param log for example {@link RequestLog#to}. Default: the logger named {@link RequestLog#LOGGER}, which writes
         *     only at level DEBUG
         */
        public Builder requestLog(RequestLog log) {
            this.requestLog = Objects.requireNonNull(log, "log");
            return this;
        }

        /** Sets the source of elapsed time, for tests. */
        Builder elapsed(ElapsedTime elapsed) {
            this.elapsed = elapsed;
            return this;
        }

        /** Sets the transport. Default: {@link Transport#AUTO}. */
        public Builder transport(Transport transport) {
            this.transport = Objects.requireNonNull(transport, "transport");
            return this;
        }

        /**
         * Sets the largest response to accept. A plugin that returns its lists in one response, without pages, may need more than the
         * default.
         *
         * @param bytes at least 1. Default: {@value CsiClient#DEFAULT_MAX_INBOUND_MESSAGE_SIZE}
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
         * Sets the executor that completes futures and calls subscribers, and the random numbers of backoffs. Deadlines and backoffs are
         * measured on the client's I/O threads, not by the environment's timer. Default: threads that all clients share.
         *
         * @param environment the caller's environment, which the caller closes after the client. If its executor runs tasks in the
         *     submitting thread ({@code Runnable::run}), calls are a little faster, but a blocking stage stops every client of the program
         */
        public Builder environment(Environment environment) {
            this.environment = Objects.requireNonNull(environment, "environment");
            return this;
        }

        /**
         * Builds the client, without connecting.
         *
         * @return a new client; the caller closes it
         * @throws IllegalArgumentException if the transport is not available on this system, or a file of the TLS options cannot be
         *     used
         */
        public CsiClient build() {
            return new CsiClient(this);
        }
    }
}
