package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessControl;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.security.Principal;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;

/** The whole engine, behind its public API, over a plain state that is watched; time and plugins by hand. */
final class FacadeRig {
    static final PluginId PLUGIN = PluginId.of("p");
    static final VolumeKey VOL = VolumeKey.of("default", "vol");
    static final RequestedCapability SHARED = RequestedCapability.mount(AccessMode.MULTI_NODE_MULTI_WRITER);
    static final RequestedCapability SINGLE = RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER);

    final HandClock clock = new HandClock();
    final HandLog log = new HandLog(clock);
    final ScriptedGateway gateway = new ScriptedGateway(new FakeProvider());
    /** What everybody but the host itself may do; only asked for if access control is on. */
    final Set<Access> granted = new HashSet<>();

    final VolumeLifecycle host;

    private FacadeRig(boolean accessControl, UnaryOperator<CommandLog> wrapper) {
        this(accessControl, wrapper, LifecycleOptions.ofDefaults());
    }

    private FacadeRig(boolean accessControl, UnaryOperator<CommandLog> wrapper, LifecycleOptions options) {
        AccessControl access = accessControl
                ? (caller, wish) ->
                        caller.getName().equals(Caller.ENGINE.principal().getName()) || granted.contains(wish)
                : AccessControl.off();
        host = VolumeLifecycle.builder()
                .log(wrapper.apply(log))
                .gateway(gateway)
                .timer(clock)
                .clock(clock)
                .executor(clock)
                .random(new Random(5))
                .access(access)
                .options(options)
                .build();
        node("n1");
        node("n2");
    }

    /** Two nodes with a healthy plugin each; access control is off, and it leads. */
    static FacadeRig leading() {
        return leading(log -> log);
    }

    static FacadeRig leading(UnaryOperator<CommandLog> wrapper) {
        FacadeRig rig = new FacadeRig(false, wrapper);
        rig.host.startLeading();
        rig.clock.run();
        return rig;
    }

    static FacadeRig leading(LifecycleOptions options) {
        FacadeRig rig = new FacadeRig(false, log -> log, options);
        rig.host.startLeading();
        rig.clock.run();
        return rig;
    }

    /** The same, with access control. */
    static FacadeRig guarded() {
        FacadeRig rig = new FacadeRig(true, log -> log);
        rig.host.startLeading();
        rig.clock.run();
        return rig;
    }

    /** The same without access control, and it does not lead. */
    static FacadeRig following() {
        return new FacadeRig(false, log -> log);
    }

    VolumeLifecycle as(String name) {
        Principal principal = () -> name;
        return host.as(principal);
    }

    FacadeRig grant(String namespace, Permission... permissions) {
        for (Permission permission : permissions) {
            granted.add(Access.in(Namespace.of(namespace), permission));
        }
        return this;
    }

    FacadeRig grant(Permission... permissions) {
        for (Permission permission : permissions) {
            granted.add(Access.of(permission));
        }
        return this;
    }

    Outcome.Accepted ok(Command command) {
        Outcome outcome = log.submit(command).join();
        assertThat(outcome.accepted()).as("%s: %s", command, outcome).isTrue();
        clock.run();
        return (Outcome.Accepted) outcome;
    }

    void node(String name) {
        ok(new NodeCommand.UpsertNode(NodeId.of(name), clock.instant()));
        fingerprint(instance(name).build());
    }

    PluginInstance.Builder instance(String node) {
        InstanceKey key = new InstanceKey(NodeId.of(node), PLUGIN, PluginType.MONOLITH, Optional.empty());
        return PluginInstance.builder(key, clock.instant())
                .provider("csi.example.com")
                .services(CapabilitySet.of(PluginService.class, List.of(PluginService.CONTROLLER_SERVICE)))
                .controllerCapabilities(
                        CapabilitySet.of(ControllerCapability.class, EnumSet.allOf(ControllerCapability.class)))
                .nodeCapabilities(CapabilitySet.of(NodeCapability.class, List.of(NodeCapability.STAGE_UNSTAGE_VOLUME)))
                .nodeInfo(new NodeInfo(ExternalNodeId.of("ext-" + node), 0, Optional.empty()));
    }

    void fingerprint(PluginInstance instance) {
        ok(new PluginCommand.FingerprintNode(instance.key().nodeId(), List.of(instance), clock.instant()));
    }

    static VolumeSpec.Builder spec() {
        return VolumeSpec.builder(PLUGIN)
                .requestedCapabilities(List.of(SHARED, SINGLE))
                .secrets(Secrets.of(Map.of("password", "hunter2")))
                .volumeContext(VolumeContext.of(Map.of("pool", "fast")));
    }

    FacadeRig volume(VolumeKey key) {
        Volume registered = done(host.register(
                key, spec().externalVolumeId(ExternalVolumeId.of("ext-" + key)).build()));
        assertThat(registered.key()).isEqualTo(key);
        gateway.calls().clear();
        return this;
    }

    void allocation(String id, String node) {
        allocation(id, node, AllocationStatus.RUNNING);
    }

    void allocation(String id, String node, AllocationStatus status) {
        ok(new AllocationCommand.UpsertAllocation(
                AllocationId.of(id),
                Namespace.of("default"),
                NodeId.of(node),
                Optional.empty(),
                status,
                clock.instant()));
    }

    static ClaimRequest write(VolumeKey key, RequestedCapability capability) {
        return ClaimRequest.of(key, ClaimMode.WRITE, capability);
    }

    CompletableFuture<ClaimGrant> claim(String allocation, String node, RequestedCapability capability) {
        allocation(allocation, node);
        CompletableFuture<ClaimGrant> grant = host.claim(AllocationId.of(allocation), List.of(write(VOL, capability)));
        clock.run();
        return grant;
    }

    /** The controller's and the nodes' calls, in order, each with its node. */
    List<String> calls() {
        return gateway.calls().stream()
                .map(call -> call.rpc() == Rpc.NODE_UNPUBLISH_VOLUME ? call.rpc() + "@" + call.node() : "" + call.rpc())
                .toList();
    }

    Volume get(VolumeKey key) {
        return log.snapshot().volume(key).orElseThrow();
    }

    int lanes() {
        return host.engine().claims().lanes();
    }

    <R> R done(CompletableFuture<R> future) {
        clock.run();
        assertThat(future).isDone();
        return future.join();
    }

    <X extends Throwable> X failed(CompletableFuture<?> future, Class<X> type) {
        clock.run();
        assertThat(future).isCompletedExceptionally();
        try {
            future.join();
        } catch (CompletionException e) {
            assertThat(e.getCause()).isInstanceOf(type);
            return type.cast(e.getCause());
        }
        throw new AssertionError("it did not fail");
    }
}
