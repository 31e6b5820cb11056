package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeQuota;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Filters, pages, blocking queries and the search of the reads. */
class ReadsTest {
    private interface Change {
        void run() throws Exception;
    }

    private static CompletableFuture<HttpResponse<String>> waiting(AdminRig rig, String path) throws Exception {
        String index = rig.get(path).headers().firstValue("csi-index").orElseThrow();
        String address = path + (path.contains("?") ? "&" : "?") + "wait=600&index=" + index;
        CompletableFuture<HttpResponse<String>> waiting = rig.http.sendAsync(
                HttpRequest.newBuilder(rig.at(address)).build(), HttpResponse.BodyHandlers.ofString());
        // A second request with the same index shows that nothing newer is there.
        rig.page(path + (path.contains("?") ? "&" : "?") + "wait=0.05&index=" + index);
        assertThat(waiting).as(path).isNotDone();
        return waiting;
    }

    private static void wakes(AdminRig rig, String path, Change change) throws Exception {
        CompletableFuture<HttpResponse<String>> waiting = waiting(rig, path);
        change.run();
        assertThat(rig.done(waiting).statusCode()).as(path).isEqualTo(200);
    }

    private static List<String> values(String body, String list, String field) {
        JsonArray items = JsonParser.parseString(body).getAsJsonObject().getAsJsonArray(list);
        List<String> values = new ArrayList<>();
        for (JsonElement item : items) {
            values.add(item.getAsJsonObject().get(field).getAsString());
        }
        return values;
    }

    @Test
    void statusOfVolumeWaitsForEverythingThatItShows() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("v")).volume(AdminRig.key("other"));
            rig.done(rig.claim("a1", "n1", AdminRig.key("v")));
            String path = "/v1/volumes/default/v";
            wakes(
                    rig,
                    path,
                    () -> rig.done(rig.lifecycle
                            .cluster()
                            .allocationStopping(AllocationId.of("a1"), Namespace.of("default"), NodeId.of("n1"))));
            wakes(rig, path, () -> rig.done(rig.lifecycle.cluster().nodeDown(NodeId.of("n1"), "it is off")));
            wakes(rig, path, () -> rig.node("n1", false, AdminRig.DISK));
            wakes(rig, path, () -> rig.end("a1"));
            rig.node("n1", AdminRig.DISK).awaitPage(path, "\"claims\":[],\"attachments\":[]");
            CompletableFuture<HttpResponse<String>> calm = waiting(rig, path);
            rig.volume(AdminRig.key("another"));
            rig.page(path + "?wait=0.05&index=" + rig.store.snapshot().index());
            assertThat(calm).isNotDone();
            calm.cancel(true);
        }
    }

    @Test
    void listsWaitForWhatTheyShow() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("v"));
            wakes(rig, "/v1/volumes?namespace=default&prefix=n", () -> rig.volume(AdminRig.key("new")));
            wakes(rig, "/v1/volumes?plugin=disk", () -> rig.volume(AdminRig.key("newer")));
            wakes(rig, "/v1/volumes?prefix=v", () -> rig.node("n1", false, AdminRig.DISK));
            wakes(rig, "/v1/plugins", () -> rig.node("n1", AdminRig.DISK));
            wakes(rig, "/v1/plugins/disk", () -> rig.expect(AdminRig.DISK, 1, 1));
            wakes(rig, "/v1/nodes", () -> rig.node("n2"));
            wakes(rig, "/v1/nodes?plugin=disk", () -> rig.node("n2", AdminRig.DISK));
            wakes(rig, "/v1/nodes/n2", () -> rig.node("n2", false, AdminRig.DISK));
            wakes(
                    rig,
                    "/v1/classes?namespace=default",
                    () -> rig.done(rig.lifecycle
                            .classes()
                            .put(VolumeClass.builder(VolumeClassName.of("fast"), AdminRig.DISK)
                                    .requestedCapabilities(List.of(AdminRig.WRITER))
                                    .build())));
            wakes(rig, "/v1/classes", () -> rig.done(rig.lifecycle.classes().remove(VolumeClassName.of("fast"))));
            wakes(
                    rig,
                    "/v1/plugin-profiles",
                    () -> rig.done(rig.lifecycle
                            .cluster()
                            .putPluginProfile(
                                    PluginProfile.builder(PluginId.of("other"))
                                            .workloadInfo(true)
                                            .build(),
                                    0)));
            VolumeQuota quota =
                    new VolumeQuota(QuotaKey.of(Namespace.of("default")), OptionalLong.of(9), OptionalLong.empty());
            wakes(
                    rig,
                    "/v1/quotas?namespace=default",
                    () -> rig.done(rig.lifecycle.quotas().put(quota)));
            wakes(rig, "/v1/quotas?namespace=default", () -> rig.volume(AdminRig.key("counted")));
            wakes(rig, "/v1/quotas", () -> rig.done(rig.lifecycle.quotas().remove(quota.key())));
            wakes(rig, "/v1/allocations/a1", () -> rig.done(rig.claim("a1", "n1", AdminRig.key("v"))));
            wakes(rig, "/v1/allocations/a1", () -> rig.end("a1"));
        }
    }

    @Test
    void volumeThatIsNotThereIsWaitedFor() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK);
            String path = "/v1/volumes/default/later";
            HttpResponse<String> absent = rig.get(path);
            assertThat(absent.statusCode()).isEqualTo(404);
            CompletableFuture<HttpResponse<String>> waiting = rig.http.sendAsync(
                    HttpRequest.newBuilder(rig.at(path + "?wait=600&index="
                                    + absent.headers().firstValue("csi-index").orElseThrow()))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            rig.volume(AdminRig.key("later"));
            assertThat(rig.done(waiting).body()).contains("\"volume\":\"later\"");
        }
    }

    @Test
    void callerWithoutPermissionDoesNotLearnWhenSomethingChanges() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("v"));
            rig.access = (caller, wanted) -> wanted.permission() != Permission.VOLUME_READ;
            long index = rig.store.snapshot().index();
            HttpResponse<String> refused = rig.get("/v1/volumes/default/v?wait=600&index=" + index);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("VOLUME_READ");
        }
    }

    @Test
    void answerToAnIndexThatIsNotReachedSaysWhichStateItShows() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("v"));
            HttpResponse<String> answer = rig.get("/v1/volumes?wait=0.1&index=1000000");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.headers().firstValue("csi-index"))
                    .contains(Long.toString(rig.store.snapshot().index()));
            assertThat(rig.get("/v1/volumes?wait=601&index=1").body()).contains("\"field\":\"wait\"");
        }
    }

    @Test
    void everyListIsReadInPages() throws Exception {
        try (ReadsRig rig = new ReadsRig()) {
            for (String list : List.of(
                    "/v1/volumes",
                    "nodes:/v1/nodes",
                    "/v1/plugins",
                    "nodes:/v1/waiting-claims",
                    "/v1/plugins/disk/volumes",
                    "/v1/plugins/disk/snapshots")) {
                String separator = list.contains("?") ? "&" : "?";
                JsonObject all =
                        JsonParser.parseString(rig.send("GET", list, "").body()).getAsJsonObject();
                List<JsonElement> expected = all.getAsJsonArray("items").asList();
                assertThat(expected).as(list).hasSizeGreaterThan(1);
                List<JsonElement> found = new ArrayList<>();
                Optional<String> after = Optional.of("");
                while (after.isPresent()) {
                    String address = list + separator + "limit=1"
                            + after.filter(token -> !token.isEmpty())
                                    .map(token -> "&after=" + token)
                                    .orElse("");
                    JsonObject page = JsonParser.parseString(
                                    rig.send("GET", address, "").body())
                            .getAsJsonObject();
                    assertThat(page.getAsJsonArray("items")).as(address).hasSizeLessThanOrEqualTo(1);
                    found.addAll(page.getAsJsonArray("items").asList());
                    after = Optional.ofNullable(page.get("next")).map(JsonElement::getAsString);
                }
                assertThat(ids(found)).as(list).isEqualTo(ids(expected));
            }
        }
    }

    /** Returns the identifying fields, because ages and reports change between two requests. */
    private static List<List<String>> ids(List<JsonElement> items) {
        return items.stream()
                .map(item -> item.getAsJsonObject().entrySet().stream()
                        .filter(field -> List.of(
                                        "namespace",
                                        "volume",
                                        "node",
                                        "plugin",
                                        "allocation",
                                        "externalVolumeId",
                                        "snapshotId")
                                .contains(field.getKey()))
                        .map(field -> field.getValue().toString())
                        .toList())
                .toList();
    }

    @Test
    void phaseIsAFilter() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volumes("default", "v", 3);
            assertThat(values(rig.page("/v1/volumes?phase=AVAILABLE&prefix=v"), "items", "volume"))
                    .containsExactly("v000000", "v000001", "v000002");
            assertThat(values(rig.page("/v1/volumes?phase=DELETING"), "items", "volume"))
                    .isEmpty();
            assertThat(rig.get("/v1/volumes?phase=GONE").body()).contains("use one of CREATING, AVAILABLE, DELETING");
        }
    }

    @Test
    void searchFindsAllKindsThatTheCallerMaySee() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("da-n1", AdminRig.DISK).node("da-n2", AdminRig.DISK);
            rig.volumes("default", "da-v", 3);
            rig.volume(AdminRig.key("da-held"));
            rig.volumes("other", "da-v", 1);
            rig.done(rig.claim("da-a1", "da-n1", AdminRig.key("da-held")));
            var unusedWaiting = rig.claim("da-a2", "da-n2", AdminRig.key("da-held"));
            rig.awaitPage("/v1/waiting-claims", "da-a2");
            String all = rig.page("/v1/search/da-?limit=3");
            assertThat(values(all, "hits", "id"))
                    .containsExactly(
                            "default/da-held", "default/da-v000000", "default/da-v000001", "da-n1", "da-n2", "da-a2");
            assertThat(all).contains("\"more\":[\"VOLUME\"]");
            assertThat(values(rig.page("/v1/search/other%2Fda"), "hits", "id")).containsExactly("other/da-v000000");
            assertThat(values(rig.page("/v1/search/%20%2Fda"), "hits", "id")).isEmpty();
            assertThat(values(rig.page("/v1/search/da-a1"), "hits", "id")).containsExactly("da-a1");
            assertThat(values(rig.page("/v1/search/disk"), "hits", "kind")).containsExactly("PLUGIN");
            assertThat(rig.get("/v1/search/d?limit=101").body()).contains("\"field\":\"limit\"");

            rig.access = (caller, wanted) -> wanted.namespace().equals(Optional.of(Namespace.of("other")));
            assertThat(values(rig.page("/v1/search/da-"), "hits", "id")).containsExactly("other/da-v000000");
            assertThat(values(rig.page("/v1/search/default%2Fda"), "hits", "id"))
                    .isEmpty();
            assertThat(values(rig.page("/v1/search/da-a1"), "hits", "id")).isEmpty();
        }
    }

    @Test
    void healthNamesObjectsOnlyToCallersWhoManage() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", false, AdminRig.DISK).expect(AdminRig.DISK, 1, 1);
            rig.awaitPage("/v1/health", "disk");
            rig.access = (caller, wanted) -> wanted.permission() != Permission.MANAGEMENT;
            HttpResponse<String> health = rig.get("/v1/health");
            assertThat(health.statusCode()).isEqualTo(200);
            assertThat(health.body()).contains("\"able\":true", "\"problems\":[]");
            assertThat(rig.get("/v1/log").statusCode()).isEqualTo(403);
            rig.access = (caller, wanted) -> true;
            assertThat(rig.get("/v1/log").body()).contains("\"status\":501", "AdminServer.Builder.log");
        }
    }

    @Test
    void missingPermissionsOfAWorkloadAreNamed() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.access = (caller, wanted) -> wanted.permission() == Permission.PLUGIN_READ;
            assertThat(rig.page("/v1/access/check?namespace=default&mounts&deploys=disk"))
                    .isEqualTo(
                            "{\"allowed\":false,\"missing\":[{\"permission\":\"VOLUME_MOUNT\",\"namespace\":\"default\"},"
                                    + "{\"permission\":\"PLUGIN_DEPLOY\"}]}\n");
            assertThat(rig.get("/v1/access/check?namespace=default").body()).contains("say what the workload needs");
        }
    }

    @Test
    void nothingConfidentialIsShown() throws Exception {
        try (ReadsRig rig = new ReadsRig()) {
            rig.nodes.volume(AdminRig.key("confidential"));
            for (String path : List.of(
                    "/v1/volumes",
                    "/v1/volumes/default/grows",
                    "/v1/plugins/disk/volumes",
                    "/v1/leftovers",
                    "nodes:/v1/volumes",
                    "nodes:/v1/volumes/default/confidential",
                    "nodes:/v1/leftovers",
                    "nodes:/v1/allocations/a2")) {
                assertThat(rig.send("GET", path, "").body())
                        .as(path)
                        .doesNotContain("hunter2", "secret-tier", "secret-flag", "secret-iops", "/dev/sdb");
            }
        }
    }
}
