package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.csi4j.admin.ActionRig.Answer;
import io.csi4j.client.CsiClient;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.fault.Fault;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The actions on nodes, plugins, deployments and the server. */
class NodeActionsTest {
    private static final VolumeKey DB = VolumeKey.of("default", "db");
    private static final String REASON = "{\"reason\":\"power cut\"}";

    private static NodeStatus status(ActionRig rig, String node) {
        return rig.cluster.state().node(NodeId.of(node)).orElseThrow().status();
    }

    private static Volume volume(ActionRig rig) {
        return rig.cluster.state().volume(DB).orElseThrow();
    }

    /** A volume that is mounted on node n1, which then loses its power. */
    private static FakeAllocation lostMount(ActionRig rig) {
        rig.cluster.addNode("n1");
        rig.cluster.addNode("n2");
        rig.cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        FakeAllocation user = rig.cluster.startAllocation("web-1", "n1", DB);
        assertThat(rig.cluster.runUntil(user::hasMountedAll)).isTrue();
        rig.cluster.node("n1").crash();
        return user;
    }

    @Test
    void reportsAboutNodeAreStored() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.ok("POST", "/v1/nodes/n9/ready", "");
            assertThat(status(rig, "n9")).isEqualTo(NodeStatus.READY);
            rig.ok("POST", "/v1/nodes/n9/disconnected", REASON);
            assertThat(status(rig, "n9")).isEqualTo(NodeStatus.DISCONNECTED);
            rig.ok("POST", "/v1/nodes/n9/down", REASON);
            assertThat(status(rig, "n9")).isEqualTo(NodeStatus.DOWN);
            rig.ok("POST", "/v1/nodes/n9/fenced", REASON);
            assertThat(status(rig, "n9")).isEqualTo(NodeStatus.FENCED);
            assertThat(rig.ok("POST", "/v1/nodes/n9/gone", REASON).response().body())
                    .contains("\"stored\":true")
                    .doesNotContain("note");
            assertThat(rig.cluster.state().node(NodeId.of("n9"))).isEmpty();
            assertThat(rig.ok("POST", "/v1/nodes/n9/gone", REASON).response().body())
                    .as("a node that is not there any more, or never was")
                    .contains("\"stored\":false", "node n9 is not known: nothing was changed");
            assertThat(rig.send("POST", "/v1/nodes/n9/fenced", REASON).text("detail"))
                    .contains("node n9 is not known; the host has to report it first");
            rig.ok("POST", "/v1/nodes/n8/ready", "");
            rig.ok("POST", "/v1/nodes/n8/fenced", "");
            rig.ok("POST", "/v1/state/restored", REASON);
            assertThat(status(rig, "n8")).isEqualTo(NodeStatus.DOWN);
        }
    }

    @Test
    void lossOfTheStorageOfANodeIsPreviewedAndStored() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.cluster.addNode("n2", "zone-2");
            rig.cluster.createVolume(
                    VolumeKey.of("default", "local"),
                    VolumeSpec.builder(rig.cluster.plugin())
                            .requestedCapabilities(
                                    List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                            .accessibilityRequirements(
                                    TopologyRequirement.requisite(Topology.of("topology.csi4j.io/zone", "zone-1")))
                            .build());
            String path = "/v1/nodes/n1/storage-lost";
            String body = "{\"plugin\":\"" + rig.cluster.plugin().value()
                    + "\",\"segments\":{\"topology.csi4j.io/zone\":\"zone-1\"},\"reason\":\"burned\"";
            assertThat(rig.send("POST", path, body + "}").status())
                    .as("the node is READY")
                    .isGreaterThanOrEqualTo(400);
            rig.cluster.node("n1").crash();
            rig.ok("POST", "/v1/nodes/n1/gone", "{\"reason\":\"burned\"}");
            JsonObject kept = rig.ok("POST", path, body + "}").json();
            assertThat(kept.getAsJsonArray("ended")).isEmpty();
            assertThat(kept.getAsJsonArray("kept").get(0).toString()).contains("local", "name it to end it");
            String named = body + ",\"namespace\":\"default\",\"volumes\":[\"local\"]";
            JsonObject preview =
                    rig.ok("POST", path + "?dryRun=true", named + "}").json();
            assertThat(preview.get("stored").getAsBoolean()).isFalse();
            assertThat(preview.getAsJsonArray("ended").get(0).toString()).contains("local");
            assertThat(rig.cluster.state().volume(VolumeKey.of("default", "local")))
                    .isPresent();
            assertThat(rig.ok("POST", path, named + "}").json().get("stored").getAsBoolean())
                    .isTrue();
            assertThat(rig.cluster.state().volume(VolumeKey.of("default", "local")))
                    .isEmpty();
        }
    }

    @Test
    void statementAboutNodeIsStoredOnlyIfItsEffectIsThatOfThePreview() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            lostMount(rig);
            String override = "/v1/nodes/n1/override";
            Answer preview = rig.ok("POST", override + "?dryRun", "{\"reason\":\"r\",\"statement\":\"UNMOUNTED\"}");
            assertThat(preview.json().get("stored").getAsBoolean()).isFalse();
            assertThat(preview.response().body())
                    .contains("\"volume\":\"db\",\"allocation\":\"web-1\"", "\"allocationEnded\":false");
            Answer other = rig.send(
                    "POST",
                    override,
                    "{\"reason\":\"r\",\"statement\":\"UNMOUNTED\",\"preview\":\"0000000000000000\"}");
            assertThat(other.status()).isEqualTo(409);
            assertThat(other.text("type")).isEqualTo("urn:csi4j:problem:preview-outdated");
            assertThat(volume(rig).claims().iterator().next().operatorOverride())
                    .isEmpty();
            Answer stored = rig.ok(
                    "POST",
                    override,
                    "{\"reason\":\"r\",\"statement\":\"UNMOUNTED\",\"preview\":\"" + preview.text("preview") + "\"}");
            assertThat(stored.json().get("stored").getAsBoolean()).isTrue();
            assertThat(rig.cluster.runUntil(() -> volume(rig).claims().isEmpty()))
                    .as("%s", volume(rig))
                    .isTrue();
            assertThat(rig.send("POST", "/v1/nodes/n7/override", "{\"reason\":\"r\",\"statement\":\"DETACHED\"}")
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void statementsAboutClaimAndAttachmentFreeTheVolume() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeAllocation user = lostMount(rig);
            rig.cluster.await(rig.cluster.lifecycle().cluster().allocationEnded(user.id()));
            // The provider does not answer about the detachment.
            Fault hang = rig.cluster
                    .node("n2")
                    .plugin()
                    .onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME)
                    .hang();
            String claim = ActionRig.DB + "/claims/web-1/override";
            Answer preview = rig.ok("POST", claim + "?dryRun", REASON);
            assertThat(preview.response().body()).contains("\"allocationEnded\":true", "\"attachments\":[]");
            assertThat(volume(rig).claims().size()).isEqualTo(1);
            assertThat(rig.send("POST", ActionRig.DB + "/claims/none/override?dryRun", REASON)
                            .status())
                    .isEqualTo(404);
            rig.ok("POST", claim, REASON);
            hang.awaitUse(1, Duration.ofSeconds(20));
            String attachment = ActionRig.DB + "/attachments/n1/override";
            Answer effect = rig.ok("POST", attachment + "?dryRun", REASON);
            assertThat(effect.response().body()).contains("\"claims\":[]", "\"state\":\"UNPUBLISHING\"");
            Answer stored =
                    rig.ok("POST", attachment, "{\"reason\":\"r\",\"preview\":\"" + effect.text("preview") + "\"}");
            assertThat(stored.json().getAsJsonObject("effect").getAsJsonArray("attachments"))
                    .hasSize(1);
            hang.remove();
            assertThat(rig.cluster.runUntil(() -> volume(rig).attachments().isEmpty()
                            && volume(rig).claims().isEmpty()))
                    .isTrue();
        }
    }

    @Test
    void orderToForgetUnmountReachesTheNode() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            lostMount(rig);
            String path = "/v1/nodes/n1/volumes/default/db/web-1/forget-unmount";
            Answer refused = rig.send("POST", path, REASON);
            // The nodes of this cluster have no such order; the refusal is that of the node.
            assertThat(refused.status()).as(refused.response().body()).isGreaterThan(400);
            assertThat(rig.send("POST", path.replace("n1", "n7"), REASON).status())
                    .isEqualTo(404);
        }
    }

    @Test
    void pluginIsReconciledNamedAndDeleted() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeCsiPlugin driver = rig.cluster.node("n1").plugin();
            String plugin = "/v1/plugins/" + rig.cluster.plugin();
            String id = volume(rig).remoteId().value();
            rig.ok("POST", plugin + "/wait", "{\"limit\":20}");
            assertThat(rig.ok("POST", plugin + "/reconcile?dryRun", "").json().getAsJsonArray("drifts"))
                    .isEmpty();
            try (CsiClient client = CsiClient.connect(driver.endpoint())) {
                client.controller()
                        .controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                                        volume(rig).remoteId(),
                                        ExternalNodeId.of(driver.nodeId()),
                                        VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                                .volumeContext(volume(rig).volumeContext())
                                .build())
                        .get(20, TimeUnit.SECONDS);
            }
            Answer drifts = rig.ok("POST", plugin + "/reconcile?dryRun", "");
            assertThat(drifts.response().body())
                    .contains("ATTACHED_BUT_NOT_WANTED", id, driver.nodeId())
                    .doesNotContain("\"repair\"");
            assertThat(rig.cluster.storage().attachedNodes(id)).hasSize(1);
            assertThat(rig.ok("POST", plugin + "/reconcile?wait=20", "")
                            .response()
                            .body())
                    .contains("\"repair\":");
            assertThat(rig.cluster.runUntil(
                            () -> rig.cluster.storage().attachedNodes(id).isEmpty()))
                    .isTrue();
            String provider = rig.cluster
                    .state()
                    .facts(rig.cluster.plugin())
                    .orElseThrow()
                    .provider()
                    .orElseThrow();
            rig.ok("PUT", plugin + "/provider", "{\"reason\":\"r\",\"provider\":\"" + provider + "\"}");
            assertThat(rig.send("PUT", "/v1/plugins/none/provider", "{\"reason\":\"r\",\"provider\":\"p\"}")
                            .status())
                    .isEqualTo(422);
            assertThat(rig.send("DELETE", plugin, "").status()).isEqualTo(409);
            rig.ok("DELETE", "/v1/plugins/none", "");
        }
    }

    @Test
    void orphanIsAdoptedOrDeleted() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.cluster.storage().provision("stray-1", 1 << 20);
            rig.cluster.storage().provision("stray-2", 1 << 20);
            String orphans = "/v1/plugins/" + rig.cluster.plugin() + "/orphans/";
            String fields = "{\"namespace\":\"default\",\"volume\":\"VOLUME\","
                    + "\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}]}";
            Answer adopted = rig.ok("POST", orphans + "stray-1/adopt", fields.replace("VOLUME", "db"));
            assertThat(adopted.text("externalVolumeId")).isEqualTo("stray-1");
            assertThat(volume(rig).remoteId().value()).isEqualTo("stray-1");
            Answer refused = rig.send("POST", orphans + "stray-1/delete", fields.replace("VOLUME", "gone"));
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text("type")).isEqualTo("urn:csi4j:problem:not-an-orphan");
            rig.ok("POST", orphans + "stray-2/delete?wait=20", fields.replace("VOLUME", "gone"));
            assertThat(rig.cluster.storage().volumeIds()).containsExactly("stray-1");
            assertThat(rig.cluster.state().volume(VolumeKey.of("default", "gone")))
                    .isEmpty();
        }
    }

    @Test
    void deploymentIsDeclaredAndRemoved() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            String path = "/v1/deployments/infra/csi";
            rig.ok("PUT", path, "{\"plugins\":[{\"plugin\":\"disk\",\"controllers\":1,\"nodes\":3}]}");
            DeploymentId id = DeploymentId.of("infra", "csi");
            assertThat(rig.cluster.state().deployment(id).orElseThrow().expectedOf(PluginId.of("disk")))
                    .hasToString("ExpectedInstances[controllers=1, nodes=3]");
            Answer refused = rig.send("PUT", path, "{\"plugins\":[{\"plugin\":\"disk\",\"nodes\":-1}]}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.response().body()).contains("\"field\":\"plugins[0]\"", "must not be negative");
            assertThat(rig.send("PUT", path, "{\"plugins\":[{\"plugin\":\"disk\",\"nodes\":5000000000}]}")
                            .response()
                            .body())
                    .contains("\"field\":\"plugins[0].nodes\"");
            rig.ok("DELETE", path, "");
            assertThat(rig.cluster.state().deployment(id)).isEmpty();
        }
    }

    @Test
    void snapshotOfTheLogNeedsTheLog() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer answer = rig.send("POST", "/v1/log/snapshot", "");
            assertThat(answer.status()).isEqualTo(501);
            assertThat(answer.text("detail")).contains("AdminServer.Builder.log");
        }
    }
}
