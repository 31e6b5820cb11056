package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.SecretsProvider;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.security.Principal;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;

/** The whole engine behind its public API, over a simple state. The test controls time and plugins. */
final class LifecycleRig extends Rig {
    static final RequestedCapability SHARED = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    static final RequestedCapability SINGLE = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    /** The permissions of all callers except the host; used only with access control. */
    final Set<Access> granted = new HashSet<>();

    SecretsProvider secrets = SecretsProvider.ofVolumes();
    final VolumeLifecycle host;
    private boolean fastThreads;
    private boolean noThreads;

    private LifecycleRig(boolean accessControl, UnaryOperator<CommandLog> wrapper) {
        this(accessControl, wrapper, LifecycleOptions.ofDefaults());
    }

    private LifecycleRig(boolean accessControl, UnaryOperator<CommandLog> wrapper, LifecycleOptions options) {
        AccessControl access = accessControl
                ? (caller, request) ->
                        caller.getName().equals(Caller.ENGINE.principal().getName()) || granted.contains(request)
                : AccessControl.off();
        host = VolumeLifecycle.builder()
                .log(wrapper.apply(log))
                .gateway(gateway)
                .environment(Environment.of(clock, clock, this::execute, new Random(5)))
                .callbackExecutor(clock)
                .access(access)
                .secrets(query -> secrets.secrets(query))
                .options(options)
                .build();
        node("n1");
        node("n2");
    }

    private void execute(Runnable task) {
        if (noThreads) {
            throw new RejectedExecutionException("no thread is free");
        }
        if (fastThreads) {
            task.run();
        } else {
            clock.execute(task);
        }
    }

    /** Runs an action; each task that it submits runs before the action continues, as on another, faster thread. */
    void withFastThreads(Runnable action) {
        fastThreads = true;
        try {
            action.run();
        } finally {
            fastThreads = false;
        }
    }

    /** Runs an action; the engine's executor rejects each task that it submits. */
    void withoutThreads(Runnable action) {
        noThreads = true;
        try {
            action.run();
        } finally {
            noThreads = false;
        }
    }

    /** Returns a rig with two nodes, each with a healthy plugin. Access control is off, and the engine leads. */
    static LifecycleRig leading() {
        return leading(log -> log);
    }

    static LifecycleRig leading(UnaryOperator<CommandLog> wrapper) {
        LifecycleRig rig = new LifecycleRig(false, wrapper);
        rig.host.startLeading();
        rig.clock.run();
        return rig;
    }

    static LifecycleRig leading(LifecycleOptions options) {
        LifecycleRig rig = new LifecycleRig(false, log -> log, options);
        rig.host.startLeading();
        rig.clock.run();
        return rig;
    }

    /** Returns the same rig with access control. */
    static LifecycleRig guarded() {
        LifecycleRig rig = new LifecycleRig(true, log -> log);
        rig.host.startLeading();
        rig.clock.run();
        return rig;
    }

    /** Returns a rig without access control whose engine does not lead. */
    static LifecycleRig following() {
        return new LifecycleRig(false, log -> log);
    }

    CallerOperations as(String name) {
        Principal principal = () -> name;
        return host.as(principal);
    }

    LifecycleRig grant(String namespace, Permission... permissions) {
        for (Permission permission : permissions) {
            granted.add(Access.in(Namespace.of(namespace), permission));
        }
        return this;
    }

    LifecycleRig grant(Permission... permissions) {
        for (Permission permission : permissions) {
            granted.add(Access.of(permission));
        }
        return this;
    }

    @Override
    Outcome.Accepted ok(Command command) {
        Outcome.Accepted outcome = super.ok(command);
        run();
        return outcome;
    }

    @Override
    void node(String name) {
        super.node(name);
        fingerprint(instance(name).build());
    }

    PluginInstance.Builder instance(String node) {
        return instance(node, PluginType.MONOLITH)
                .provider("csi.example.com")
                .capabilities(known -> known.withController(ControllerCapability.values())
                        .withNode(NodeCapability.STAGE_UNSTAGE_VOLUME))
                .nodeInfo(nodeInfo(node));
    }

    /** Returns the specification of a volume that exists at the provider. */
    static VolumeSpec.Builder spec() {
        return newSpec().volumeContext(VolumeContext.of(Map.of("pool", "fast")));
    }

    /** Returns the specification of a volume that will be created. */
    static VolumeSpec.Builder newSpec() {
        return VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(SHARED, SINGLE))
                .secrets(Secrets.of(Map.of("password", "hunter2")));
    }

    LifecycleRig volume(VolumeKey key) {
        Volume registered = done(host.volumes()
                .register(
                        key,
                        spec().externalVolumeId(ExternalVolumeId.of("ext-" + key))
                                .build()));
        assertThat(registered.key()).isEqualTo(key);
        gateway.calls().clear();
        return this;
    }

    void allocation(String id, String node) {
        allocation(id, node, AllocationStatus.RUNNING);
    }

    static ClaimRequest write(VolumeKey key, RequestedCapability capability) {
        return ClaimRequest.of(key, ClaimMode.WRITE, capability);
    }

    CompletableFuture<ClaimGrant> claim(String allocation, String node, RequestedCapability capability) {
        allocation(allocation, node);
        CompletableFuture<ClaimGrant> grant =
                host.claims().claim(AllocationId.of(allocation), List.of(write(VOL, capability)));
        clock.run();
        return grant;
    }

    /** Returns the calls to controllers and nodes in their order, each with its node. */
    List<String> calls() {
        return gateway.calls().stream()
                .map(call -> call.rpc() == Rpc.NODE_UNPUBLISH_VOLUME ? call.rpc() + "@" + call.node() : "" + call.rpc())
                .toList();
    }

    int workers() {
        return host.engine().claims().workers();
    }
}
