package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.PLUGIN;
import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.spi.PluginConflictEvent;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RemainingWork;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Two drivers under one plugin id: only the driver that the plugin's volumes belong to is called. */
class ProviderConflictTest {
    private static final String RIGHT = "csi.example.com";
    private static final String OTHER = "other.example.com";

    private static PluginInstance driver(LifecycleRig rig, String node, String provider) {
        return rig.instance(node).provider(provider).build();
    }

    private static PluginView plugin(LifecycleRig rig) {
        return rig.done(rig.host.operator().plugin(PLUGIN)).orElseThrow().plugin();
    }

    private static Set<NodeId> calledControllers(LifecycleRig rig) {
        return rig.gateway.calls().stream()
                .filter(call -> call.rpc() != Rpc.NODE_UNPUBLISH_VOLUME)
                .map(call -> call.node())
                .collect(Collectors.toSet());
    }

    private static List<RemainingWork.Reason> waits(LifecycleRig rig) {
        return rig.done(rig.host.claims().status(VOL)).orElseThrow().remaining().waits().stream()
                .map(RemainingWork.Wait::reason)
                .toList();
    }

    @Test
    void controllerCallsGoOnlyToDriverThatVolumesBelongTo() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.fingerprint(driver(rig, "n2", OTHER));
        for (int i = 0; i < 20; i++) {
            rig.done(rig.host
                    .volumes()
                    .create(
                            VolumeKey.of("default", "v" + i),
                            LifecycleRig.newSpec().build()));
        }
        assertThat(calledControllers(rig)).containsExactly(NodeId.of("n1"));
        PluginView plugin = plugin(rig);
        assertThat(plugin.provider()).contains(RIGHT);
        assertThat(plugin.conflicts()).extracting(one -> one.key().nodeId()).containsExactly(NodeId.of("n2"));
        assertThat(plugin.healthyControllers()).isEqualTo(1);
        assertThat(plugin.healthyNodes()).isEqualTo(1);
        assertThat(plugin.toString()).contains("conflicts=1");
    }

    @Test
    void instanceOfSameDriverWithAnotherVersionIsCalled() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.fingerprint(
                driver(rig, "n1", RIGHT).toBuilder().vendorVersion("1.0").build());
        rig.fingerprint(
                driver(rig, "n2", RIGHT).toBuilder().vendorVersion("2.0").build());
        for (int i = 0; i < 20; i++) {
            rig.done(rig.host
                    .volumes()
                    .create(
                            VolumeKey.of("default", "v" + i),
                            LifecycleRig.newSpec().build()));
        }
        assertThat(calledControllers(rig)).containsExactlyInAnyOrder(NodeId.of("n1"), NodeId.of("n2"));
        assertThat(plugin(rig).conflictCount()).isZero();
    }

    @Test
    void claimOnNodeWithOtherDriverWaitsAndSaysWhy() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.fingerprint(driver(rig, "n2", OTHER));
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n2", SINGLE);
        assertThat(grant).isNotDone();
        assertThat(rig.gateway.rpcs()).doesNotContain(Rpc.CONTROLLER_PUBLISH_VOLUME);
        WaitingClaim waiting =
                rig.done(rig.host.claims().waiting(WaitingQuery.all())).items().get(0);
        assertThat(waiting.toString()).contains(WaitReason.PROVIDER_CONFLICT.name(), RIGHT, OTHER, "n2", "setProvider");
        rig.fingerprint(driver(rig, "n2", RIGHT));
        assertThat(rig.done(grant).volumes()).hasSize(1);
    }

    @Test
    void releaseDoesNotCallOtherDriverOnNodeAndEndsWhenRightDriverIsBack() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n2", SINGLE));
        rig.gateway.calls().clear();
        rig.fingerprint(driver(rig, "n2", OTHER));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.calls()).isEmpty();
        assertThat(waits(rig)).contains(RemainingWork.Reason.PROVIDER_CONFLICT);
        rig.fingerprint(driver(rig, "n2", RIGHT));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.calls()).containsExactly("NODE_UNPUBLISH_VOLUME@n2", "CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(rig.get(VOL).claims()).isEmpty();
    }

    /** Each driver uses ids of its own for nodes, so what another driver reports does not tell machines apart. */
    @Test
    void externalNodeIdOfOtherDriverDoesNotReplaceMachine() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n2", SINGLE));
        rig.gateway.calls().clear();
        rig.fingerprint(withOtherId(driver(rig, "n2", OTHER)));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        assertThat(rig.calls()).isEmpty();
        assertThat(waits(rig))
                .contains(RemainingWork.Reason.PROVIDER_CONFLICT)
                .doesNotContain(RemainingWork.Reason.NODE_REPLACED);
        rig.fingerprint(driver(rig, "n2", RIGHT));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.get(VOL).claims()).isEmpty();
    }

    @Test
    void externalNodeIdOfOtherDriverCountsOnceOperatorSaysThatItsNameIsRight() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n2", SINGLE));
        rig.gateway.calls().clear();
        rig.fingerprint(withOtherId(driver(rig, "n2", OTHER)));
        rig.done(rig.host.operator().setProvider(PLUGIN, OTHER, "the vendor renamed its driver in 2.0"));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.calls()).isEmpty();
        assertThat(waits(rig)).contains(RemainingWork.Reason.NODE_REPLACED);
    }

    private static PluginInstance withOtherId(PluginInstance instance) {
        return instance.toBuilder()
                .nodeInfo(new NodeInfo(ExternalNodeId.of("id-of-other-driver"), 0, Optional.empty()))
                .build();
    }

    @Test
    void operatorSaysThatOtherNameIsRightAndCallsGoToThatDriverAtOnce() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n2", SINGLE));
        rig.gateway.calls().clear();
        rig.fingerprint(driver(rig, "n2", OTHER));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.done(rig.host.operator().setProvider(PLUGIN, OTHER, "the vendor renamed its driver in 2.0"));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.calls()).containsExactly("NODE_UNPUBLISH_VOLUME@n2", "CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(calledControllers(rig)).containsExactly(NodeId.of("n2"));
        PluginView plugin = plugin(rig);
        assertThat(plugin.provider()).contains(OTHER);
        assertThat(plugin.conflicts()).extracting(one -> one.key().nodeId()).containsExactly(NodeId.of("n1"));
        assertThat(plugin.facts().orElseThrow().providerOverride())
                .map(OperatorOverride::reason)
                .contains("the vendor renamed its driver in 2.0");
        // A report of the former driver does not take the name back.
        rig.fingerprint(
                driver(rig, "n1", RIGHT).toBuilder().vendorVersion("1.1").build());
        assertThat(plugin(rig).provider()).contains(OTHER);
    }

    @Test
    void statementAboutProviderNeedsManagementAndKnownPlugin() {
        LifecycleRig rig = LifecycleRig.guarded();
        rig.grant(Permission.PLUGIN_READ);
        rig.failed(rig.as("eve").operator().setProvider(PLUGIN, OTHER, "because"), AccessDeniedException.class);
        LifecycleRig open = LifecycleRig.leading();
        assertThat(open.failed(
                        open.host.operator().setProvider(PluginId.of("unknown"), OTHER, "because"),
                        CsiRequestException.class))
                .hasMessageContaining("unknown");
        assertThatThrownBy(() -> open.done(open.host.operator().setProvider(PLUGIN, OTHER, "")))
                .hasMessageContaining("reason");
    }

    @Test
    void conflictIsReportedAsEventAndAsHealthProblemUntilItEnds() {
        LifecycleRig rig = LifecycleRig.following();
        List<PluginConflictEvent> events = new ArrayList<>();
        VolumeLifecycle host = VolumeLifecycle.builder()
                .log(rig.log)
                .gateway(rig.gateway)
                .environment(rig.clock.environment(new Random(7)))
                .callbackExecutor(rig.clock)
                .listener(new EventListener() {
                    @Override
                    public void pluginConflict(PluginConflictEvent event) {
                        events.add(event);
                    }
                })
                .build();
        host.startLeading();
        rig.done(host.cluster().nodePlugins(NodeId.of("n2"), List.of(driver(rig, "n2", OTHER))));
        assertThat(events).hasSize(1);
        assertThat(events.get(0).nodes()).containsExactly(NodeId.of("n2"));
        HealthCheck check = HealthCheck.builder(host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)))
                .build();
        rig.clock.advance(Duration.ofSeconds(3));
        var health = check.run();
        rig.clock.advance(Duration.ofSeconds(10));
        assertThat(rig.done(health).problems()).singleElement().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(HealthProblem.Kind.PLUGIN_CONFLICT);
            assertThat(problem.message()).contains(RIGHT, OTHER, "n2");
        });
        rig.done(host.cluster().nodePlugins(NodeId.of("n2"), List.of(driver(rig, "n2", RIGHT))));
        assertThat(events).hasSize(2);
        assertThat(events.get(1).nodes()).isEmpty();
    }

    private static PluginInstance withController(LifecycleRig rig, String node, Set<ControllerCapability> offered) {
        return rig.instance(node)
                .capabilities(known -> known.withController(CapabilitySet.of(ControllerCapability.class, offered)))
                .build();
    }

    @Test
    void releaseGoesToInstanceThatDetachesAlthoughNewestReportLacksIt() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        Set<ControllerCapability> without = EnumSet.allOf(ControllerCapability.class);
        without.remove(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        rig.fingerprint(withController(rig, "n2", without));
        assertThat(plugin(rig).controllerRequired()).isFalse();
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.calls()).containsExactly("NODE_UNPUBLISH_VOLUME@n1", "CONTROLLER_UNPUBLISH_VOLUME");
        assertThat(calledControllers(rig)).containsExactly(NodeId.of("n1"));
    }

    @Test
    void releaseWaitsWhenNoInstanceDetachesAndResumesWhenOneDoes() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        rig.gateway.calls().clear();
        Set<ControllerCapability> without = EnumSet.allOf(ControllerCapability.class);
        without.remove(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        rig.fingerprint(withController(rig, "n1", without));
        rig.fingerprint(withController(rig, "n2", without));
        rig.done(rig.host.cluster().allocationEnded(AllocationId.of("a")));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(waits(rig)).contains(RemainingWork.Reason.PLUGIN_NO_LONGER_ATTACHES);
        rig.fingerprint(withController(rig, "n2", EnumSet.allOf(ControllerCapability.class)));
        rig.fingerprint(withController(rig, "n1", without));
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(calledControllers(rig)).containsExactly(NodeId.of("n2"));
        assertThat(rig.get(VOL).claims()).isEmpty();
    }

    @Test
    void callsGoOnlyToInstancesWithTheCapability() {
        LifecycleRig rig = LifecycleRig.leading();
        Set<ControllerCapability> without = EnumSet.allOf(ControllerCapability.class);
        without.remove(ControllerCapability.CREATE_DELETE_VOLUME);
        rig.fingerprint(withController(rig, "n2", without));
        for (int i = 0; i < 20; i++) {
            VolumeKey key = VolumeKey.of("default", "v" + i);
            rig.done(rig.host.volumes().create(key, LifecycleRig.newSpec().build()));
            rig.done(rig.host.volumes().delete(key));
        }
        assertThat(calledControllers(rig)).containsExactly(NodeId.of("n1"));
    }

    @Test
    void instanceWithoutControllerServiceIsNotCalled() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.fingerprint(rig.instance("n1")
                .capabilities(Capabilities.unknown().withServices())
                .build());
        rig.fingerprint(driver(rig, "n2", RIGHT));
        for (int i = 0; i < 20; i++) {
            rig.done(rig.host
                    .volumes()
                    .create(
                            VolumeKey.of("default", "v" + i),
                            LifecycleRig.newSpec().build()));
        }
        assertThat(calledControllers(rig)).containsExactly(NodeId.of("n2"));
    }

    @Test
    void orphanedAttachmentSearchIgnoresNodeIdsOfOtherDriver() {
        LifecycleRig rig = LifecycleRig.leading();
        rig.done(rig.host
                .volumes()
                .register(
                        VOL,
                        LifecycleRig.spec()
                                .requestedCapabilities(List.of(SHARED))
                                .externalVolumeId(ExternalVolumeId.of("ext-vol"))
                                .build()));
        rig.fingerprint(driver(rig, "n2", OTHER));
        for (int i = 0; i < 2; i++) {
            rig.gateway.answer(
                    Rpc.LIST_VOLUMES,
                    request -> new ListVolumesResponse(
                            List.of(new ListVolumesResponse.Entry(
                                    ExternalVolume.builder(ExternalVolumeId.of("ext-vol"))
                                            .build(),
                                    Optional.of(new ExternalVolumeStatus(
                                            List.of(ExternalNodeId.of("ext-n2")), Optional.empty())))),
                            ""));
        }
        assertThat(rig.done(rig.host.operator().reconcile(PLUGIN, false))).isEmpty();
        rig.fingerprint(driver(rig, "n2", RIGHT));
        assertThat(rig.done(rig.host.operator().reconcile(PLUGIN, false))).hasSize(1);
    }
}
