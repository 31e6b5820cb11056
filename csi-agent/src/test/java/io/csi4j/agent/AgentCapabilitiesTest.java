package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginConnection;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerGetVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerGetVolumeRequest;
import io.csi4j.core.rpc.ControllerListVolumeHealthRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetSnapshotRequest;
import io.csi4j.core.rpc.GetVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.ListSnapshotsRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GroupControllerServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.grpc.Status;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** R42 across the wire: what a plugin has not announced is refused as on its own node, and the plugin is not asked. */
class AgentCapabilitiesTest {
    private static final ExternalVolumeId VOLUME = ExternalVolumeId.of("vol-1");
    private static final SnapshotId SNAPSHOT = SnapshotId.of("snap-1");
    private static final VolumeCapability WRITER = VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private Ground ground;
    private Endpoint listen;
    private NodeAgent agent;
    private ScriptedPlugin plugin;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        listen = ground.unix("agent-socket");
        agent = ground.start(ground.agent(listen, ground.unix("nowhere")));
        ground.routes.put(NODE, NodeRoute.direct(listen));
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    /** One optional call, or one with an optional field. */
    record Asked(
            Rpc rpc, String missing, BiFunction<ControllerService, GroupControllerService, CompletableFuture<?>> call) {
        @Override
        public String toString() {
            return rpc.csiName() + " without " + missing;
        }
    }

    private static Asked controller(Rpc rpc, String missing, Function<ControllerService, CompletableFuture<?>> call) {
        return new Asked(rpc, missing, (controller, group) -> call.apply(controller));
    }

    private static Asked group(Rpc rpc, Function<GroupControllerService, CompletableFuture<?>> call) {
        return new Asked(rpc, "GROUP_CONTROLLER_SERVICE", (controller, group) -> call.apply(group));
    }

    static Stream<Asked> optional() {
        return Stream.concat(
                Stream.of(
                        controller(
                                Rpc.GET_CAPACITY,
                                "GET_CAPACITY",
                                service -> service.getCapacity(
                                        GetCapacityRequest.builder().build())),
                        controller(
                                Rpc.CREATE_SNAPSHOT,
                                "CREATE_DELETE_SNAPSHOT",
                                service -> service.createSnapshot(CreateSnapshotRequest.builder(VOLUME, "s")
                                        .build())),
                        controller(
                                Rpc.DELETE_SNAPSHOT,
                                "CREATE_DELETE_SNAPSHOT",
                                service -> service.deleteSnapshot(
                                        DeleteSnapshotRequest.builder(SNAPSHOT).build())),
                        controller(
                                Rpc.LIST_SNAPSHOTS,
                                "LIST_SNAPSHOTS",
                                service -> service.listSnapshots(
                                        ListSnapshotsRequest.builder().build())),
                        controller(
                                Rpc.GET_SNAPSHOT,
                                "GET_SNAPSHOT",
                                service -> service.getSnapshot(
                                        GetSnapshotRequest.builder(SNAPSHOT).build())),
                        controller(
                                Rpc.CONTROLLER_EXPAND_VOLUME,
                                "EXPAND_VOLUME",
                                service -> service.controllerExpandVolume(
                                        ControllerExpandVolumeRequest.builder(VOLUME, CapacityRange.atLeast(1))
                                                .build())),
                        controller(
                                Rpc.CONTROLLER_GET_VOLUME,
                                "GET_VOLUME",
                                service -> service.controllerGetVolume(ControllerGetVolumeRequest.builder(VOLUME)
                                        .build())),
                        controller(
                                Rpc.CONTROLLER_MODIFY_VOLUME,
                                "MODIFY_VOLUME",
                                service -> service.controllerModifyVolume(
                                        ControllerModifyVolumeRequest.builder(VOLUME, Map.of("tier", "gold"))
                                                .build())),
                        controller(
                                Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                                "GET_VOLUME_HEALTH",
                                service -> service.controllerGetVolumeHealth(
                                        ControllerGetVolumeHealthRequest.builder(VOLUME)
                                                .build())),
                        controller(
                                Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                                "LIST_VOLUME_HEALTH",
                                service ->
                                        service.controllerListVolumeHealth(ControllerListVolumeHealthRequest.builder()
                                                .build())),
                        controller(
                                Rpc.CONTROLLER_PUBLISH_VOLUME,
                                "PUBLISH_READONLY",
                                service -> service.controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                                VOLUME, ExternalNodeId.of("ext-1"), WRITER)
                                        .readonly(true)
                                        .build())),
                        controller(
                                Rpc.CREATE_VOLUME,
                                "CLONE_VOLUME",
                                service -> service.createVolume(CreateVolumeRequest.builder("v", List.of(WRITER))
                                        .volumeContentSource(VolumeContentSource.volume(VOLUME))
                                        .build())),
                        controller(
                                Rpc.CREATE_VOLUME,
                                "MODIFY_VOLUME",
                                service -> service.createVolume(CreateVolumeRequest.builder("v", List.of(WRITER))
                                        .mutableParameters(Map.of("tier", "gold"))
                                        .build()))),
                groups());
    }

    private static Stream<Asked> groups() {
        return Stream.of(
                group(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        service -> service.createVolumeGroupSnapshot(
                                CreateVolumeGroupSnapshotRequest.builder("g", List.of(VOLUME))
                                        .build())),
                group(
                        Rpc.DELETE_VOLUME_GROUP_SNAPSHOT,
                        service -> service.deleteVolumeGroupSnapshot(
                                DeleteVolumeGroupSnapshotRequest.builder(GroupSnapshotId.of("g"), List.of(SNAPSHOT))
                                        .build())),
                group(
                        Rpc.GET_VOLUME_GROUP_SNAPSHOT,
                        service -> service.getVolumeGroupSnapshot(
                                GetVolumeGroupSnapshotRequest.builder(GroupSnapshotId.of("g"), List.of(SNAPSHOT))
                                        .build())));
    }

    private PluginConnection nearby() {
        return agent.plugins().snapshot().instance(MONOLITH).orElseThrow().connection();
    }

    private CompletableFuture<?> near(Asked asked) {
        return asked.call.apply(
                nearby().client().controller(), nearby().client().groupController());
    }

    private static CompletableFuture<?> far(RemoteNodeGateway gateway, Asked asked) {
        return asked.call.apply(gateway.controller(MONOLITH), gateway.groupController(MONOLITH));
    }

    private void isRefusedAlike(RemoteNodeGateway gateway, Asked asked, String missing) {
        CsiRequestException local = failure(near(asked), CsiRequestException.class);
        CsiRequestException remote = failure(far(gateway, asked), CsiRequestException.class);
        assertThat(remote).hasMessage(local.getMessage());
        assertThat(remote.problems()).isEqualTo(local.problems());
        assertThat(remote.retryable()).isEqualTo(local.retryable());
        assertThat(remote.problems())
                .extracting(Problem::problem)
                .anySatisfy(problem -> assertThat(problem).contains(missing + ",", "plugin ebs"));
        assertThat(plugin.count(asked.rpc.csiName())).isZero();
    }

    /** The agent does not read the fields of a request; the server checks them. */
    static Stream<Asked> optionalCalls() {
        return optional().filter(asked -> asked.rpc != Rpc.CREATE_VOLUME && asked.rpc != Rpc.CONTROLLER_PUBLISH_VOLUME);
    }

    @ParameterizedTest
    @MethodSource("optionalCalls")
    void agentRefusesCallsThatPluginDoesNotSupport(Asked asked) throws Exception {
        plugin = ground.plugin(agent);
        isRefusedAlike(ground.gateway, asked, asked.missing);
    }

    /** A server that knows what plugins have announced asks nobody. */
    @ParameterizedTest
    @MethodSource("optional")
    void serverThatKnowsCapabilitiesRefusesUnsupportedCallWithoutAskingAgent(Asked asked) throws Exception {
        plugin = ground.plugin(agent);
        RemoteNodeGateway knowing = RemoteNodeGateway.builder(
                        node -> Optional.of(NodeRoute.direct(ground.unix("nobody"))))
                .environment(ground.environment)
                .capabilities(this::announced)
                .build();
        try (knowing) {
            isRefusedAlike(knowing, asked, asked.missing);
        }
    }

    private Capabilities announced(InstanceKey instance) {
        return agent.plugins()
                .snapshot()
                .instance(instance)
                .flatMap(each -> each.snapshot().facts())
                .orElseThrow()
                .capabilities();
    }

    /** It has the service, and the service has nothing. */
    @ParameterizedTest
    @MethodSource("groups")
    void groupSnapshotThatPluginDoesNotSupportIsRefused(Asked asked) throws Exception {
        plugin = ground.plugin(agent, AgentCapabilitiesTest::hasGroups);
        assertThat(plugin.count("GroupControllerGetCapabilities")).isPositive();
        isRefusedAlike(ground.gateway, asked, "CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT");
    }

    private static void hasGroups(ScriptedPlugin plugin) {
        plugin.on("GetPluginCapabilities", (request, out) -> {
            var reported = GetPluginCapabilitiesResponse.newBuilder();
            Stream.of(
                            PluginCapability.Service.Type.CONTROLLER_SERVICE,
                            PluginCapability.Service.Type.GROUP_CONTROLLER_SERVICE)
                    .forEach(type -> reported.addCapabilities(PluginCapability.newBuilder()
                            .setService(PluginCapability.Service.newBuilder().setType(type))));
            ScriptedPlugin.ok(out, reported.build());
        });
    }

    @Test
    void groupSnapshotThatPluginSupportsIsCreated() throws Exception {
        plugin = ground.plugin(agent, each -> {
            hasGroups(each);
            each.on(
                    "GroupControllerGetCapabilities",
                    (request, out) -> ScriptedPlugin.ok(
                            out,
                            GroupControllerGetCapabilitiesResponse.newBuilder()
                                    .addCapabilities(GroupControllerServiceCapability.newBuilder()
                                            .setRpc(GroupControllerServiceCapability.RPC
                                                    .newBuilder()
                                                    .setType(
                                                            GroupControllerServiceCapability.RPC
                                                                    .Type
                                                                    .CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT)))
                                    .build()));
        });
        get(ground.gateway.groupController(MONOLITH).deleteVolumeGroupSnapshot(deletion()));
        assertThat(plugin.count("DeleteVolumeGroupSnapshot")).isEqualTo(1);
    }

    /** What is not known refuses nothing: the plugin decides. */
    @Test
    void groupServiceWithUnknownCapabilitiesIsCalled() throws Exception {
        plugin = ground.plugin(agent, each -> {
            hasGroups(each);
            each.on("GroupControllerGetCapabilities", (request, out) -> ScriptedPlugin.fail(out, Status.UNIMPLEMENTED));
        });
        get(ground.gateway.groupController(MONOLITH).deleteVolumeGroupSnapshot(deletion()));
        assertThat(plugin.count("DeleteVolumeGroupSnapshot")).isEqualTo(1);
    }

    private static DeleteVolumeGroupSnapshotRequest deletion() {
        return DeleteVolumeGroupSnapshotRequest.builder(GroupSnapshotId.of("g"), List.of(SNAPSHOT))
                .build();
    }
}
