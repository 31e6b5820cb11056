package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.effects;
import static io.csi4j.core.internal.apply.Cluster.key;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.ExpectedInstances;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginDeployment;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PluginsTest {
    private static PluginCommand.UpsertDeployment deploy(String job, PluginId plugin, int controllers, int nodes) {
        return new PluginCommand.UpsertDeployment(
                PluginDeployment.of(
                        DeploymentId.of("default", job), Map.of(plugin, new ExpectedInstances(controllers, nodes))),
                AT);
    }

    private static PluginCommand.RemoveDeployment purge(String job) {
        return new PluginCommand.RemoveDeployment(DeploymentId.of("default", job), AT);
    }

    private static InstanceKey in(String node, PluginType type, String allocation) {
        return new InstanceKey(NodeId.of(node), PLUGIN, type, Optional.of(alloc(allocation)));
    }

    private static Cluster bare(String... nodes) {
        Cluster cluster = Cluster.attaching();
        for (String node : nodes) {
            cluster.ok(new NodeCommand.UpsertNode(NodeId.of(node), AT));
        }
        return cluster;
    }

    private static PluginView plugin(Cluster cluster) {
        return cluster.state.plugin(PLUGIN);
    }

    private static void counts(Cluster cluster, int controllers, int nodes, int ofControllers, int ofNodes) {
        PluginView plugin = plugin(cluster);
        assertThat(List.of(
                        plugin.healthyControllers(),
                        plugin.healthyNodes(),
                        plugin.expected().controllers(),
                        plugin.expected().nodes()))
                .containsExactly(controllers, nodes, ofControllers, ofNodes);
    }

    @Test
    void expectedAndHealthyInstanceCountsChangeWithDeploymentsAndInstances() {
        Cluster cluster = bare("n1", "n2", "n3").volume("v", SINGLE_NODE_WRITER);
        cluster.ok(deploy("controllers", PLUGIN, 2, 0));
        counts(cluster, 0, 0, 2, 0);
        cluster.ok(deploy("nodes", PLUGIN, 0, 3));
        counts(cluster, 0, 0, 2, 3);
        assertThat(plugin(cluster).isEmpty()).isFalse();
        assertThat(plugin(cluster).schedulable()).isFalse();
        for (String node : List.of("n1", "n2", "n3")) {
            cluster.allocation("node-" + node, node);
        }
        cluster.allocation("controller-n1", "n1").allocation("controller-n2", "n2");
        counts(cluster, 0, 0, 2, 3);

        for (String node : List.of("n1", "n2", "n3")) {
            PluginInstance nodeService =
                    cluster.instance(in(node, PluginType.NODE, "node-" + node)).build();
            if (node.equals("n3")) {
                cluster.fingerprint(node, nodeService);
            } else {
                cluster.fingerprint(
                        node,
                        nodeService,
                        cluster.instance(in(node, PluginType.CONTROLLER, "controller-" + node))
                                .build());
            }
        }
        counts(cluster, 2, 3, 2, 3);
        assertThat(plugin(cluster).controllerRequired()).isTrue();
        assertThat(plugin(cluster).schedulable()).isTrue();
        assertThat(plugin(cluster).allocations()).hasSize(5);
        assertThat(plugin(cluster).provider()).contains("csi.example.com");
        assertThat(plugin(cluster).vendorVersion()).contains("1.0");

        // A STOPPING allocation still runs; only its end changes the counts.
        cluster.ok(Cluster.status("controller-n2", "n2", AllocationStatus.STOPPING));
        counts(cluster, 2, 3, 2, 3);
        cluster.ended("controller-n2", "n2");
        counts(cluster, 1, 3, 2, 3);
        cluster.fingerprint("n1");
        counts(cluster, 0, 2, 2, 3);
        assertThat(plugin(cluster).controllerRequired())
                .as("the plugin still has a controller")
                .isTrue();
        assertThat(plugin(cluster).schedulable()).isFalse();

        cluster.ok(purge("nodes"));
        cluster.ok(purge("controllers"));
        counts(cluster, 0, 2, 0, 0);
        assertThat(plugin(cluster).isEmpty()).isFalse();
        cluster.fingerprint("n2");
        var last = cluster.fingerprint("n3");
        assertThat(effects(last, Effect.PluginRemoved.class)).hasSize(1);
        assertThat(plugin(cluster).isEmpty()).isTrue();
        assertThat(plugin(cluster).controllerNeed())
                .as("a volume refers to the plugin, so its facts are kept")
                .isEqualTo(ControllerNeed.REQUIRED);
        assertThat(cluster.get("v").key()).isEqualTo(Cluster.vol("v"));
        cluster.ok(new VolumeCommand.DeregisterVolume(Cluster.vol("v"), false, AT));
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
    }

    @Test
    void monolithicPluginCountsAsControllerAndNodeInstance() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        counts(cluster, 1, 1, 0, 0);
        cluster.fingerprint("n1", cluster.instance("n1").health(false, "down").build());
        counts(cluster, 0, 0, 0, 0);
        assertThat(plugin(cluster).isEmpty()).isFalse();
        cluster.ok(new PluginCommand.RemoveInstance(key("n1", PluginType.MONOLITH), AT));
        assertThat(plugin(cluster).isEmpty()).isTrue();
        cluster.unchanged(new PluginCommand.RemoveInstance(key("n1", PluginType.MONOLITH), AT));
    }

    @Test
    void removingOneOfTwoPluginInstancesOnNodeKeepsRemainingInstance() {
        Cluster cluster = bare("n1");
        PluginInstance node = cluster.instance(key("n1", PluginType.NODE)).build();
        PluginInstance controller =
                cluster.instance(key("n1", PluginType.CONTROLLER)).build();
        cluster.fingerprint("n1", node, controller);
        counts(cluster, 1, 1, 0, 0);
        cluster.fingerprint("n1", node);
        counts(cluster, 0, 1, 0, 0);
        cluster.fingerprint("n1", controller);
        counts(cluster, 1, 0, 0, 0);
        cluster.ok(new NodeCommand.RemoveNode(NodeId.of("n1"), "", AT));
        assertThat(plugin(cluster).isEmpty()).isTrue();
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
    }

    @Test
    void fingerprintOfUnhealthyInstanceDoesNotChangeKnownFactsOfPlugin() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        PluginInstance bad = PluginInstance.builder(key("n1", PluginType.MONOLITH), AT)
                .health(false, "probe failed")
                .build();
        cluster.fingerprint("n1", bad);
        PluginInstance stored = cluster.state.instance(bad.key()).orElseThrow();
        assertThat(stored.healthy()).isFalse();
        assertThat(stored.healthDescription()).isEqualTo("probe failed");
        assertThat(stored.nodeInfo()).isPresent();
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.REQUIRED);
        // An unhealthy instance does not change the facts of its plugin, even if it reports capabilities.
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .health(false, "confused")
                        .capabilities(known -> known.withController())
                        .build());
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.REQUIRED);
    }

    @Test
    void needForControllerIsUnknownUntilPluginReportsCapabilities() {
        Cluster cluster = bare("n1");
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.UNKNOWN);
        cluster.fingerprint(
                "n1",
                PluginInstance.builder(key("n1", PluginType.NODE), AT)
                        .capabilities(Capabilities.unknown().withServices(PluginService.CONTROLLER_SERVICE))
                        .build());
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.UNKNOWN);
        assertThat(plugin(cluster).schedulable()).isFalse();
        cluster.fingerprint(
                "n1",
                PluginInstance.builder(key("n1", PluginType.NODE), AT)
                        .capabilities(Capabilities.unknown().withController(ControllerCapability.CREATE_DELETE_VOLUME))
                        .build());
        assertThat(plugin(cluster).controllerNeed())
                .as("the plugin has a controller that does not publish")
                .isEqualTo(ControllerNeed.NOT_REQUIRED);
        assertThat(plugin(cluster).schedulable()).isTrue();
    }

    @Test
    void lateReportFromStoppedInstanceDoesNotAddPluginAgain() {
        Cluster cluster = bare("n1");
        cluster.fingerprint(
                "n1", cluster.instance("n1").health(false, "stopping").build());
        assertThat(plugin(cluster).isEmpty()).isTrue();
        cluster.allocation("a", "n1").ended("a", "n1");
        cluster.fingerprint(
                "n1", cluster.instance(in("n1", PluginType.MONOLITH, "a")).build());
        assertThat(plugin(cluster).isEmpty()).isTrue();
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
    }

    @Test
    void repeatedFingerprintChangesNothing() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        cluster.unchanged(new PluginCommand.FingerprintNode(
                NodeId.of("n1"),
                List.of(cluster.instance("n1").updatedAt(AT.plusSeconds(30)).build()),
                AT.plusSeconds(30)));
        cluster.refused(
                Rejection.NodeNotFound.class, new PluginCommand.FingerprintNode(NodeId.of("stranger"), List.of(), AT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PluginCommand.FingerprintNode(
                        NodeId.of("n2"), List.of(cluster.instance("n1").build()), AT));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new PluginCommand.FingerprintNode(
                        NodeId.of("n1"),
                        List.of(
                                cluster.instance("n1").build(),
                                cluster.instance("n1").build()),
                        AT));
    }

    @Test
    void fingerprintOlderThanLastAppliedFingerprintIsRejected() {
        Cluster cluster = bare("n1");
        cluster.allocation("a", "n1").allocation("b", "n1");
        PluginInstance a = cluster.instance(in("n1", PluginType.NODE, "a")).build();
        PluginInstance b = cluster.instance(in("n1", PluginType.NODE, "b")).build();
        cluster.ok(fingerprint(5, a, b));
        // The fingerprint is equal but newer, so a fingerprint numbered in between is outdated.
        cluster.ok(fingerprint(7, a, b));
        Rejection.FingerprintOutdated late = cluster.refused(Rejection.FingerprintOutdated.class, fingerprint(6, a));
        assertThat(late.newest()).isEqualTo(7);
        assertThat(late.message()).contains("n1", "6", "7");
        cluster.unchanged(fingerprint(7, a, b));
        assertThat(cluster.state.instance(b.key())).isPresent();

        // A new node status must not reset the order of fingerprints.
        cluster.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "silent", AT));
        cluster.refused(Rejection.FingerprintOutdated.class, fingerprint(6, a));
        // A fingerprint without an order is always applied.
        cluster.ok(fingerprint(0, a));
        assertThat(cluster.state.instance(b.key())).isEmpty();
        cluster.refused(Rejection.FingerprintOutdated.class, fingerprint(6, a, b));
        cluster.ok(fingerprint(8, a, b));
        assertThat(cluster.state.instance(b.key())).isPresent();
        assertThatIllegalArgumentException().isThrownBy(() -> fingerprint(-1, a));
        assertThatIllegalArgumentException().isThrownBy(() -> fingerprint(Long.MAX_VALUE, a));
    }

    private static PluginCommand.FingerprintNode fingerprint(long order, PluginInstance... instances) {
        return new PluginCommand.FingerprintNode(NodeId.of("n1"), List.of(instances), order, AT);
    }

    @Test
    void newestHealthyNodeInstanceIsUsed() {
        Cluster cluster = bare("n1");
        cluster.allocation("old", "n1").allocation("new", "n1");
        PluginInstance old = cluster.instance(in("n1", PluginType.NODE, "old")).build();
        PluginInstance young = PluginInstance.builder(in("n1", PluginType.NODE, "new"), AT.plusSeconds(9))
                .capabilities(Capabilities.unknown().withServices())
                .vendorVersion("2.0")
                .build();
        cluster.fingerprint("n1", young, old);
        assertThat(Placement.nodeInstance(cluster.state, NodeId.of("n1"), PLUGIN))
                .map(PluginInstance::key)
                .contains(young.key());
        assertThat(plugin(cluster).vendorVersion())
                .as("the facts of the newest instance are applied last")
                .contains("2.0");
        cluster.fingerprint("n1", young.toBuilder().health(false, "").build(), old);
        assertThat(Placement.nodeInstance(cluster.state, NodeId.of("n1"), PLUGIN))
                .map(PluginInstance::key)
                .contains(old.key());
        cluster.ended("old", "n1");
        assertThat(Placement.nodeInstance(cluster.state, NodeId.of("n1"), PLUGIN))
                .map(PluginInstance::key)
                .contains(young.key());
    }

    private static PluginInstance driver(Cluster cluster, String node, String provider) {
        return cluster.instance(node).provider(provider).build();
    }

    @Test
    void reportWithAnotherProviderNameDoesNotChangeFactsOrCounts() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        PluginInstance other = cluster.instance("n2")
                .provider("other.example.com")
                .vendorVersion("9.9")
                .capabilities(known -> known.withServices())
                .build();
        cluster.fingerprint("n2", other);
        counts(cluster, 1, 1, 0, 0);
        assertThat(plugin(cluster).provider()).contains("csi.example.com");
        assertThat(plugin(cluster).vendorVersion()).contains("1.0");
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.REQUIRED);
        assertThat(plugin(cluster).conflicts()).containsExactly(other);
        assertThat(plugin(cluster).outline().conflictCount()).isEqualTo(1);
    }

    @Test
    void nodeWithInstancesOfTwoDriversIsInConflictUntilOtherDriverIsGone() {
        Cluster cluster = bare("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.allocation("old", "n1").allocation("new", "n1");
        PluginInstance right =
                cluster.instance(in("n1", PluginType.NODE, "old")).build();
        PluginInstance other = PluginInstance.builder(in("n1", PluginType.NODE, "new"), AT.plusSeconds(9))
                .provider("other.example.com")
                .build();
        cluster.fingerprint("n1", right);
        cluster.fingerprint("n1", right.toBuilder().health(false, "").build(), other);
        assertThat(Placement.nodeInstance(cluster.state, NodeId.of("n1"), PLUGIN))
                .map(PluginInstance::key)
                .contains(right.key());
        assertThat(Placement.providerConflict(cluster.state, NodeId.of("n1"), PLUGIN))
                .as("the node chooses between its instances by age, and may choose the other driver")
                .isTrue();
        assertThat(Placement.facts(cluster.state, cluster.get("v"), NodeId.of("n1"))
                        .providerConflict())
                .isTrue();
        cluster.fingerprint("n1", right.toBuilder().health(false, "").build());
        assertThat(Placement.providerConflict(cluster.state, NodeId.of("n1"), PLUGIN))
                .isFalse();
        cluster.fingerprint("n1", other);
        assertThat(Placement.facts(cluster.state, cluster.get("v"), NodeId.of("n1"))
                        .nodeInfo())
                .isEmpty();
    }

    @Test
    void emptyProviderNameIsNoNameAndConflictsWithNone() {
        Cluster cluster = bare("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        cluster.fingerprint("n1", driver(cluster, "n1", ""));
        cluster.fingerprint("n2", driver(cluster, "n2", "csi.example.com"));
        assertThat(plugin(cluster).provider()).contains("csi.example.com");
        assertThat(plugin(cluster).conflicts()).isEmpty();
    }

    @Test
    void restartAsOtherDriverDoesNotInheritCapabilitiesOfFormerDriver() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        PluginInstance other = PluginInstance.builder(key("n1", PluginType.MONOLITH), AT)
                .provider("other.example.com")
                .build();
        cluster.fingerprint("n1", other);
        assertThat(cluster.state.instance(other.key())).contains(other);
    }

    @Test
    void providerNameOfPluginWithoutVolumesIsReplacedWhenItsLastInstanceIsGone() {
        Cluster cluster = bare("n1", "n2");
        cluster.fingerprint("n1", driver(cluster, "n1", "wrong.example.com"));
        cluster.fingerprint("n2", driver(cluster, "n2", "csi.example.com"));
        assertThat(plugin(cluster).provider()).contains("wrong.example.com");
        cluster.fingerprint("n1", driver(cluster, "n1", "csi.example.com"));
        assertThat(plugin(cluster).provider()).contains("csi.example.com");
        assertThat(plugin(cluster).conflicts()).isEmpty();
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.REQUIRED);
    }

    @Test
    void providerNameOfPluginWithVolumesStaysAlthoughItsLastInstanceIsGone() {
        Cluster cluster = bare("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        cluster.fingerprint("n1", driver(cluster, "n1", "csi.example.com"));
        cluster.fingerprint("n1", driver(cluster, "n1", "other.example.com"));
        cluster.ok(new PluginCommand.RemoveInstance(key("n1", PluginType.MONOLITH), AT));
        cluster.fingerprint("n2", driver(cluster, "n2", "other.example.com"));
        assertThat(plugin(cluster).provider()).contains("csi.example.com");
        assertThat(plugin(cluster).conflicts()).hasSize(1);
        assertThat(plugin(cluster).schedulable()).isFalse();
    }

    private static Optional<ExternalNodeId> machine(Cluster cluster, String node) {
        return cluster.state
                .node(NodeId.of(node))
                .flatMap(known -> known.machine(PLUGIN))
                .map(NodeMachine::externalNodeId);
    }

    private static NodeInfo id(String externalNodeId) {
        return new NodeInfo(ExternalNodeId.of(externalNodeId), 0, Optional.of(Cluster.ZONE));
    }

    /** An instance of another driver, a controller, and an instance that is not the preferred one name no machine. */
    @Test
    void machineOfNodeIsNamedByThePreferredNodeInstanceOfTheDriver() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.allocation("a", "n1").allocation("b", "n1").allocation("c", "n1");
        PluginInstance preferred = cluster.instance(in("n1", PluginType.NODE, "b"))
                .nodeInfo(id("right"))
                .build();
        PluginInstance older = PluginInstance.builder(in("n1", PluginType.NODE, "c"), AT.minusSeconds(1))
                .provider("csi.example.com")
                .nodeInfo(id("older"))
                .build();
        PluginInstance other = PluginInstance.builder(in("n1", PluginType.NODE, "a"), AT.plusSeconds(9))
                .provider("other.example.com")
                .nodeInfo(id("other"))
                .build();
        PluginInstance controller = PluginInstance.builder(key("n1", PluginType.CONTROLLER), AT.plusSeconds(9))
                .provider("csi.example.com")
                .nodeInfo(id("controller"))
                .build();
        cluster.fingerprint("n1", preferred, older, other, controller);
        assertThat(machine(cluster, "n1")).contains(ExternalNodeId.of("right"));
        cluster.fingerprint("n1", older, preferred, other, controller);
        assertThat(machine(cluster, "n1")).contains(ExternalNodeId.of("right"));
    }

    @Test
    void machinesAreNamedByTheHealthyInstancesOfTheDriverThatAnOperatorStates() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n2"), AT));
        cluster.ok(new NodeCommand.UpsertNode(NodeId.of("n3"), AT));
        PluginInstance other = driver(cluster, "n2", "other.example.com");
        cluster.fingerprint("n2", other);
        PluginInstance ill = driver(cluster, "n3", "other.example.com");
        cluster.fingerprint("n3", ill);
        cluster.fingerprint("n3", ill.toBuilder().health(false, "").build());
        assertThat(machine(cluster, "n1")).contains(ExternalNodeId.of("ext-n1"));
        assertThat(machine(cluster, "n2")).isEmpty();
        cluster.ok(new PluginCommand.SetProvider(PLUGIN, "other.example.com", "ann", "renamed", AT));
        assertThat(machine(cluster, "n2")).contains(ExternalNodeId.of("ext-n2"));
        assertThat(machine(cluster, "n3")).isEmpty();
    }

    @Test
    void removalOfInstanceWithWrongProviderNameReplacesIt() {
        Cluster cluster = bare("n1", "n2");
        cluster.fingerprint("n1", driver(cluster, "n1", "wrong.example.com"));
        cluster.fingerprint("n2", driver(cluster, "n2", "csi.example.com"));
        cluster.ok(new PluginCommand.RemoveInstance(key("n1", PluginType.MONOLITH), AT));
        assertThat(plugin(cluster).provider()).contains("csi.example.com");
    }

    @Test
    void removalOfLastDeploymentRemovesPluginWithoutInstances() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        cluster.ok(deploy("job", PLUGIN, 1, 1));
        cluster.ok(deploy("idle", PLUGIN, 0, 0));
        cluster.fingerprint("n1");
        assertThat(cluster.state.facts(PLUGIN)).isPresent();
        assertThat(effects(cluster.ok(purge("job")), Effect.PluginRemoved.class))
                .containsExactly(new Effect.PluginRemoved(PLUGIN));
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
        cluster.unchanged(new PluginCommand.DeletePlugin(PLUGIN, AT));
        assertThat(effects(cluster.ok(purge("idle")), Effect.PluginRemoved.class))
                .as("a deployment that expects no instance did not keep the plugin")
                .isEmpty();
    }

    /** A forgotten volume and a withdrawn creation belong to the driver, although they are no volumes any more. */
    @ParameterizedTest
    @CsvSource({"LEFTOVER, p", "LEFTOVER, q", "WITHDRAWN, p", "WITHDRAWN, q"})
    void providerNameOfPluginThatLeavesSomethingStays(String row, String plugin) {
        Cluster cluster = bare("n1");
        cluster.fingerprint("n1", driver(cluster, "n1", "csi.example.com"));
        PluginId pluginId = PluginId.of(plugin);
        VolumeSpec spec = VolumeSpec.builder(pluginId)
                .requestedCapabilities(List.of(RequestedCapability.mount(SINGLE_NODE_WRITER)))
                .externalVolumeId(row.equals("LEFTOVER") ? ExternalVolumeId.of("ext-v") : null)
                .build();
        if (row.equals("LEFTOVER")) {
            InstanceKey other =
                    new InstanceKey(NodeId.of("n1"), PluginId.of("q"), PluginType.MONOLITH, Optional.empty());
            cluster.fingerprint(
                    "n1",
                    driver(cluster, "n1", "csi.example.com"),
                    cluster.instance(other).build());
            cluster.ok(Cluster.register("v", spec));
            cluster.claim("a", "n1", "v", WRITE, SINGLE_NODE_WRITER);
            cluster.ended("a", "n1");
            cluster.ok(new VolumeCommand.ForgetVolume(Cluster.vol("v"), 0, "ann", "it is gone", AT));
        } else {
            cluster.ok(new VolumeCommand.RegisterVolume(
                    Cluster.vol("v"), spec, VolumeOrigin.CREATED, ProviderFacts.none(), AT));
            long index = cluster.get("v").createIndex();
            cluster.ok(new CallCommand.BeginCall(
                    Cluster.vol("v"), new CallTarget.OfVolume(index, VolumePhase.CREATING), AT));
            cluster.ok(new VolumeCommand.WithdrawCreation(Cluster.vol("v"), index, "ann", "not needed", AT));
        }
        assertThat(row.equals("LEFTOVER") ? cluster.state.leftovers() : cluster.state.withdrawnCreations())
                .hasSize(1);
        cluster.fingerprint("n1", driver(cluster, "n1", "other.example.com"));
        assertThat(plugin(cluster).provider())
                .contains(pluginId.equals(PLUGIN) ? "csi.example.com" : "other.example.com");
    }

    @Test
    void statementOfOperatorReplacesProviderAndCapabilities() {
        Cluster cluster = Cluster.attaching().nodes("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        cluster.fingerprint(
                "n2",
                cluster.instance("n2")
                        .provider("other.example.com")
                        .vendorVersion("9.9")
                        .capabilities(known -> known.withServices())
                        .build());
        cluster.ok(new PluginCommand.SetProvider(PLUGIN, "other.example.com", "ann", "renamed", AT));
        assertThat(plugin(cluster).vendorVersion()).contains("9.9");
        assertThat(plugin(cluster).controllerNeed()).isEqualTo(ControllerNeed.NOT_REQUIRED);
        cluster.ok(new PluginCommand.SetProvider(PLUGIN, "third.example.com", "ann", "an upgrade follows", AT));
        assertThat(plugin(cluster).controllerNeed())
                .as("no instance of the third driver has reported")
                .isEqualTo(ControllerNeed.UNKNOWN);
        cluster.unchanged(new PluginCommand.SetProvider(PluginId.of("none"), "a.example.com", "ann", "why", AT));
    }

    @Test
    void deploymentChangedToAnotherPluginRemovesFormerPlugin() {
        Cluster cluster = bare("n1");
        cluster.ok(deploy("job", PLUGIN, 1, 1));
        cluster.unchanged(deploy("job", PLUGIN, 1, 1));
        var moved = cluster.ok(deploy("job", PluginId.of("q"), 1, 1));
        assertThat(effects(moved, Effect.PluginRemoved.class)).containsExactly(new Effect.PluginRemoved(PLUGIN));
        assertThat(plugin(cluster).isEmpty()).isTrue();
        assertThat(cluster.state.plugin(PluginId.of("q")).expected()).isEqualTo(new ExpectedInstances(1, 1));
        cluster.ok(purge("job"));
        cluster.unchanged(purge("job"));
        cluster.ok(deploy("idle", PLUGIN, 0, 0));
        assertThat(plugin(cluster).isEmpty())
                .as("a deployment that expects 0 instances does not keep the plugin")
                .isTrue();
    }

    @Test
    void pluginIsDeletedOnlyWithoutInstancesDeploymentsAndVolumes() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.ok(deploy("job", PLUGIN, 1, 0));
        PluginCommand.DeletePlugin delete = new PluginCommand.DeletePlugin(PLUGIN, AT);
        Rejection.PluginInUse refused = cluster.refused(Rejection.PluginInUse.class, delete);
        assertThat(refused.message()).contains("plugin p", "1 instances", "default/job", "volume default/v");
        cluster.ok(purge("job"));
        cluster.refused(Rejection.PluginInUse.class, delete);
        var stopped = cluster.fingerprint("n1");
        assertThat(effects(stopped, Effect.PluginRemoved.class)).hasSize(1);
        cluster.refused(Rejection.PluginInUse.class, delete);
        cluster.ok(new VolumeCommand.DeregisterVolume(Cluster.vol("v"), false, AT));
        assertThat(cluster.state.facts())
                .as("facts go with the last row that needs them")
                .isEmpty();
        cluster.unchanged(delete);
    }

    @Test
    void factsThatWereLeftOverAreDeleted() {
        Cluster cluster = Cluster.attaching().nodes("n1");
        PluginFacts facts = cluster.state.facts(PLUGIN).orElseThrow();
        cluster.fingerprint("n1");
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
        cluster.state.putFacts(facts);
        assertThat(effects(cluster.ok(new PluginCommand.DeletePlugin(PLUGIN, AT)), Effect.PluginRemoved.class))
                .as("the plugin was reported as removed with its last instance")
                .isEmpty();
        assertThat(cluster.state.facts(PLUGIN)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pluginWithInstanceAloneIsNotDeleted(boolean healthy) {
        Cluster cluster = Cluster.attaching().nodes("n1");
        cluster.fingerprint("n1", cluster.instance("n1").health(healthy, "").build());
        Rejection.PluginInUse refused =
                cluster.refused(Rejection.PluginInUse.class, new PluginCommand.DeletePlugin(PLUGIN, AT));
        assertThat(refused.instances()).hasSize(1);
        assertThat(refused.deployments()).isEmpty();
        assertThat(refused.volume()).isEmpty();
        assertThat(plugin(cluster).instances()).hasSize(1);
    }

    @Test
    void outlineHasCountsButNoInstancesDeploymentsAndFacts() {
        Cluster cluster = Cluster.attaching().nodes("n1").volume("v", SINGLE_NODE_WRITER);
        cluster.ok(deploy("job", PLUGIN, 2, 3));
        PluginView complete = plugin(cluster).withControllers(key -> false);
        assertThat(complete.instances()).isNotEmpty();
        assertThat(complete.deployments()).isNotEmpty();
        assertThat(complete.facts()).isPresent();
        assertThat(complete.undeclaredControllers()).isNotEmpty();
        PluginView outline = complete.outline();
        assertThat(outline.instances()).isEmpty();
        assertThat(outline.allocations()).isEmpty();
        assertThat(outline.deployments()).isEmpty();
        assertThat(outline.facts()).isEmpty();
        assertThat(outline.undeclaredControllers()).isEmpty();
        assertThat(outline.conflicts()).isEmpty();
        assertThat(outline.expected()).isEqualTo(new ExpectedInstances(2, 3));
        assertThat(outline.healthyNodes()).isOne();
        assertThat(outline.undeclaredControllerCount()).isEqualTo(complete.undeclaredControllerCount());
    }

    @Test
    void instanceKeysAreOrderedByNodePluginTypeAndAllocation() {
        List<InstanceKey> keys = List.of(
                key("n1", PluginType.CONTROLLER),
                in("n1", PluginType.CONTROLLER, "a"),
                in("n1", PluginType.CONTROLLER, "b"),
                key("n1", PluginType.NODE),
                new InstanceKey(NodeId.of("n1"), PluginId.of("q"), PluginType.CONTROLLER, Optional.empty()),
                key("n2", PluginType.CONTROLLER));
        assertThat(keys).isSorted().doesNotHaveDuplicates();
        assertThat(in("n1", PluginType.NODE, "a").toString()).contains("p", "NODE", "n1", "a");
        assertThatIllegalArgumentException().isThrownBy(() -> new ExpectedInstances(-1, 0));
    }
}
