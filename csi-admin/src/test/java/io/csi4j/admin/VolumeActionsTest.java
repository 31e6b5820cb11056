package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.csi4j.admin.ActionRig.Answer;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.Volume;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.fault.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The actions on volumes, snapshots and claims, with a real engine and a strict plugin. */
class VolumeActionsTest {
    private static final VolumeKey DB = VolumeKey.of("default", "db");

    private static Volume volume(ActionRig rig, VolumeKey key) {
        return rig.cluster.state().volume(key).orElseThrow();
    }

    private static boolean exists(ActionRig rig, VolumeKey key) {
        return rig.cluster.state().volume(key).isPresent();
    }

    @Test
    void volumeIsCreatedWithAllFieldsOfItsSpecification() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            String body = rig.spec("""
                    ,"mountOptions":{"fsType":"ext4","mountFlags":["noatime","s3cret-flag"],"volumeMountGroup":"7",\
                    "groupChangePolicy":"ROOT_ONLY","rootOwner":1000},\
                    "fencingPolicy":{"policy":"AFTER_GRACE","grace":90.5},"sharedWith":["web"],\
                    "accessibilityRequirements":{"requisite":[{"segments":{"topology.csi4j.io/zone":"zone-1"}}]},\
                    "storedSecrets":{"password":"s3cret-stored"},"secrets":{"token":"s3cret-call"}""");
            Answer created = rig.ok("PUT", ActionRig.DB, body);
            assertThat(created.text("phase")).isEqualTo("AVAILABLE");
            assertThat(created.text("externalVolumeId"))
                    .isEqualTo(volume(rig, DB).remoteId().value());
            assertThat(created.json().get("capacityBytes").getAsLong()).isEqualTo(1 << 20);
            assertThat(created.response().body()).doesNotContain("s3cret");
            var spec = volume(rig, DB).spec();
            assertThat(spec.secrets()).isEqualTo(Secrets.of(Map.of("password", "s3cret-stored")));
            assertThat(spec.mountOptions().mountFlags().asList()).containsExactly("noatime", "s3cret-flag");
            assertThat(spec.mountOptions().volumeMountGroup()).isEqualTo("7");
            assertThat(spec.mountOptions().ownership())
                    .isEqualTo(new OwnershipOptions(GroupChangePolicy.ROOT_ONLY, OptionalLong.of(1000)));
            assertThat(spec.declaredFencingPolicy().orElseThrow()).hasToString("AfterGrace[grace=PT1M30.5S]");
            assertThat(spec.sharedWith()).hasToString("[web]");
            assertThat(spec.accessibilityRequirements().orElseThrow().requisite())
                    .hasSize(1);
            // The secrets of the request went to the plugin, in place of the stored ones.
            assertThat(rig.cluster.node("n1").plugin().secretsOfCalls())
                    .anyMatch(text -> text.contains("s3cret-call"))
                    .noneMatch(text -> text.contains("s3cret-stored"));
            assertThat(rig.send("GET", "/v1/operations/" + created.header("csi-operation"), "")
                            .response()
                            .body())
                    .contains("\"DONE\"")
                    .doesNotContain("s3cret");
        }
    }

    @Test
    void dryRunChecksSpecificationAndChangesNothing() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer checked = rig.ok("PUT", ActionRig.DB + "?dryRun", rig.spec(""));
            assertThat(checked.json().has("phase")).isFalse();
            assertThat(exists(rig, DB)).isFalse();
            Answer refused = rig.send(
                    "PUT",
                    ActionRig.DB + "?dryRun",
                    rig.spec(",\"storedSecrets\":{\"a b\":\"s3cret\"},\"mountOptions\":{\"fsType\":\"" + "x".repeat(200)
                            + "\"}"));
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.response().body())
                    .contains("\"field\":\"mountOptions.fsType\"", "\"field\":\"storedSecrets")
                    .doesNotContain("s3cret\"");
        }
    }

    @Test
    void eachFieldThatIsWrongIsNamedWithItsRemedy() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            for (List<String> wrong : List.of(
                    List.of(
                            "\"capacityRange\":{\"requiredBytes\":5,\"limitBytes\":4}",
                            "capacityRange",
                            "limitBytes 4"),
                    List.of(
                            "\"capacityRange\":{\"requiredBytes\":\"5\"}",
                            "capacityRange.requiredBytes",
                            "is not a number"),
                    List.of("\"fencingPolicy\":{\"policy\":\"AFTER_GRACE\"}", "fencingPolicy.grace", "is missing"),
                    List.of("\"fencingPolicy\":{\"policy\":\"NEVER\"}", "fencingPolicy.policy", "use one of WAIT_FOR"),
                    List.of("\"contentSource\":{}", "contentSource", "give snapshotId or volumeId"),
                    List.of(
                            "\"accessibilityRequirements\":{\"preferred\":[{\"segments\":{\"!\":\"x\"}}]}",
                            "accessibilityRequirements.preferred",
                            "R24"),
                    List.of("\"sharedWith\":[\"a b\\u0000\"]", "sharedWith", "cannot be read"),
                    List.of(
                            "\"requestedCapabilities\":[{\"accessMode\":\"UNKNOWN\"}]",
                            "requestedCapabilities[0].accessMode",
                            "use one of SINGLE"))) {
                String body = wrong.get(0).contains("requestedCapabilities")
                        ? "{\"plugin\":\"p\"," + wrong.get(0) + "}"
                        : "{\"plugin\":\"p\",\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}],"
                                + wrong.get(0) + "}";
                Answer answer = rig.send("PUT", ActionRig.DB, body);
                assertThat(answer.status()).as(body).isEqualTo(400);
                assertThat(answer.response().body())
                        .as(body)
                        .contains("\"field\":\"" + wrong.get(1), wrong.get(2), "\"remedy\":");
            }
            assertThat(rig.send("GET", "/v1/operations", "").response().body()).contains("\"items\":[]");
        }
    }

    @Test
    void volumeIsExpandedModifiedDetachedAndDeleted() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            assertThat(rig.ok("PUT", ActionRig.DB, rig.spec("")).text("phase")).isEqualTo("AVAILABLE");
            Answer conflict =
                    rig.send("PUT", ActionRig.DB, rig.spec(",\"storedSecrets\":{\"a\":\"s3cret\"},\"name\":\"other\""));
            assertThat(conflict.status()).isEqualTo(409);
            assertThat(conflict.response().body())
                    .contains("\"field\":\"name\"", "\"remedy\":")
                    .doesNotContain("s3cret");
            Answer unknown = rig.send("PUT", ActionRig.DB + "-2", rig.spec("").replace("\"fake\"", "\"none\""));
            assertThat(unknown.status()).isEqualTo(422);
            assertThat(unknown.response().body()).contains("\"field\":\"plugin\"", "no node has reported");
            FakeAllocation user = rig.cluster.startAllocation("web-1", "n1", DB);
            assertThat(rig.cluster.runUntil(user::hasMountedAll)).isTrue();
            Answer expanded = rig.ok("POST", ActionRig.DB + "/expand", "{\"requiredBytes\":2097152}");
            assertThat(expanded.response().body())
                    .contains("\"capacityBytes\":2097152", "\"allocation\":\"web-1\",\"node\":\"n1\"");
            Answer modified = rig.ok("POST", ActionRig.DB + "/modify", "{\"mutableParameters\":{\"iops\":\"500\"}}");
            assertThat(modified.response().body()).doesNotContain("s3cret");
            assertThat(volume(rig, DB).spec().mutableParameters()).containsEntry("iops", "500");
            Answer held = rig.ok("POST", ActionRig.DB + "/attachments/n1/detach", "");
            assertThat(held.json().get("detached").getAsBoolean()).isFalse();
            assertThat(held.response().body()).contains("\"held\":[\"web-1\"]");
            assertThat(rig.send("DELETE", ActionRig.DB, "").status()).isEqualTo(409);
            Fault busy = rig.cluster
                    .node("n1")
                    .plugin()
                    .onCall(Rpc.CONTROLLER_UNPUBLISH_VOLUME)
                    .failWith(StatusCode.FAILED_PRECONDITION, "the bus is busy");
            user.end();
            Answer left = rig.ok("POST", ActionRig.DB + "/attachments/n1/detach?wait=20", "");
            assertThat(left.json().get("detached").getAsBoolean()).isFalse();
            JsonObject failure = left.json().getAsJsonArray("failures").get(0).getAsJsonObject();
            assertThat(failure.get("text").getAsString()).contains("the bus is busy");
            assertThat(failure.get("node").getAsString()).isEqualTo("n1");
            assertThat(rig.ok("GET", "/v1/failed-calls?node=n1&namespace=default", "")
                            .response()
                            .body())
                    .contains("\"rpc\":\"CONTROLLER_UNPUBLISH_VOLUME\"", "\"volume\":\"db\"", "the bus is busy");
            assertThat(rig.ok("GET", "/v1/failed-calls?rpc=CREATE_VOLUME", "")
                            .json()
                            .getAsJsonArray("items"))
                    .isEmpty();
            busy.remove();
            assertThat(rig.ok("POST", ActionRig.DB + "/attachments/n1/detach?wait=20", "")
                            .json()
                            .get("detached")
                            .getAsBoolean())
                    .isTrue();
            rig.ok("POST", ActionRig.DB + "/recheck", "");
            rig.ok("DELETE", ActionRig.DB, "{\"secrets\":{\"token\":\"t\"}}");
            assertThat(exists(rig, DB)).isFalse();
            Answer absent = rig.send("DELETE", ActionRig.DB, "");
            assertThat(absent.status()).isEqualTo(404);
            assertThat(absent.text("type")).isEqualTo("urn:csi4j:problem:not-found");
        }
    }

    @Test
    void volumeIsDeregisteredAndRegisteredAgain() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            String id = rig.ok("PUT", ActionRig.DB, rig.spec("")).text("externalVolumeId");
            rig.ok("DELETE", ActionRig.DB + "/registration", "");
            assertThat(exists(rig, DB)).isFalse();
            String fields = ",\"externalVolumeId\":\"" + id + "\",\"secrets\":{\"a\":\"b\"}";
            assertThat(rig.ok("PUT", ActionRig.DB + "/registration?dryRun", rig.spec(fields))
                            .text("externalVolumeId"))
                    .isEqualTo(id);
            assertThat(exists(rig, DB)).isFalse();
            assertThat(rig.ok("PUT", ActionRig.DB + "/registration", rig.spec(fields))
                            .text("origin"))
                    .isEqualTo("REGISTERED");
            rig.ok("PUT", ActionRig.DB + "/registration", rig.spec(fields + ",\"sharedWith\":[\"web\"]"));
            assertThat(volume(rig, DB).spec().sharedWith()).hasToString("[web]");
        }
    }

    @Test
    void snapshotsAreMadeRestoredAndDeleted() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            rig.ok("PUT", "/v1/volumes/default/log", rig.spec(""));
            String plugins = "/v1/plugins/" + rig.cluster.plugin() + "/";
            String snapshot = rig.ok("POST", ActionRig.DB + "/snapshots", "{\"name\":\"s1\",\"secrets\":{\"a\":\"b\"}}")
                    .text("snapshotId");
            assertThat(rig.ok("POST", ActionRig.DB + "/snapshots", "{\"name\":\"s1\"}")
                            .text("snapshotId"))
                    .isEqualTo(snapshot);
            rig.ok("POST", "/v1/volumes/default/copy/restore", rig.spec(",\"snapshotId\":\"" + snapshot + "\""));
            assertThat(volume(rig, VolumeKey.of("default", "copy"))
                            .spec()
                            .contentSource()
                            .orElseThrow()
                            .toString())
                    .contains(snapshot);
            rig.ok("DELETE", plugins + "snapshots/" + snapshot, "");
            assertThat(rig.cluster.storage().snapshotIds()).isEmpty();
            Answer group = rig.ok(
                    "POST", "/v1/group-snapshots", "{\"name\":\"g1\",\"volumes\":[\"default/db\",\"default/log\"]}");
            var members = group.json().getAsJsonArray("snapshots");
            assertThat(members).hasSize(2);
            StringBuilder query = new StringBuilder("?");
            members.forEach(member -> query.append("&member=")
                    .append(member.getAsJsonObject().get("snapshotId").getAsString()));
            rig.ok("DELETE", plugins + "group-snapshots/" + group.text("groupSnapshotId") + query, "");
            assertThat(rig.cluster.storage().snapshotIds()).isEmpty();
            assertThat(rig.send("POST", "/v1/group-snapshots", "{\"name\":\"g\",\"volumes\":[]}")
                            .response()
                            .body())
                    .contains("\"field\":\"volumes\"", "name at least one volume");
        }
    }

    @Test
    void claimIsRequestedReleasedAndWithdrawn() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            var cluster = rig.cluster.lifecycle().cluster();
            rig.cluster.await(cluster.allocationStarted(
                    io.csi4j.core.id.AllocationId.of("a1"), DB.namespace(), io.csi4j.core.id.NodeId.of("n1")));
            String body = "{\"volumes\":[{\"namespace\":\"default\",\"volume\":\"db\",\"mode\":\"WRITE\","
                    + "\"accessMode\":\"SINGLE_NODE_WRITER\",\"mountOptions\":{\"fsType\":\"ext4\"}}]}";
            rig.ok("POST", "/v1/allocations/a1/claims", body);
            assertThat(rig.cluster.runUntil(() -> volume(rig, DB).claims().size() == 1))
                    .isTrue();
            long taken = volume(rig, DB).claims().iterator().next().takenIndex();
            rig.ok("DELETE", ActionRig.DB + "/claims/a1?takenIndex=" + (taken + 1), "");
            assertThat(volume(rig, DB).claims().iterator().next().state()).isEqualTo(ClaimState.TAKEN);
            rig.ok("DELETE", ActionRig.DB + "/claims/a1?running&takenIndex=" + taken, "");
            assertThat(rig.cluster.runUntil(() -> volume(rig, DB).claims().isEmpty()))
                    .isTrue();
            rig.ok("POST", "/v1/allocations/a1/claims", body);
            assertThat(rig.cluster.runUntil(() -> volume(rig, DB).claims().size() == 1))
                    .isTrue();
            rig.ok("DELETE", "/v1/allocations/a1/claims?running", "");
            assertThat(rig.cluster.runUntil(() -> volume(rig, DB).claims().isEmpty()))
                    .isTrue();
            assertThat(rig.send("POST", "/v1/allocations/none/claims", body).status())
                    .isEqualTo(404);
            assertThat(rig.send("POST", "/v1/allocations/a1/claims", "{\"volumes\":[]}")
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void creationThatHangsIsPreviewedWithdrawnAndForgotten() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeCsiPlugin plugin = rig.cluster.addNode("n1").plugin();
            Fault hang = plugin.onCall(Rpc.CREATE_VOLUME).hang();
            Answer running = rig.send("PUT", ActionRig.DB + "?wait=0", rig.spec(""));
            assertThat(running.status()).isEqualTo(202);
            hang.awaitUse(1, Duration.ofSeconds(20));
            String withdraw = ActionRig.DB + "/withdraw-creation";
            Answer preview = rig.ok("POST", withdraw + "?dryRun", "{\"reason\":\"it hangs\"}");
            assertThat(preview.json().get("stored").getAsBoolean()).isFalse();
            assertThat(preview.json().get("certain").getAsBoolean()).isFalse();
            assertThat(exists(rig, DB)).isTrue();
            assertThat(rig.send("POST", withdraw, "{\"reason\":\" \"}")
                            .response()
                            .body())
                    .contains("\"field\":\"reason\"", "is empty");
            Answer withdrawn = rig.ok("POST", withdraw, "{\"reason\":\"it hangs\"}");
            assertThat(withdrawn.json().getAsJsonObject("record").get("name"))
                    .isEqualTo(preview.json().getAsJsonObject("record").get("name"));
            assertThat(exists(rig, DB)).isFalse();
            hang.remove(); // The operation ends with the call that is in flight.
            Answer ended = rig.ok("GET", running.header("location") + "?wait=20", "");
            assertThat(ended.text("state")).isEqualTo("FAILED");
            JsonObject problem = ended.json().getAsJsonObject("problem");
            assertThat(problem.get("detail").getAsString())
                    .contains("was removed from the state while it was being created");
            assertThat(problem.get("type").getAsString()).isEqualTo("urn:csi4j:problem:removed");
            assertThat(problem.get("status").getAsInt()).isEqualTo(409);
            String record = "/v1/plugins/" + rig.cluster.plugin() + "/withdrawn-creations/"
                    + withdrawn.json().getAsJsonObject("record").get("name").getAsString() + "/forget";
            rig.ok("POST", record + "?dryRun", "{\"reason\":\"looked\"}");
            assertThat(rig.cluster.state().withdrawnCreations()).hasSize(1);
            rig.ok("POST", record, "{\"reason\":\"looked\"}");
            assertThat(rig.cluster.state().withdrawnCreations()).isEmpty();
            assertThat(rig.send("POST", record + "?dryRun", "{\"reason\":\"looked\"}")
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void deletionAndExpansionAreTakenBack() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeCsiPlugin plugin = rig.cluster.addNode("n1").plugin();
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            Fault failing = plugin.onCall(Rpc.CONTROLLER_EXPAND_VOLUME).failWith(StatusCode.UNAVAILABLE);
            assertThat(rig.send("POST", ActionRig.DB + "/expand?wait=0", "{\"requiredBytes\":2097152}")
                            .status())
                    .isEqualTo(202);
            failing.awaitUse(1, Duration.ofSeconds(20));
            rig.ok("POST", ActionRig.DB + "/withdraw-expansion?wait=20", "");
            assertThat(volume(rig, DB).expansion()).isEmpty();
            Fault deletion = plugin.onCall(Rpc.DELETE_VOLUME).failWith(StatusCode.UNAVAILABLE);
            assertThat(rig.send("DELETE", ActionRig.DB + "?wait=0", "").status())
                    .isEqualTo(202);
            deletion.awaitUse(1, Duration.ofSeconds(20));
            assertThat(rig.ok("POST", ActionRig.DB + "/withdraw-deletion?wait=20", "")
                            .text("phase"))
                    .isEqualTo("AVAILABLE");
        }
    }

    @Test
    void volumeInUseIsForgottenAndItsLeftoverOverridden() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1");
            rig.cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            String id = volume(rig, DB).remoteId().value();
            FakeAllocation user = rig.cluster.startAllocation("web-1", "n1", DB);
            assertThat(rig.cluster.runUntil(user::hasMountedAll)).isTrue();
            String forget = ActionRig.DB + "/forget";
            assertThat(rig.ok("POST", forget + "?dryRun", "{\"reason\":\"r\"}")
                            .response()
                            .body())
                    .contains("\"stored\":false", "\"allocation\":\"web-1\"", "\"node\":\"n1\"");
            assertThat(rig.send("POST", forget, "{\"reason\":\"r\"}").status()).isEqualTo(409);
            rig.cluster.node("n1").disconnect();
            rig.cluster.await(rig.cluster.lifecycle().cluster().allocationEnded(user.id()));
            assertThat(rig.ok("POST", forget, "{\"reason\":\"r\"}").response().body())
                    .contains("\"stored\":true", "\"allocation\":\"web-1\"");
            assertThat(exists(rig, DB)).isFalse();
            String leftover = "/v1/plugins/" + rig.cluster.plugin() + "/leftovers/" + id + "/override";
            assertThat(rig.ok("POST", leftover + "?dryRun", "{\"reason\":\"r\"}")
                            .response()
                            .body())
                    .contains("\"stored\":false", "\"allocation\":\"web-1\"");
            assertThat(rig.cluster.state().leftovers()).hasSize(1);
            assertThat(rig.ok("POST", leftover, "{\"reason\":\"r\"}").response().body())
                    .contains("\"stored\":true", "\"allocation\":\"web-1\"");
            assertThat(rig.cluster.state().leftovers()).isEmpty();
            assertThat(rig.send("POST", leftover, "{\"reason\":\"r\"}").status())
                    .isEqualTo(422);
        }
    }

    @Test
    void pluginThatCannotExpandIsNamedAsTheCause() throws Exception {
        try (ActionRig rig = new ActionRig(
                builder -> builder.plugin(
                        io.csi4j.core.id.PluginId.of("small"),
                        (plugin, node) -> plugin.without(
                                FakeCapability.CONTROLLER_EXPAND_VOLUME,
                                FakeCapability.NODE_EXPAND_VOLUME,
                                FakeCapability.ONLINE_EXPANSION)),
                builder -> builder)) {
            rig.cluster.addNode("n1");
            String path = "/v1/volumes/default/s";
            rig.ok("PUT", path, rig.spec("").replace(rig.cluster.plugin().value(), "small"));
            Answer refused = rig.send("POST", path + "/expand", "{\"requiredBytes\":2097152}");
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.text("detail")).contains("EXPAND_VOLUME");
        }
    }
}
