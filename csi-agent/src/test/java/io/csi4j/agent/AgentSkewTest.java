package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.transport.RemoteFailureException;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.AttachmentMode;
import io.csi4j.proto.agent.v1.AgentProto.Capability;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.DetachCall;
import io.csi4j.proto.agent.v1.AgentProto.Detached;
import io.csi4j.proto.agent.v1.AgentProto.ExpandCall;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.Fingerprint;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.AgentProto.Grant;
import io.csi4j.proto.agent.v1.AgentProto.GrantedVolume;
import io.csi4j.proto.agent.v1.AgentProto.Instance;
import io.csi4j.proto.agent.v1.AgentProto.Outcome;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.proto.agent.v1.AgentProto.PluginType;
import io.csi4j.proto.agent.v1.AgentProto.QueryCall;
import io.csi4j.proto.agent.v1.AgentProto.Version;
import io.csi4j.proto.agent.v1.AgentProto.VolumeUse;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.proto.values.v1.ValuesProto.Capabilities;
import io.csi4j.proto.values.v1.ValuesProto.Time;
import io.csi4j.proto.values.v1.ValuesProto.VolumeName;
import io.grpc.stub.StreamObserver;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers of another version, and peers that mean harm: hand-made messages on real sockets, on both sides. */
class AgentSkewTest {
    private static final UnknownFieldSet NEWER = UnknownFieldSet.newBuilder()
            .addField(
                    900,
                    UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFromUtf8("news"))
                            .build())
            .build();
    private static final Version NEXT_MINOR =
            Version.newBuilder().setMajor(1).setMinor(4).build();

    private Ground ground;
    private Endpoint listen;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
    }

    @AfterEach
    void stop() throws Exception {
        ground.close();
    }

    private NodeAgent agent() throws Exception {
        return ground.start(ground.agent(listen, ground.unix("nowhere")));
    }

    private RawPeer calling() {
        return RawPeer.calling(listen.path().orElseThrow());
    }

    private static Instance.Builder instance() {
        return Instance.newBuilder().setPluginId(PLUGIN.value()).setType(PluginType.PLUGIN_TYPE_MONOLITH);
    }

    private static VolumeUse.Builder use(String volume, String allocation) {
        return VolumeUse.newBuilder()
                .setVolume(VolumeName.newBuilder().setNamespace("default").setVolumeId(volume))
                .setPluginId(PLUGIN.value())
                .setExternalVolumeId("ext")
                .setAllocationId(allocation);
    }

    @Test
    void agentServesServerOfNextMinorVersion() throws Exception {
        ScriptedPlugin plugin = ground.plugin(agent());
        try (RawPeer server = calling()) {
            byte[] request = io.csi4j.proto.csi.v1.DeleteVolumeRequest.newBuilder()
                    .setVolumeId("vol-1")
                    .setUnknownFields(NEWER)
                    .build()
                    .toByteArray();
            AgentAnswer answer = server.call(AgentCall.newBuilder()
                    .setVersion(NEXT_MINOR)
                    .setUnknownFields(NEWER)
                    .setPlugin(PluginCall.newBuilder()
                            .setUnknownFields(NEWER)
                            .setInstance(instance().setUnknownFields(NEWER))
                            .setRpc("DeleteVolume")
                            .setRequest(ByteString.copyFrom(request))));

            assertThat(answer.hasResponse()).as("%s", answer).isTrue();
            // What CSI itself has added arrives at the plugin.
            assertThat(plugin.next("DeleteVolume").request().getUnknownFields()).isEqualTo(NEWER);

            // Ways of use that are not known are no reason to leave a volume mounted.
            AgentAnswer detached = server.call(AgentCall.newBuilder()
                    .setVersion(NEXT_MINOR)
                    .setDetach(DetachCall.newBuilder()
                            .setUse(use("db", "web-1"))
                            .setModeValue(77)
                            .setCapability(
                                    Capability.newBuilder().setAccessMode(88).setAttachmentModeValue(99))));
            assertThat(detached.hasDetached()).as("%s", detached).isTrue();
        }
    }

    @Test
    void agentRefusesUnknownTypeOfCall() throws Exception {
        ground.plugin(agent());
        try (RawPeer server = calling()) {
            AgentAnswer task = server.call(AgentCall.newBuilder().setUnknownFields(NEWER));
            assertThat(task.getFailure().getCode()).isEqualTo(StatusCode.UNIMPLEMENTED.number());
            assertThat(task.getFailure().getNotSent()).isTrue();

            AgentAnswer rpc = server.call(AgentCall.newBuilder()
                    .setPlugin(PluginCall.newBuilder().setInstance(instance()).setRpc("ControllerTeleportVolume")));
            assertThat(rpc.getFailure().getCode()).isEqualTo(StatusCode.UNIMPLEMENTED.number());

            AgentAnswer type = server.call(AgentCall.newBuilder()
                    .setPlugin(PluginCall.newBuilder()
                            .setInstance(instance().setTypeValue(9))
                            .setRpc("DeleteVolume")));
            assertThat(type.getFailure().getCode()).isEqualTo(StatusCode.INVALID_ARGUMENT.number());
            assertThat(type.getFailure().getMessage()).contains("instance.type", "9");

            AgentAnswer mode = server.call(AgentCall.newBuilder()
                    .setExpand(ExpandCall.newBuilder()
                            .setUse(use("db", "web-1"))
                            .setRequiredBytes(1)
                            .setCapability(Capability.newBuilder().setAccessMode(88))));
            assertThat(mode.getFailure().getMessage()).contains("capability");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void anotherMajorVersionIsRefusedOnBothSides(int major) throws Exception {
        agent();
        Version other = Version.newBuilder().setMajor(major).setMinor(3).build();
        try (RawPeer server = calling()) {
            AgentAnswer answer = server.call(AgentCall.newBuilder()
                    .setVersion(other)
                    .setDetach(DetachCall.newBuilder().setUse(use("db", "web-1"))));
            assertThat(answer.getFailure().getKind()).isEqualTo(FailureKind.FAILURE_KIND_VERSION);
            assertThat(answer.getFailure().getMessage())
                    .contains("version", major == 0 ? "no version" : "2.3", "1.5", "same major");
        }
        Endpoint servers = ground.unix("server");
        ground.start(ground.server().listenToAgent(servers, NODE));
        try (RawPeer agent = RawPeer.calling(servers.path().orElseThrow())) {
            FingerprintAnswer answer = agent.call(
                    ServersGrpc.getFingerprintMethod(),
                    FingerprintRequest.newBuilder()
                            .setVersion(other)
                            .setNodeId(NODE.value())
                            .build());
            assertThat(answer.getFailure().getKind()).isEqualTo(FailureKind.FAILURE_KIND_VERSION);
        }
    }

    /** An agent of another version answers what this one does not know. */
    private <X extends Throwable> X answered(Function<AgentCall, AgentAnswer> agent, Class<X> failure)
            throws Exception {
        RawPeer raw = other(agent);
        try {
            return failure(deleting(), failure);
        } finally {
            raw.close();
        }
    }

    private RawPeer other(Function<AgentCall, AgentAnswer> agent) throws Exception {
        Path socket = Files.createTempDirectory(ground.directory, "a").resolve("s");
        ground.routes.put(NODE, NodeRoute.direct(Endpoint.unix(socket)));
        return RawPeer.serving(
                socket,
                new AgentGrpc.AgentImplBase() {
                    @Override
                    public void call(AgentCall call, StreamObserver<AgentAnswer> out) {
                        out.onNext(agent.apply(call));
                        out.onCompleted();
                    }
                }.bindService());
    }

    private CompletableFuture<?> deleting() {
        return ground.gateway
                .controller(MONOLITH)
                .deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                        .build());
    }

    @Test
    void serverServesAgentOfNextMinorVersion() throws Exception {
        byte[] deleted = io.csi4j.proto.csi.v1.DeleteVolumeResponse.newBuilder()
                .setUnknownFields(NEWER)
                .build()
                .toByteArray();
        RawPeer raw = other(call -> AgentAnswer.newBuilder()
                .setVersion(NEXT_MINOR)
                .setUnknownFields(NEWER)
                .setResponse(ByteString.copyFrom(deleted))
                .build());
        get(deleting());
        raw.close();
    }

    /** To an agent of 1.0 a call that 1.1 has added is one without content. */
    @Test
    void agentOfPreviousMinorVersionRefusesNewerQueries() throws Exception {
        RawPeer raw = other(call -> AgentAnswer.newBuilder()
                .setVersion(Version.newBuilder().setMajor(1))
                .setFailure(Failure.newBuilder()
                        .setKind(FailureKind.FAILURE_KIND_CALL)
                        .setCode(StatusCode.UNIMPLEMENTED.number())
                        .setOutcome(Outcome.OUTCOME_NEVER)
                        .setNotSent(true)
                        .setMessage("does not know what it is asked to do"))
                .build());
        for (CompletableFuture<?> newer : List.of(
                ground.gateway.refreshNodeInfo(NODE, PLUGIN),
                ground.gateway.pluginInfo(NODE, PLUGIN),
                ground.gateway.storageHealth(NODE, StorageHealthQuery.of(PLUGIN)))) {
            CsiCallException failure = failure(newer, CsiCallException.class);
            assertThat(failure.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
            assertThat(failure.outcome()).isEqualTo(CallOutcome.NEVER);
        }
        raw.close();
    }

    @Test
    void answerWithUnknownValuesOfNewerVersionLeavesOutcomeUnknown() throws Exception {
        CsiCallException outcome = answered(
                call -> failing(Failure.newBuilder()
                        .setKind(FailureKind.FAILURE_KIND_CALL)
                        .setCode(99)
                        .setOutcomeValue(99)
                        .setOriginValue(99)
                        .setUnknownFields(NEWER)),
                CsiCallException.class);
        assertThat(outcome.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(outcome.code()).isEqualTo(StatusCode.UNKNOWN);

        RemoteFailureException kind =
                answered(call -> failing(Failure.newBuilder().setKindValue(99)), RemoteFailureException.class);
        assertThat(kind.retryable()).isTrue();

        CsiCallException nothing = answered(
                call -> AgentAnswer.newBuilder().setUnknownFields(NEWER).build(), CsiCallException.class);
        assertThat(nothing.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);

        CsiCallException other = answered(
                call -> AgentAnswer.newBuilder()
                        .setDetached(Detached.getDefaultInstance())
                        .build(),
                CsiCallException.class);
        assertThat(other.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
    }

    private static AgentAnswer failing(Failure.Builder failure) {
        return AgentAnswer.newBuilder().setFailure(failure).build();
    }

    @Test
    void serverKeepsUnknownFieldsInPluginMessages() throws Exception {
        Endpoint servers = ground.unix("server");
        ground.start(ground.server().listenToAgent(servers, NODE));
        try (RawPeer agent = RawPeer.calling(servers.path().orElseThrow())) {
            FingerprintRequest.Builder reported = FingerprintRequest.newBuilder()
                    .setVersion(NEXT_MINOR)
                    .setNodeId(NODE.value())
                    .setUnknownFields(NEWER)
                    .addInstances(Fingerprint.newBuilder()
                            .setUnknownFields(NEWER)
                            .setInstance(instance())
                            .setHealthy(true)
                            .setStartedAt(Time.newBuilder().setSeconds(1_000))
                            .setNodeCapabilities(
                                    Capabilities.newBuilder().addNumbers(1).addNumbers(4_242)));
            FingerprintAnswer answer = agent.call(ServersGrpc.getFingerprintMethod(), reported.build());
            assertThat(answer.hasFailure()).as("%s", answer).isFalse();
            assertThat(ground.known()
                            .orElseThrow()
                            .capabilities()
                            .node()
                            .orElseThrow()
                            .unknownNumbers())
                    .containsExactly(4_242);

            // An instance that cannot be read is no reason to take all for stopped.
            FingerprintAnswer refused = agent.call(
                    ServersGrpc.getFingerprintMethod(),
                    reported.clearInstances()
                            .addInstances(Fingerprint.newBuilder()
                                    .setInstance(instance().setTypeValue(9)))
                            .build());
            assertThat(refused.getFailure().getMessage()).contains("instance.type");
            assertThat(ground.known()).isPresent();
        }
    }

    @Test
    void refusalOfStaleFingerprintContainsLatestSequenceNumber() throws Exception {
        Endpoint servers = ground.unix("server");
        ground.start(ground.server().listenToAgent(servers, NODE));
        try (RawPeer agent = RawPeer.calling(servers.path().orElseThrow())) {
            Fingerprint plugin = Fingerprint.newBuilder()
                    .setInstance(instance())
                    .setHealthy(true)
                    .setStartedAt(Time.newBuilder().setSeconds(1_000))
                    .build();
            FingerprintRequest.Builder reported =
                    FingerprintRequest.newBuilder().setVersion(NEXT_MINOR).setNodeId(NODE.value());
            FingerprintAnswer newer = agent.call(
                    ServersGrpc.getFingerprintMethod(),
                    reported.setOrder(9).addInstances(plugin).build());
            assertThat(newer.hasFailure()).as("%s", newer).isFalse();
            FingerprintAnswer late = agent.call(
                    ServersGrpc.getFingerprintMethod(),
                    reported.setOrder(5).clearInstances().build());
            assertThat(late.getFailure().getKind()).isEqualTo(FailureKind.FAILURE_KIND_REJECTED);
            assertThat(late.getNewest()).isEqualTo(9);
            assertThat(ground.known()).isPresent();
            // An agent of before.
            FingerprintAnswer without = agent.call(
                    ServersGrpc.getFingerprintMethod(), reported.clearOrder().build());
            assertThat(without.hasFailure()).as("%s", without).isFalse();
            assertThat(without.getNewest()).isZero();
            assertThat(ground.known()).isEmpty();
        }
    }

    /** The server knows something newer of the node: the clock of its agent was wrong before. */
    @Test
    void agentContinuesAfterHighestFingerprintNumberKnownToServer() throws Exception {
        Endpoint servers = ground.unix("server");
        ground.start(ground.server().listenToAgent(servers, NODE));
        long ahead = 1L << 50;
        try (RawPeer agent = RawPeer.calling(servers.path().orElseThrow())) {
            FingerprintAnswer before = agent.call(
                    ServersGrpc.getFingerprintMethod(),
                    FingerprintRequest.newBuilder()
                            .setVersion(NEXT_MINOR)
                            .setNodeId(NODE.value())
                            .setOrder(ahead)
                            .build());
            assertThat(before.hasFailure()).as("%s", before).isFalse();
        }
        NodeAgent agent = ground.start(ground.agent(ground.unix("agent-socket"), servers));
        Object unused = ground.plugin(agent);
        ground.knows(true);
        assertThat(ground.store.snapshot().node(NODE).orElseThrow().fingerprint())
                .isGreaterThan(ahead);
    }

    /** What the agent cannot read is no grant and no refusal: it asks again. */
    @Test
    void agentCanClaimVolumeFromServerOfNextMinorVersion() throws Exception {
        Path socket = ground.path("newer").resolve("s");
        ClaimAnswer.Builder newer =
                ClaimAnswer.newBuilder().setVersion(NEXT_MINOR).setServer("s1").setUnknownFields(NEWER);
        Deque<ClaimAnswer> answers = new ConcurrentLinkedDeque<>(List.of(
                newer.build(),
                newer.setFailure(Failure.newBuilder().setKindValue(99)).build(),
                newer.setGrant(Grant.newBuilder()
                                .setUnknownFields(NEWER)
                                .addVolumes(GrantedVolume.newBuilder()
                                        .setUnknownFields(NEWER)
                                        .setUse(use("db", "web-1"))
                                        .setCapability(Capability.newBuilder()
                                                .setAccessMode(Ground.WRITER
                                                        .accessMode()
                                                        .number())
                                                .setAttachmentMode(AttachmentMode.ATTACHMENT_MODE_MOUNT))))
                        .build()));
        RawPeer servers = RawPeer.serving(
                socket,
                new ServersGrpc.ServersImplBase() {
                    @Override
                    public void fingerprint(FingerprintRequest reported, StreamObserver<FingerprintAnswer> out) {
                        out.onNext(FingerprintAnswer.newBuilder()
                                .setVersion(NEXT_MINOR)
                                .setServer("s1")
                                .setUnknownFields(NEWER)
                                .build());
                        out.onCompleted();
                    }

                    @Override
                    public void claim(ClaimCall call, StreamObserver<ClaimAnswer> out) {
                        out.onNext(answers.pop());
                        out.onCompleted();
                    }
                }.bindService());
        NodeAgent agent = ground.start(ground.agent(listen, Endpoint.unix(socket)));
        ScriptedPlugin plugin = ground.plugin(agent);

        assertThat(get(agent.prepare(AllocationId.of("web-1"), List.of(Ground.writing(VolumeKey.of("default", "db"))))))
                .hasSize(1);

        assertThat(answers).isEmpty();
        assertThat(((io.csi4j.proto.csi.v1.NodePublishVolumeRequest)
                                plugin.next("NodePublishVolume").request())
                        .getVolumeId())
                .isEqualTo("ext");
        servers.close();
    }

    /** No id that comes over the wire leads out of the agent's directory, or ends the agent. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../../../etc",
                "..",
                ".",
                "/etc/passwd",
                "a/../../b",
                "nul\0byte",
                "line\nbreak",
                "\u202egnp.exe",
                "con.",
                "~root",
                "$(reboot)",
                "",
                "%2e%2e%2f"
            })
    void hostileIdsStayWithinTheDirectory(String id) throws Exception {
        NodeAgent agent = agent();
        ScriptedPlugin plugin = ground.plugin(agent);
        Set<Path> before = outside();
        try (RawPeer server = calling()) {
            VolumeUse.Builder use = VolumeUse.newBuilder()
                    .setVolume(VolumeName.newBuilder().setNamespace(id).setVolumeId(id))
                    .setPluginId(id)
                    .setExternalVolumeId(id)
                    .setAllocationId(id);
            for (AgentCall.Builder call : List.of(
                    AgentCall.newBuilder().setDetach(DetachCall.newBuilder().setUse(use)),
                    AgentCall.newBuilder().setStats(QueryCall.newBuilder().setUse(use)),
                    AgentCall.newBuilder().setHealth(QueryCall.newBuilder().setUse(use)),
                    AgentCall.newBuilder()
                            .setExpand(ExpandCall.newBuilder().setUse(use).setRequiredBytes(-5)),
                    AgentCall.newBuilder()
                            .setPlugin(PluginCall.newBuilder()
                                    .setInstance(Instance.newBuilder()
                                            .setPluginId(id)
                                            .setAllocationId(id)
                                            .setType(PluginType.PLUGIN_TYPE_MONOLITH))
                                    .setRpc("DeleteVolume")),
                    AgentCall.newBuilder()
                            .setPlugin(PluginCall.newBuilder()
                                    .setInstance(instance())
                                    .setRpc(id)))) {
                AgentAnswer answer = server.call(call);
                assertThat(answer.hasFailure() || answer.hasDetached())
                        .as("%s", answer)
                        .isTrue();
            }
            // A path in a request of a node's own service does not even get that far.
            for (String rpc : List.of("NodePublishVolume", "NodeUnpublishVolume", "NodeStageVolume", "Probe")) {
                AgentAnswer answer = server.call(AgentCall.newBuilder()
                        .setPlugin(
                                PluginCall.newBuilder().setInstance(instance()).setRpc(rpc)));
                assertThat(answer.getFailure().getCode()).isEqualTo(StatusCode.INVALID_ARGUMENT.number());
                assertThat(answer.getFailure().getNotSent()).isTrue();
            }
            AgentAnswer other = server.call(AgentCall.newBuilder()
                    .setNodeId(id.isEmpty() ? "x" : id)
                    .setDetach(DetachCall.newBuilder().setUse(use)));
            assertThat(other.getFailure().getCode()).isEqualTo(StatusCode.UNAVAILABLE.number());
        }
        assertThat(plugin.calls.stream()
                        .map(ScriptedPlugin.Call::rpc)
                        .filter(rpc -> rpc.startsWith("NodePublish")
                                || rpc.startsWith("NodeUnpublish")
                                || rpc.startsWith("NodeStage")))
                .isEmpty();
        assertThat(outside()).isEqualTo(before);
        // And it lives.
        get(ground.gateway.detach(
                NODE,
                new NodeDetach(
                        VolumeKey.of("default", "db"),
                        PLUGIN,
                        ExternalVolumeId.of("ext"),
                        AllocationId.of("web"),
                        Optional.empty(),
                        ClaimMode.WRITE,
                        Ground.WRITER,
                        MountOptions.none())));
    }

    private Set<Path> outside() throws Exception {
        Path base = ground.path("agent");
        try (var files = Files.walk(ground.directory)) {
            return files.filter(path -> !path.startsWith(base)).collect(Collectors.toSet());
        }
    }
}
