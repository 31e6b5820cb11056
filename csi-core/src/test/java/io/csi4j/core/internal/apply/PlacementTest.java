package io.csi4j.core.internal.apply;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.internal.apply.Cluster.AT;
import static io.csi4j.core.internal.apply.Cluster.PLUGIN;
import static io.csi4j.core.internal.apply.Cluster.alloc;
import static io.csi4j.core.internal.apply.Cluster.key;
import static io.csi4j.core.internal.apply.Cluster.vol;
import static io.csi4j.core.volume.ClaimMode.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The instances that calls may go to, and the volumes that take a slot of a node. */
class PlacementTest {
    private static final NodeId NODE = NodeId.of("n1");
    private static final Rpc PUBLISH = Rpc.CONTROLLER_PUBLISH_VOLUME;

    private final Cluster cluster = Cluster.attaching().nodes("n1").volume("v", MULTI_NODE_MULTI_WRITER);

    private String problem(ControllerTrust trust) {
        return Placement.controllerProblem(
                cluster.state,
                trust,
                cluster.state.facts(PLUGIN),
                cluster.state.instance(key("n1", PluginType.MONOLITH)).orElseThrow());
    }

    private boolean callable(ControllerTrust trust) {
        boolean healthy = Placement.healthyController(cluster.state, trust, PLUGIN, PUBLISH);
        assertThat(Placement.offeringController(cluster.state, trust, PLUGIN, PUBLISH))
                .isEqualTo(healthy);
        return healthy;
    }

    @Test
    void controllerIsCalledIfItIsTrustedHealthyOfTheDriverAndOnAReadyNode() {
        assertThat(problem(ControllerTrust.everyNode())).isNull();
        assertThat(callable(ControllerTrust.everyNode())).isTrue();
        ControllerTrust none = (state, instance) -> false;
        assertThat(problem(none)).startsWith(" is not declared as a controller: declare its deployment");
        assertThat(callable(none)).isFalse();

        cluster.fingerprint("n1", cluster.instance("n1").health(false, "").build());
        assertThat(problem(ControllerTrust.everyNode())).isEqualTo(" is not healthy");
        assertThat(callable(ControllerTrust.everyNode())).isFalse();

        cluster.fingerprint(
                "n1", cluster.instance("n1").provider("other.example.com").build());
        assertThat(problem(ControllerTrust.everyNode()))
                .isEqualTo(" is driver other.example.com, and the plugin's volumes belong to driver csi.example.com");
        assertThat(callable(ControllerTrust.everyNode())).isFalse();

        cluster.fingerprint("n1", cluster.instance("n1").build());
        cluster.ok(new NodeCommand.SetNodeStatus(NODE, NodeStatus.DISCONNECTED, "", AT));
        assertThat(problem(ControllerTrust.everyNode())).isEqualTo(": the node is DISCONNECTED");
        assertThat(callable(ControllerTrust.everyNode())).isFalse();
    }

    /** A state of before the nodes were reported has instances on nodes that it does not know. */
    @Test
    void controllerOnUnknownNodeIsNotCalled() {
        PluginInstance elsewhere =
                cluster.instance(key("n9", PluginType.MONOLITH)).build();
        assertThat(Placement.controllerProblem(
                        cluster.state, ControllerTrust.everyNode(), cluster.state.facts(PLUGIN), elsewhere))
                .isEqualTo(": the node is not known");
    }

    /** An instance that has not reported its capabilities may have them, but does not offer them. */
    @ParameterizedTest
    @CsvSource({"PUBLISH_UNPUBLISH_VOLUME, true, true", "CREATE_DELETE_VOLUME, false, false", ", true, false"})
    void capabilitiesDecideWhetherControllerCanMakeCall(
            ControllerCapability capability, boolean healthy, boolean offering) {
        for (PluginType type : new PluginType[] {PluginType.CONTROLLER, PluginType.MONOLITH}) {
            Cluster other = Cluster.attaching();
            other.ok(new NodeCommand.UpsertNode(NODE, AT));
            PluginInstance.Builder instance = PluginInstance.builder(key("n1", type), AT);
            if (capability != null) {
                instance.capabilities(known ->
                        known.withServices(PluginService.CONTROLLER_SERVICE).withController(capability));
            }
            other.fingerprint("n1", instance.build());
            assertThat(Placement.healthyController(other.state, ControllerTrust.everyNode(), PLUGIN, PUBLISH))
                    .isEqualTo(healthy);
            assertThat(Placement.offeringController(other.state, ControllerTrust.everyNode(), PLUGIN, PUBLISH))
                    .isEqualTo(offering);
        }
    }

    private static InstanceKey in(String allocation) {
        return new InstanceKey(NODE, PLUGIN, PluginType.NODE, Optional.of(alloc(allocation)));
    }

    /** The names order the instances, so each of both is read first once. */
    @ParameterizedTest
    @CsvSource({"a, b", "b, a"})
    void instanceOfOtherDriverIsPreferredToNone(String right, String wrong) {
        cluster.allocation("a", "n1").allocation("b", "n1");
        PluginInstance own = cluster.instance(in(right))
                .health(false, "")
                .vendorVersion("1.1")
                .build();
        PluginInstance other = PluginInstance.builder(in(wrong), AT.plusSeconds(9))
                .provider("other.example.com")
                .health(false, "")
                .proved(true)
                .build();
        cluster.fingerprint(
                "n1",
                own.toBuilder().health(true, "").build(),
                other.toBuilder().health(true, "").build());
        assertThat(Placement.providerConflict(cluster.state, NODE, PLUGIN)).isTrue();
        assertThat(Placement.nodeInstance(cluster.state, NODE, PLUGIN).map(PluginInstance::key))
                .as("although it is older")
                .contains(own.key());

        cluster.fingerprint("n1", own, other);
        assertThat(Placement.nodeInstance(cluster.state, NODE, PLUGIN).map(PluginInstance::key))
                .contains(own.key());
        assertThat(Placement.providerConflict(cluster.state, NODE, PLUGIN))
                .as("the node's own instance is preferred, and neither is healthy")
                .isFalse();
        cluster.fingerprint("n1", other);
        assertThat(Placement.providerConflict(cluster.state, NODE, PLUGIN)).isTrue();
    }

    private long otherVolumes() {
        return Placement.facts(cluster.state, cluster.get("v"), NODE).otherVolumes();
    }

    private void reports(String externalNodeId, long maxVolumes) {
        cluster.fingerprint(
                "n1",
                cluster.instance("n1")
                        .nodeInfo(
                                new NodeInfo(ExternalNodeId.of(externalNodeId), maxVolumes, Optional.of(Cluster.ZONE)))
                        .build());
    }

    private void orphan(String volume, String externalNodeId) {
        cluster.ok(new AttachmentCommand.RecordOrphan(
                vol(volume),
                NODE,
                ExternalNodeId.of(externalNodeId),
                cluster.get(volume).modifyIndex(),
                AT));
    }

    @Test
    void volumesOfFormerMachineTakeNoSlotOfThePresentOne() {
        for (String volume : new String[] {"claimed", "attached", "later-claimed", "later-attached"}) {
            cluster.volume(volume, MULTI_NODE_MULTI_WRITER);
        }
        reports("ext-n1", 9);
        cluster.claim("a", "n1", "v", WRITE, MULTI_NODE_MULTI_WRITER);
        cluster.claim("b", "n1", "claimed", WRITE, MULTI_NODE_MULTI_WRITER);
        orphan("attached", "ext-n1");
        assertThat(otherVolumes()).as("without the volume itself").isEqualTo(2);
        reports("ext-new", 9);
        assertThat(otherVolumes()).isZero();
        cluster.claim("c", "n1", "later-claimed", WRITE, MULTI_NODE_MULTI_WRITER);
        assertThat(otherVolumes()).isEqualTo(1);
        orphan("later-attached", "ext-new");
        assertThat(otherVolumes()).isEqualTo(2);
        reports("ext-new", 0);
        assertThat(otherVolumes()).as("not counted without a limit").isZero();
    }

    /** Without a controller, only the claim says which machine has the volume. */
    @ParameterizedTest
    @EnumSource(
            value = PluginType.class,
            names = {"NODE", "MONOLITH"})
    void claimAloneTakesASlot(PluginType type) {
        Cluster bare = Cluster.withoutController();
        bare.ok(new NodeCommand.UpsertNode(NODE, AT));
        bare.volume("v", MULTI_NODE_MULTI_WRITER)
                .volume("w", MULTI_NODE_MULTI_WRITER)
                .volume("x", MULTI_NODE_MULTI_WRITER);
        PluginInstance.Builder instance = bare.instance(key("n1", type));
        bare.fingerprint(
                "n1",
                instance.nodeInfo(new NodeInfo(ExternalNodeId.of("ext-n1"), 5, Optional.of(Cluster.ZONE)))
                        .build());
        bare.claim("a", "n1", "w", WRITE, MULTI_NODE_MULTI_WRITER);
        bare.fingerprint(
                "n1",
                instance.nodeInfo(new NodeInfo(ExternalNodeId.of("ext-new"), 5, Optional.of(Cluster.ZONE)))
                        .build());
        bare.claim("b", "n1", "x", WRITE, MULTI_NODE_MULTI_WRITER);
        assertThat(Placement.facts(bare.state, bare.get("v"), NODE).otherVolumes())
                .isEqualTo(1);
    }
}
