package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.admin.ActionRig.Answer;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.core.volume.WorkloadOwner;
import io.csi4j.testkit.fault.Fault;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volumes that come with their workload, over HTTP, with a real engine and a strict plugin. */
class OwnerActionsTest {
    private static final VolumeKey DB = VolumeKey.of("default", "db");
    private static final WorkloadOwner WEB = WorkloadOwner.of("web", 3);
    private static final String END = "/v1/workloads/default/web/3/end";

    private static ActionRig rig(ReclaimPolicy reclaim) throws Exception {
        ActionRig rig = new ActionRig();
        rig.cluster.addNode("n1");
        rig.ok(
                "PUT",
                "/v1/classes/fast",
                "{\"plugin\":\"" + rig.cluster.plugin().value() + "\",\"reclaim\":\"" + reclaim
                        + "\",\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}],"
                        + "\"defaultCapacity\":{\"requiredBytes\":1048576}}");
        return rig;
    }

    private static VolumeTemplate.Builder template() {
        return VolumeTemplate.builder(VolumeClassName.of("fast"))
                .capacityRange(CapacityRange.atLeast(2 << 20))
                .ofWorkload(WEB);
    }

    /** Requests volume default/db for an allocation. */
    private static void request(ActionRig rig, String allocation, VolumeTemplate template) {
        AllocationId id = AllocationId.of(allocation);
        var lifecycle = rig.cluster.lifecycle();
        rig.cluster.await(lifecycle.cluster().allocationStarted(id, DB.namespace(), NodeId.of("n1")));
        rig.cluster.await(lifecycle
                .claims()
                .request(id, List.of(ClaimRequest.writing(DB, AdminRig.WRITER).madeFrom(template))));
    }

    /** Lets an allocation claim the volume and end. */
    private static void used(ActionRig rig) {
        request(rig, "web-1", template().build());
        assertThat(rig.cluster.runUntil(
                        () -> db(rig).filter(one -> one.claims().size() == 1).isPresent()))
                .isTrue();
        rig.cluster.await(rig.cluster.lifecycle().cluster().allocationEnded(AllocationId.of("web-1")));
        assertThat(rig.cluster.runUntil(() -> db(rig).filter(one -> one.inUse()).isEmpty()))
                .isTrue();
    }

    private static Optional<Volume> db(ActionRig rig) {
        return rig.cluster.state().volume(DB);
    }

    private static List<String> listed(ActionRig rig, String query) throws Exception {
        return rig.ok("GET", "/v1/volumes?" + query, "").json().getAsJsonArray("items").asList().stream()
                .map(item -> item.getAsJsonObject().get("volume").getAsString())
                .toList();
    }

    /** Returns a page of the console as text. */
    private static String page(ActionRig rig, String path) throws Exception {
        return rig.http
                .send(
                        HttpRequest.newBuilder(rig.admin.uri().resolve(path)).build(),
                        HttpResponse.BodyHandlers.ofString())
                .body()
                .replaceAll("<[^>]*>", " ")
                .replaceAll("\\s+", " ");
    }

    @Test
    void waitingClaimShowsItsTemplateAndTheVolumeItsFirstClaim() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.DELETE)) {
            Fault hang =
                    rig.cluster.node("n1").plugin().onCall(Rpc.CREATE_VOLUME).hang();
            request(rig, "web-1", template().reuseRetained(true).build());
            hang.awaitUse(1, Duration.ofSeconds(20));
            for (String path : List.of("/v1/waiting-claims", "/v1/allocations/web-1", ActionRig.DB)) {
                JsonObject answer = rig.ok("GET", path, "").json();
                JsonElement waiting = answer.has("items") ? answer.get("items") : answer.get("waiting");
                JsonObject template = waiting.getAsJsonArray()
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonArray("requests")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonObject("template");
                assertThat(template.toString())
                        .as(path)
                        .contains(
                                "\"class\":\"fast\"",
                                "\"capacityRange\":{\"requiredBytes\":2097152,\"limitBytes\":0}",
                                "\"lifetime\":\"WORKLOAD\",\"workload\":\"web\",\"incarnation\":3",
                                "\"reuseRetained\":true,\"nodeTopologyOnly\":false,\"keepUnused\":false");
            }
            JsonObject making = rig.ok("GET", ActionRig.DB, "").json();
            assertThat(making.getAsJsonObject("firstClaim").toString())
                    .isEqualTo("{\"allocation\":\"web-1\",\"node\":\"n1\",\"together\":[{\"namespace\":\"default\","
                            + "\"volume\":\"db\"}],\"keepUnused\":false}");
            assertThat(page(rig, "/volume?namespace=default&id=db"))
                    .contains("Owner workload web, incarnation 3 ", "Made for allocation web-1 on n1 ");
            hang.remove();
            assertThat(rig.cluster.runUntil(() ->
                            db(rig).filter(one -> one.claims().size() == 1).isPresent()))
                    .isTrue();
            JsonObject used = rig.ok("GET", ActionRig.DB, "").json();
            assertThat(used.has("firstClaim")).isFalse();
            assertThat(used.getAsJsonObject("owner").toString()).isEqualTo("{\"workload\":\"web\",\"incarnation\":3}");
        }
    }

    @Test
    void volumeThatWasGivenUpShowsTheKeyUnderWhichItWasToBeMade() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.DELETE)) {
            Fault failing =
                    rig.cluster.node("n1").plugin().onCall(Rpc.CREATE_VOLUME).failWith(StatusCode.DEADLINE_EXCEEDED);
            request(rig, "web-1", template().build());
            failing.awaitUse(1, Duration.ofSeconds(20));
            assertThat(rig.cluster.runUntil(
                            () -> db(rig).filter(one -> one.retry().unresolved().isPresent())
                                    .isPresent()))
                    .isTrue();
            String given = "db~" + db(rig).orElseThrow().createIndex();
            rig.ok("POST", END, "");
            assertThat(listed(rig, "")).containsExactly(given);
            JsonObject shown = rig.ok("GET", "/v1/volumes/default/" + given, "").json();
            assertThat(shown.getAsJsonObject("formerVolume").toString())
                    .isEqualTo("{\"namespace\":\"default\",\"volume\":\"db\"}");
            assertThat(shown.get("phase").getAsString()).isEqualTo("DELETING");
            assertThat(page(rig, "/volume?namespace=default&id=" + given))
                    .contains("Given up was to be made as default/db, which another volume may be now");
        }
    }

    @Test
    void endOfAWorkloadIsPreviewedAndRetainsItsVolumeUntilItIsDeletedExplicitly() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.RETAIN)) {
            used(rig);
            JsonObject before = rig.ok("POST", END + "?dryRun", "").json();
            assertThat(before.toString())
                    .isEqualTo(
                            "{\"stored\":false,\"effect\":{\"deleted\":0,\"retained\":1,\"volumes\":[{\"volume\":\"db\","
                                    + "\"incarnation\":3,\"reclaim\":\"RETAIN\",\"claims\":0}]}}");
            assertThat(rig.ok("POST", END.replace("3", "2") + "?dryRun", "")
                            .json()
                            .getAsJsonObject("effect")
                            .getAsJsonArray("volumes"))
                    .as("an earlier life")
                    .isEmpty();
            assertThat(db(rig).orElseThrow().retainedSince()).isEmpty();
            assertThat(listed(rig, "retained")).isEmpty();
            assertThat(listed(rig, "workload=web")).containsExactly("db");

            assertThat(rig.ok("POST", END, "").json()).hasToString("{\"stored\":true}");
            String since = db(rig).orElseThrow().retainedSince().orElseThrow().toString();
            assertThat(listed(rig, "retained")).containsExactly("db");
            JsonObject shown = rig.ok("GET", ActionRig.DB, "").json();
            assertThat(shown.get("retainedSince").getAsString()).isEqualTo(since);
            assertThat(shown.getAsJsonObject("owner").get("endedAt").getAsString())
                    .isEqualTo(since);
            assertThat(page(rig, "/volume?namespace=default&id=db"))
                    .contains("retained", "Owner workload web, incarnation 3, which ended ");
            assertThat(page(rig, "/volumes")).contains("default/db", "free retained");
            Answer refused = rig.send("DELETE", ActionRig.DB, "");
            assertThat(refused.status()).isEqualTo(422);
            assertThat(refused.text("detail")).contains("is retained since " + since, "--even-retained");
            assertThat(db(rig)).isPresent();
            rig.ok("DELETE", ActionRig.DB + "?evenRetained", "");
            assertThat(db(rig)).isEmpty();
        }
    }

    @Test
    void previewNamesVolumesInUseThatWillBeDeleted() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.DELETE)) {
            request(rig, "web-1", template().build());
            assertThat(rig.cluster.runUntil(() ->
                            db(rig).filter(one -> one.claims().size() == 1).isPresent()))
                    .isTrue();
            assertThat(rig.ok("POST", END + "?dryRun", "").json().toString())
                    .contains("\"deleted\":1,\"retained\":0", "\"reclaim\":\"DELETE\",\"claims\":1");
            rig.ok("POST", END, "");
            assertThat(db(rig).orElseThrow().phase()).isEqualTo(VolumePhase.AVAILABLE);
            rig.cluster.await(rig.cluster.lifecycle().cluster().allocationEnded(AllocationId.of("web-1")));
            assertThat(rig.cluster.runUntil(() -> db(rig).isEmpty())).isTrue();
        }
    }

    @Test
    void policyIsChangedAndARetainedVolumeIsThenDeleted() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.DELETE)) {
            used(rig);
            rig.ok("PUT", ActionRig.DB + "/reclaim/RETAIN", "");
            assertThat(db(rig).orElseThrow().classOrigin().map(ClassOrigin::reclaim))
                    .contains(ReclaimPolicy.RETAIN);
            rig.ok("POST", END, "");
            assertThat(listed(rig, "retained")).containsExactly("db");
            Answer wrong = rig.send("PUT", ActionRig.DB + "/reclaim/KEEP", "");
            assertThat(wrong.status()).isEqualTo(400);
            assertThat(wrong.response().body()).contains("\"field\":\"reclaim\"", "use one of DELETE, RETAIN");
            rig.ok("PUT", ActionRig.DB + "/reclaim/DELETE", "");
            assertThat(rig.cluster.runUntil(() -> db(rig).isEmpty())).isTrue();
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            Answer plain = rig.send("PUT", ActionRig.DB + "/reclaim/RETAIN", "");
            assertThat(plain.status()).isEqualTo(422);
            assertThat(plain.text("detail")).contains("made without a class");
        }
    }

    @Test
    void retainedVolumeIsGivenToAnotherLifeOrToNone() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.RETAIN)) {
            used(rig);
            rig.ok("POST", END, "");
            String adopt = ActionRig.DB + "/adopt";
            for (String half : List.of("{\"workload\":\"web\"}", "{\"incarnation\":4}")) {
                Answer refused = rig.send("POST", adopt, half);
                assertThat(refused.status()).isEqualTo(400);
                assertThat(refused.response().body()).contains("give workload and incarnation, or neither");
            }
            assertThat(rig.send("POST", adopt, "{\"workload\":\"web\",\"incarnation\":0}")
                            .response()
                            .body())
                    .contains("\"field\":\"incarnation\"", "count the lives of web from 1");
            Answer ended = rig.send("POST", adopt, "{\"workload\":\"web\",\"incarnation\":3}");
            assertThat(ended.status()).isEqualTo(422);
            assertThat(ended.text("detail")).contains("which has ended");
            rig.ok("POST", adopt, "{\"workload\":\"web\",\"incarnation\":4}");
            assertThat(db(rig).orElseThrow().owner())
                    .contains(new VolumeOwner.OfWorkload(WorkloadOwner.of("web", 4), Optional.empty()));
            rig.ok("POST", adopt, "");
            assertThat(db(rig).orElseThrow().owner()).isEmpty();
        }
    }

    @Test
    void incarnationThatIsNoNumberIsRefused() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            for (String wrong : List.of("x", "0", "-1", "9223372036854775808")) {
                Answer refused = rig.send("POST", "/v1/workloads/default/web/" + wrong + "/end", "");
                assertThat(refused.status()).as(wrong).isEqualTo(400);
                assertThat(refused.response().body()).as(wrong).contains("\"field\":\"incarnation\"");
            }
        }
    }

    private static String claim(String volume, String template) {
        return "{\"volumes\":[{\"namespace\":\"default\",\"volume\":\"" + volume
                + "\",\"mode\":\"WRITE\",\"accessMode\":\"SINGLE_NODE_WRITER\"" + template + "}]}";
    }

    private static void placed(ActionRig rig, String allocation) {
        rig.cluster.await(rig.cluster
                .lifecycle()
                .cluster()
                .allocationStarted(AllocationId.of(allocation), DB.namespace(), NodeId.of("n1")));
    }

    @Test
    void claimOverHttpMakesItsVolume() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.RETAIN)) {
            placed(rig, "web-1");
            String claims = "/v1/allocations/web-1/claims";
            rig.ok(
                    "POST",
                    claims,
                    claim(
                            "db",
                            ",\"class\":\"fast\",\"requiredBytes\":2097152,\"limitBytes\":4194304,"
                                    + "\"lifetime\":\"WORKLOAD\",\"workload\":\"web\",\"incarnation\":3"));
            assertThat(rig.cluster.runUntil(() ->
                            db(rig).filter(one -> one.claims().size() == 1).isPresent()))
                    .isTrue();
            Volume made = db(rig).orElseThrow();
            assertThat(made.spec().capacityRange()).contains(new CapacityRange(2 << 20, 4 << 20));
            assertThat(made.owner()).contains(new VolumeOwner.OfWorkload(WEB, Optional.empty()));
            assertThat(made.classOrigin().map(ClassOrigin::name)).contains(VolumeClassName.of("fast"));

            placed(rig, "web-2");
            rig.ok(
                    "POST",
                    "/v1/allocations/web-2/claims",
                    claim("scratch", ",\"class\":\"fast\",\"lifetime\":\"ALLOCATION\""));
            VolumeKey own = VolumeKey.ofAllocation(DB.namespace(), AllocationId.of("web-2"), "scratch");
            assertThat(rig.cluster.runUntil(() -> rig.cluster
                            .state()
                            .volume(own)
                            .filter(one -> one.claims().size() == 1)
                            .isPresent()))
                    .isTrue();
            assertThat(rig.cluster.state().volume(own).orElseThrow().owner())
                    .contains(new VolumeOwner.OfAllocation(AllocationId.of("web-2")));
        }
    }

    @Test
    void templateOfAClaimIsCheckedWithAllItsProblems() throws Exception {
        try (ActionRig rig = rig(ReclaimPolicy.DELETE)) {
            placed(rig, "web-1");
            String claims = "/v1/allocations/web-1/claims";
            assertThat(problems(rig, claims, ",\"requiredBytes\":1,\"lifetime\":\"ALLOCATION\""))
                    .containsExactly("volumes[0].requiredBytes", "volumes[0].lifetime");
            assertThat(problems(
                            rig,
                            claims,
                            ",\"class\":\"fast\",\"requiredBytes\":9,\"limitBytes\":1,\"workload\":\"web\","
                                    + "\"sourceSnapshotId\":\"s\",\"sourceVolumeId\":\"v\""))
                    .containsExactly("volumes[0].requiredBytes", "volumes[0].lifetime", "volumes[0].sourceVolumeId");
            assertThat(problems(rig, claims, ",\"class\":\"fast\",\"lifetime\":\"WORKLOAD\",\"workload\":\"web\""))
                    .containsExactly("volumes[0].lifetime");
            assertThat(problems(
                            rig,
                            claims,
                            ",\"class\":\"fast\",\"lifetime\":\"WORKLOAD\",\"workload\":\"web\",\"incarnation\":0"))
                    .containsExactly("volumes[0].incarnation");
            assertThat(rig.cluster.state().requestedClaims()).isEmpty();
        }
    }

    private static List<String> problems(ActionRig rig, String path, String template) throws Exception {
        Answer answer = rig.send("POST", path, claim("db", template));
        assertThat(answer.status()).as("%s", answer.json()).isEqualTo(400);
        return answer.json().getAsJsonArray("problems").asList().stream()
                .map(problem -> problem.getAsJsonObject().get("field").getAsString())
                .toList();
    }
}
