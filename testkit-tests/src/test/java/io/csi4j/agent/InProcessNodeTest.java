package io.csi4j.agent;

import static io.csi4j.agent.Ground.get;
import static io.csi4j.testkit.assertion.CsiAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.client.Endpoint;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.capability.FakeCapability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The engine, a node and a fake plugin in one process, without a socket. */
class InProcessNodeTest {
    private static final VolumeKey VOLUME = VolumeKey.of("default", "db");
    private static final AllocationId WEB = AllocationId.of("web-1");

    @TempDir
    Path directory;

    private final StateStore store = StateStore.inMemory();
    private final FakeCsiPlugin plugin = FakeCsiPlugin.builder().build().startInProcess();
    private String boot = "first boot";
    private LocalNode node;

    @BeforeEach
    void start() throws IOException {
        node = LocalNode.builder(new LocalCommandLog(store), Ground.NODE, directory)
                .mountTable(noMounts())
                .volumeOptions(Ground.withoutMounts())
                .publishTokens(request -> CompletableFuture.completedFuture(request.audiences().stream()
                        .map(audience -> new PublishTokenProvider.Token(
                                audience,
                                "t0ken-of-" + request.allocationId() + "-"
                                        + request.id().volume(),
                                Instant.parse("2100-01-01T00:00:00Z")))
                        .toList()))
                .start();
    }

    @AfterEach
    void close() throws Exception {
        node.close();
        get(node.closed());
        plugin.close();
        store.close();
    }

    /** The plugin mounts nothing, so the mount table is empty. */
    private MountTable noMounts() {
        return new MountTable() {
            @Override
            public MountPoints read() {
                return MountPoints.of(List.of());
            }

            @Override
            public Optional<String> bootId() {
                return Optional.of(boot);
            }
        };
    }

    /** Creates the volume, and starts the allocation. */
    private void createVolume() throws Exception {
        get(node.pluginStarted(Ground.PLUGIN, Endpoint.parse(plugin.endpoint())));
        get(node.lifecycle()
                .volumes()
                .create(
                        VOLUME,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .build()));
        get(node.lifecycle().cluster().allocationStarted(WEB, VOLUME.namespace(), Ground.NODE));
    }

    /** Ends the allocation, and deletes the volume after the node has unmounted it. */
    private void deleteVolume() throws Exception {
        get(node.lifecycle().cluster().allocationEnded(WEB));
        assertThat(get(node.lifecycle().operator().detach(VOLUME, Ground.NODE)).detached())
                .isTrue();
        get(node.lifecycle().volumes().delete(VOLUME));
    }

    @Test
    void volumeLifecycleWorksFromCreateToDeleteWithoutSocket() throws Exception {
        plugin.onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).once().dropConnectionAfterEffect();
        createVolume();
        Path target = get(node.prepare(WEB, List.of(ClaimRequest.writing(VOLUME, Ground.WRITER))))
                .get(0)
                .targetPath();
        assertThat(target).exists();
        String volumeId = plugin.storage().volumeIds().iterator().next();
        assertThat(plugin).published(volumeId).onNode("node-1");
        deleteVolume();
        assertThat(plugin).hasNoLeaks().usedAllFaults().sawNoConcurrentCallsPerVolume();
        assertThat(plugin.history().ofVolume(volumeId))
                .sawInOrder(
                        Rpc.CREATE_VOLUME,
                        Rpc.CONTROLLER_PUBLISH_VOLUME,
                        Rpc.NODE_STAGE_VOLUME,
                        Rpc.NODE_PUBLISH_VOLUME,
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        Rpc.NODE_UNSTAGE_VOLUME,
                        Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                        Rpc.DELETE_VOLUME);
        try (var files = Files.walk(directory)) {
            assertThat(files.filter(file -> file.toString().endsWith(".sock"))).isEmpty();
        }
    }

    /**
     * The plugin compares a repeated CreateVolume with the first one, and each volume context with that of the volume. The
     * profile is removed while the publication has no answer, and node and engine are started again.
     */
    @Test
    void strictPluginTakesRepeatedCallsOfAProfileThatWasRemovedMeanwhile() throws Exception {
        get(node.lifecycle()
                .cluster()
                .putPluginProfile(
                        PluginProfile.builder(Ground.PLUGIN)
                                .workloadInfo(true)
                                .extraMetadata(true)
                                .build(),
                        0));
        plugin.onCall(Rpc.CREATE_VOLUME).once().dropConnectionAfterEffect();
        createVolume();
        plugin.onCall(Rpc.NODE_PUBLISH_VOLUME).failWith(StatusCode.DEADLINE_EXCEEDED);
        var lost = node.prepare(WEB, List.of(ClaimRequest.writing(VOLUME, Ground.WRITER)));
        Conditions.await(
                "a publication",
                () -> !plugin.history().of(Rpc.NODE_PUBLISH_VOLUME).calls().isEmpty());
        get(node.lifecycle().cluster().removePluginProfile(Ground.PLUGIN));
        node.close();
        get(node.closed());
        assertThat(lost).failsWithin(Duration.ofMinutes(1));
        plugin.removeFaults();
        start();
        get(node.pluginStarted(Ground.PLUGIN, Endpoint.parse(plugin.endpoint())));
        get(node.prepare(WEB, List.of(ClaimRequest.writing(VOLUME, Ground.WRITER))));
        for (Rpc rpc : List.of(Rpc.CREATE_VOLUME, Rpc.NODE_PUBLISH_VOLUME)) {
            assertThat(plugin.history().of(rpc).calls()).as("%s", rpc).hasSizeGreaterThan(1);
        }
        assertThat(plugin.history().toTable()).doesNotContain("csi.storage.k8s.io", "INVALID_ARGUMENT");
        deleteVolume();
        assertThat(plugin).hasNoLeaks();
    }

    @ParameterizedTest
    @EnumSource(RepublishOptions.Delivery.class)
    void tokensOfTheWorkloadReachThePluginInOneField(RepublishOptions.Delivery delivery) throws Exception {
        get(node.lifecycle()
                .cluster()
                .putPluginProfile(
                        PluginProfile.builder(Ground.PLUGIN)
                                .tokenAudiences(List.of("sts.example.com"))
                                .tokensOnlyAtMount(true)
                                .tokenDelivery(delivery)
                                .build(),
                        0));
        createVolume();
        get(node.prepare(WEB, List.of(ClaimRequest.writing(VOLUME, Ground.WRITER))));
        String token = "{\"sts.example.com\":{\"token\":\"t0ken-of-web-1-" + VOLUME
                + "\",\"expirationTimestamp\":\"2100-01-01T00:00:00Z\"}}";
        if (delivery == RepublishOptions.Delivery.SECRETS) {
            assertThat(plugin.secretsOfCalls()).containsExactly(token);
        } else {
            assertThat(plugin.secretsOfCalls()).isEmpty();
        }
        assertThat(plugin.history().toTable()).doesNotContain("t0ken");
        deleteVolume();
        assertThat(plugin).hasNoLeaks();
    }

    @Test
    void groupOfAPluginWithFixedOwnershipIsRefusedBeforeAnythingIsStaged() throws Exception {
        FakeCsiPlugin unable = FakeCsiPlugin.builder()
                .without(FakeCapability.VOLUME_MOUNT_GROUP)
                .build()
                .startInProcess();
        try (unable) {
            get(node.lifecycle()
                    .cluster()
                    .putPluginProfile(
                            PluginProfile.builder(Ground.PLUGIN)
                                    .ownershipFixed(true)
                                    .build(),
                            0));
            get(node.pluginStarted(Ground.PLUGIN, Endpoint.parse(unable.endpoint())));
            get(node.lifecycle()
                    .volumes()
                    .create(
                            VOLUME,
                            VolumeSpec.builder(Ground.PLUGIN)
                                    .requestedCapabilities(List.of(Ground.WRITER))
                                    .build()));
            get(node.lifecycle().cluster().allocationStarted(WEB, VOLUME.namespace(), Ground.NODE));
            ClaimRequest grouped = new ClaimRequest(
                    VOLUME, ClaimMode.WRITE, Ground.WRITER, new MountOptions("", MountFlags.empty(), "1234"));
            assertThat(node.prepare(WEB, List.of(grouped)))
                    .failsWithin(Duration.ofMinutes(1))
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(NodeVolumeException.class)
                    .withMessageContaining("the profile of plugin " + Ground.PLUGIN + " had ownershipFixed");
            assertThat(unable.history().of(Rpc.NODE_STAGE_VOLUME).calls()).isEmpty();
            get(node.teardown(WEB, Duration.ofMinutes(1)));
            deleteVolume();
            assertThat(unable).hasNoLeaks();
        }
    }

    /** The steps of "Power loss and reboot" in the guide for tests. */
    @Test
    void nodeMountsAgainAfterPowerLossAndReboot() throws Exception {
        createVolume();
        get(node.prepare(WEB, List.of(ClaimRequest.writing(VOLUME, Ground.WRITER))));
        assertThat(plugin.history().of(Rpc.NODE_STAGE_VOLUME).calls()).hasSize(1);

        node.close();
        get(node.closed());
        plugin.storage().nodeIsGone("node-1");
        boot = "second boot";
        start();
        get(node.pluginStarted(Ground.PLUGIN, Endpoint.parse(plugin.endpoint())));
        get(node.prepare(WEB, List.of(ClaimRequest.writing(VOLUME, Ground.WRITER))));
        assertThat(plugin.history().of(Rpc.NODE_STAGE_VOLUME).calls()).hasSize(2);
        assertThat(plugin.history().of(Rpc.NODE_PUBLISH_VOLUME).calls()).hasSize(2);

        deleteVolume();
        assertThat(plugin).hasNoLeaks();
    }

    /** The servers have one claim; the fake checks each second publish by the table of R89. */
    @Test
    void allocationMountsVolumeTwiceWithDifferentFlagsAndModes() throws Exception {
        RequestedCapability many = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        get(node.pluginStarted(Ground.PLUGIN, Endpoint.parse(plugin.endpoint())));
        get(node.lifecycle()
                .volumes()
                .create(
                        VOLUME,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .requestedCapabilities(List.of(many))
                                .mountOptions(MountOptions.of("ext4", "noatime"))
                                .build()));
        get(node.lifecycle().cluster().allocationStarted(WEB, VOLUME.namespace(), Ground.NODE));
        List<ClaimRequest> mounts = List.of(
                new ClaimRequest(VOLUME, ClaimMode.READ, many, MountOptions.of("", "noexec")),
                ClaimRequest.writing(VOLUME, many));
        assertThat(get(node.prepare(WEB, mounts)))
                .extracting(mounted -> mounted.targetPath().getFileName().toString(), MountedVolume::readonly)
                .containsExactly(tuple("web-1~1", true), tuple("web-1", false));
        assertThat(get(node.lifecycle().volumes().get(VOLUME))
                        .orElseThrow()
                        .volume()
                        .claims())
                .singleElement()
                .extracting(Claim::mode)
                .isEqualTo(ClaimMode.WRITE);

        deleteVolume();
        assertThat(plugin).hasNoLeaks().sawNoConcurrentCallsPerVolume();
    }

    @Test
    void registryFindsPluginThatWasStartedAgain() throws Exception {
        Endpoint endpoint = Endpoint.parse(plugin.endpoint());
        get(node.pluginStarted(Ground.PLUGIN, endpoint));
        plugin.onCall(Rpc.CREATE_VOLUME).once().crashBeforeEffect();
        var creating = node.lifecycle()
                .volumes()
                .create(
                        VOLUME,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .build());
        assertThat(plugin.awaitStop(Ground.PATIENCE)).isTrue();
        plugin.startInProcess();
        assertThat(Endpoint.parse(plugin.endpoint())).isEqualTo(endpoint);
        get(creating);
        assertThat(plugin.storage().volumeIds()).hasSize(1);
    }
}
