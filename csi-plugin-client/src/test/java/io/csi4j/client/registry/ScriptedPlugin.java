package io.csi4j.client.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.internal.transport.SocketFile;
import io.csi4j.client.registry.internal.connection.ConnectedServices;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.core.spi.VirtualTime;
import java.lang.reflect.Proxy;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A plugin without a socket, whose responses the test sets. */
final class ScriptedPlugin {
    private static final Map<String, Rpc> RPCS = Map.of(
            "probe", Rpc.PROBE,
            "getPluginInfo", Rpc.GET_PLUGIN_INFO,
            "getPluginCapabilities", Rpc.GET_PLUGIN_CAPABILITIES,
            "controllerGetCapabilities", Rpc.CONTROLLER_GET_CAPABILITIES,
            "nodeGetCapabilities", Rpc.NODE_GET_CAPABILITIES,
            "nodeGetInfo", Rpc.NODE_GET_INFO);

    private final VirtualTime time;
    private final Map<Rpc, StatusCode> failing = new HashMap<>();
    /** The received calls. */
    final List<Rpc> calls = new ArrayList<>();

    final List<Long> probes = new ArrayList<>();
    /** Queries that were not answered, newest last. */
    final List<CompletableFuture<Object>> open = new ArrayList<>();

    SocketFile socket = SocketFile.ABSENT;
    String version = "1.0";
    boolean ready = true;
    boolean hangs;
    boolean dead;
    /** The error that every call throws before it is sent; null: none. */
    @Nullable Error unaskable;

    int inFlight;
    int closed;
    List<NodeCapability> nodeCapabilities = List.of(NodeCapability.STAGE_UNSTAGE_VOLUME);
    List<PluginService> services = List.of(PluginService.CONTROLLER_SERVICE);
    String nodeId = "n-1";
    long maxVolumes = 7;
    private int inode;

    ScriptedPlugin(VirtualTime time) {
        this.time = time;
    }

    /** A process binds the socket. */
    void listen() {
        inode++;
        dead = false;
        socket = new SocketFile(inode, FileTime.fromMillis(inode));
    }

    /** Kills the process as kill -9 does; the socket file remains. */
    void kill() {
        dead = true;
    }

    void remove() {
        socket = SocketFile.ABSENT;
        dead = true;
    }

    void fail(Rpc rpc, StatusCode code) {
        failing.put(rpc, code);
    }

    boolean fails(Rpc rpc) {
        return failing.containsKey(rpc);
    }

    void recover() {
        failing.clear();
    }

    long count(Rpc rpc) {
        return calls.stream().filter(rpc::equals).count();
    }

    ConnectedServices services() {
        return new ConnectedServices(
                service(IdentityService.class),
                service(ControllerService.class),
                service(GroupControllerService.class),
                service(NodeService.class),
                () -> closed++);
    }

    private <T> T service(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Rpc rpc = RPCS.get(method.getName());
            if (rpc == null) {
                throw new AssertionError("unexpected call of " + method);
            }
            return answer(rpc);
        }));
    }

    private CompletableFuture<Object> answer(Rpc rpc) {
        if (unaskable != null) {
            throw unaskable;
        }
        calls.add(rpc);
        if (rpc == Rpc.PROBE) {
            probes.add(time.elapsed().toNanos());
        }
        CompletableFuture<Object> answer = new CompletableFuture<>();
        inFlight++;
        var unused = answer.whenComplete((reported, failure) -> inFlight--);
        if (hangs) {
            open.add(answer);
            return answer;
        }
        StatusCode code = dead || !socket.isThere() ? StatusCode.UNAVAILABLE : failing.get(rpc);
        if (code != null) {
            answer.completeExceptionally(failure(rpc, code));
        } else {
            answer.complete(reported(rpc));
        }
        return answer;
    }

    static CsiCallException failure(Rpc rpc, StatusCode code) {
        return new CsiCallException(
                rpc, "scripted", null, code, CallOutcome.of(rpc, code, false), rpc.csiName() + " ended " + code, null);
    }

    private Object reported(Rpc rpc) {
        return switch (rpc) {
            case PROBE -> new ProbeResponse(ready);
            case GET_PLUGIN_INFO -> new GetPluginInfoResponse("scripted.csi4j.io", version, Map.of());
            case GET_PLUGIN_CAPABILITIES ->
                new GetPluginCapabilitiesResponse(
                        CapabilitySet.of(PluginService.class, services),
                        CapabilitySet.of(VolumeExpansion.class, List.of()));
            case CONTROLLER_GET_CAPABILITIES ->
                new ControllerGetCapabilitiesResponse(CapabilitySet.of(
                        ControllerCapability.class, List.of(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)));
            case NODE_GET_CAPABILITIES ->
                new NodeGetCapabilitiesResponse(CapabilitySet.of(NodeCapability.class, nodeCapabilities));
            case NODE_GET_INFO -> new NodeGetInfoResponse(ExternalNodeId.of(nodeId), maxVolumes, Optional.empty());
            default -> throw new AssertionError(rpc);
        };
    }

    /** Returns a client that is never called. */
    static CsiClient unused() {
        return CsiClient.connect("unix:///nowhere/scripted.sock");
    }
}
