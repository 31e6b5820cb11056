package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.admin.internal.api.OpenApi;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The description of the API against the API: it is the committed one, each endpoint of it answers as its schema says, and
 * each field of it has a value in some answer. It takes long because that needs calls that fail, and nodes and volumes in
 * many states.
 */
class DescriptionTest {
    private static final Path COMMITTED = Path.of("src/main/resources/io/csi4j/admin/openapi.json");

    /** Fields that no answer of this test has, because the cluster would have to be in a rare state; RareFieldsTest and FollowerTest have them. */
    private static final Set<String> RARE = Set.of(
            "Attachment.override",
            // ConsolePagesTest has claims with labels.
            "Claim.securityLabel",
            "HeldClaim.securityLabel",
            "LeftoverClaim.securityLabel",
            "Capacity.minimumVolumeSize",
            "ExternalVolume.contentSource",
            "LedgerUse.allocation",
            "LedgerUse.capability",
            "LedgerUse.externalVolumeId",
            "LedgerUse.leaving",
            "LedgerUse.mode",
            "LedgerUse.namespace",
            "LedgerUse.plugin",
            "LedgerUse.volume",
            "LeftoverClaim.override",
            "LeftoverClaim.retry",
            "Operation.obstacle",
            // The leader asks for the capacity when it has time; ClassActionsTest waits for it.
            "PlaceCapacity.age",
            "PlaceCapacity.availableBytes",
            "PlaceCapacity.failure",
            "PlaceCapacity.madeBytes",
            "PlaceCapacity.maximumVolumeSize",
            "PlaceCapacity.minimumVolumeSize",
            "PlaceCapacity.recent",
            "PlaceCapacity.refusedBytes",
            "PlaceCapacity.topology",
            "Verification.notFound",
            "Verification.remedy",
            "Verification.retry",
            "Verification.since",
            "Verification.stage",
            "VolumeStatus.verification",
            "WithdrawnCreation.externalVolumeId");

    @Test
    void committedDescriptionIsThatOfTheEndpoints() throws Exception {
        String now = OpenApi.of(AdminServer.endpoints());
        if (Boolean.getBoolean("csi4j.docs.write")) {
            Files.createDirectories(COMMITTED.getParent());
            Files.writeString(COMMITTED, now);
        }
        assertThat(Files.readString(COMMITTED))
                .as("%s is out of date; write it with -Dcsi4j.docs.write=true and check the change", COMMITTED)
                .isEqualTo(now);
    }

    @Test
    void eachEndpointAnswersAsDescribed() throws Exception {
        try (ReadsRig rig = new ReadsRig()) {
            JsonObject description = JsonParser.parseString(
                            rig.send("GET", "/v1/openapi.json", "").body())
                    .getAsJsonObject();
            assertThat(description).isEqualTo(JsonParser.parseString(Files.readString(COMMITTED)));
            SchemaCheck check = new SchemaCheck(description);
            Map<String, List<String>> requests = requests(rig);
            List<String> problems = new ArrayList<>();
            Map<String, JsonObject> actions = new LinkedHashMap<>();
            for (Map.Entry<String, JsonElement> path :
                    description.getAsJsonObject("paths").entrySet()) {
                String nothing = path.getKey().replaceAll("\\{[a-zA-Z]+}", "nothing");
                for (Map.Entry<String, JsonElement> operation :
                        path.getValue().getAsJsonObject().entrySet()) {
                    JsonObject described = operation.getValue().getAsJsonObject();
                    String method = operation.getKey().toUpperCase(Locale.ROOT);
                    if (!method.equals("GET")) {
                        actions.put(method + " " + nothing, described);
                        continue;
                    }
                    String id = described.get("operationId").getAsString();
                    List<String> examples = requests.remove(id);
                    assertThat(examples).as("a request for %s", id).isNotNull();
                    for (String example : examples) {
                        problems.addAll(problems(rig, check, described, "GET", example, 200));
                    }
                    problems.addAll(problems(rig, check, described, "GET", nothing, 0));
                }
            }
            for (Map.Entry<String, JsonObject> action : actions.entrySet()) {
                String[] words = action.getKey().split(" ", 2);
                problems.addAll(problems(rig, check, action.getValue(), words[0], words[1] + "?wait=0.2", 0));
            }
            rig.stepDown();
            JsonObject paths = description.getAsJsonObject("paths");
            JsonObject status =
                    paths.getAsJsonObject("/v1/volumes/{namespace}/{volume}").getAsJsonObject("get");
            problems.addAll(problems(rig, check, status, "GET", "nodes:/v1/volumes/default/v", 200));
            JsonObject orphans =
                    paths.getAsJsonObject("/v1/plugins/{plugin}/orphans").getAsJsonObject("get");
            problems.addAll(problems(rig, check, orphans, "GET", "/v1/plugins/disk/orphans", 503));
            assertThat(problems).isEmpty();
            assertThat(requests)
                    .as("requests for endpoints that are not described")
                    .isEmpty();
            Set<String> unseen = fieldsOfReads(description);
            unseen.removeAll(check.seen());
            unseen.removeAll(RARE);
            assertThat(unseen).as("fields without a value in any answer").isEmpty();
        }
    }

    /** Sends a request; returns how its answer differs from the description. A status of 0 means any. */
    private static List<String> problems(
            ReadsRig rig, SchemaCheck check, JsonObject operation, String method, String path, int status)
            throws Exception {
        HttpResponse<String> answer = rig.send(method, path, method.equals("GET") ? "" : "{}");
        String where = method + " " + path + " -> " + answer.statusCode() + ": ";
        if (status != 0 && answer.statusCode() != status) {
            return List.of(where + answer.body());
        }
        JsonObject responses = operation.getAsJsonObject("responses");
        String key = Integer.toString(answer.statusCode());
        JsonObject content =
                responses.getAsJsonObject(responses.has(key) ? key : "default").getAsJsonObject("content");
        String type = answer.headers().firstValue("content-type").orElse("none");
        if (!content.has(type)) {
            return List.of(where + "the type " + type + " is not in " + content.keySet());
        }
        if (type.equals("text/event-stream")) {
            return List.of();
        }
        return check
                .problems(
                        content.getAsJsonObject(type).getAsJsonObject("schema"), JsonParser.parseString(answer.body()))
                .stream()
                .map(problem -> where + problem)
                .toList();
    }

    private static Map<String, List<String>> requests(ReadsRig rig) throws Exception {
        rig.send("POST", "/v1/volumes/default/db/recheck", "{}");
        String done = rig.newestOperation();
        rig.send("POST", "/v1/volumes/default/nothing/recheck", "{}");
        String failed = rig.newestOperation();
        rig.send("POST", "/v1/volumes/default/grows/expand?wait=0", "{\"requiredBytes\":536870912}");
        String running = rig.newestOperation();
        rig.send("POST", "/v1/volumes/default/grows/expand?wait=0", "{\"requiredBytes\":536870912}");
        String cancelled = rig.newestOperation();
        rig.send("POST", "/v1/operations/" + cancelled + "/cancel", "{}");
        Map<String, List<String>> requests = new HashMap<>();
        requests.put(
                "volumeList",
                List.of(
                        "/v1/volumes",
                        "/v1/volumes?namespace=default&prefix=d&plugin=disk&phase=AVAILABLE",
                        "/v1/volumes?class=plain",
                        "/v1/volumes?retained",
                        "/v1/volumes?workload=web",
                        "/v1/volumes?node=n1&limit=1"));
        requests.put(
                "volumeStatus",
                List.of(
                        "/v1/volumes/default/db",
                        "/v1/volumes/default/restored",
                        "/v1/volumes/default/grows",
                        "/v1/volumes/default/stuck",
                        "/v1/volumes/default/grown",
                        "/v1/volumes/default/clone",
                        "/v1/volumes/default/held",
                        "/v1/volumes/default/right",
                        "/v1/volumes/default/classed",
                        "/v1/volumes/default/retained",
                        "/v1/volumes/default/owned",
                        "/v1/volumes/default/making",
                        "/v1/volumes/default/" + rig.givenUp,
                        "nodes:/v1/volumes/default/v",
                        "nodes:/v1/volumes/default/v2"));
        requests.put(
                "volumeHealth",
                List.of("/v1/volumes/default/logs/health", "nodes:/v1/volumes/default/v/health?allocation=a1"));
        requests.put("volumeStats", List.of("nodes:/v1/volumes/default/v/stats?allocation=a1"));
        requests.put("volumeExternal", List.of("/v1/plugins/disk/volumes?limit=2", "/v1/plugins/old/volumes"));
        requests.put("volumeAbnormal", List.of("/v1/plugins/disk/abnormal-volumes"));
        requests.put(
                "allocationStatus",
                List.of(
                        "/v1/allocations/a1",
                        "/v1/allocations/a-held",
                        "/v1/allocations/a-renamed",
                        "nodes:/v1/allocations/a2",
                        "nodes:/v1/allocations/a6"));
        requests.put(
                "claimWaiting",
                List.of(
                        "nodes:/v1/waiting-claims",
                        "/v1/waiting-claims?namespace=default&plugin=disk&node=n2&prefix=a",
                        "/v1/waiting-claims?prefix=job"));
        requests.put(
                "accessCheck",
                List.of(
                        "/v1/access/check?namespace=default&mounts&deploys=disk&deploys=old",
                        "nodes:/v1/access/check?namespace=closed&mounts&deploys=disk"));
        requests.put("nodeList", List.of("nodes:/v1/nodes", "/v1/nodes?status=READY&plugin=disk&prefix=n"));
        requests.put(
                "nodeStatus",
                List.of(
                        "/v1/nodes/n1",
                        "nodes:/v1/nodes/n1",
                        "nodes:/v1/nodes/n2",
                        "nodes:/v1/nodes/n8",
                        "nodes:/v1/nodes/mute"));
        requests.put("pluginList", List.of("/v1/plugins?schedulable=true&controller&prefix=d"));
        requests.put("pluginStatus", List.of("/v1/plugins/disk", "nodes:/v1/plugins/disk"));
        requests.put("pluginStorageHealth", List.of("nodes:/v1/plugins/disk/storage-health/n1"));
        requests.put(
                "pluginCapacity",
                List.of(
                        "/v1/plugins/disk/capacity?accessMode=SINGLE_NODE_WRITER&parameter=tier=fast",
                        "/v1/plugins/disk/capacity"));
        requests.put(
                "snapshotList",
                List.of("/v1/plugins/disk/snapshots", "/v1/plugins/disk/snapshots?source=" + rig.external(rig.db)));
        requests.put("snapshotStatus", List.of("/v1/plugins/disk/snapshots/" + rig.snapshot.snapshotId()));
        requests.put(
                "groupSnapshotStatus",
                List.of("/v1/plugins/disk/group-snapshots/" + rig.group.groupSnapshotId() + "?member="
                        + String.join(
                                "&member=",
                                rig.group.snapshots().stream()
                                        .map(member -> member.snapshotId().value())
                                        .toList())));
        requests.put("orphanList", List.of("/v1/plugins/disk/orphans"));
        requests.put("callList", List.of("nodes:/v1/calls", "/v1/calls?namespace=default&plugin=disk&failing=false"));
        requests.put("callFailed", List.of("nodes:/v1/failed-calls", "/v1/failed-calls?namespace=default"));
        requests.put("leftoverList", List.of("nodes:/v1/leftovers", "/v1/leftovers"));
        requests.put("withdrawnCreationList", List.of("/v1/withdrawn-creations?limit=1"));
        requests.put(
                "search", List.of("/v1/search/d", "/v1/search/default%2Fdb?limit=1", "/v1/search/a1", "/v1/search/n"));
        requests.put("operationList", List.of("/v1/operations"));
        requests.put(
                "operationStatus",
                Stream.of(done, failed, running, cancelled)
                        .map(id -> "/v1/operations/" + id)
                        .toList());
        requests.put("operationWatch", List.of("/v1/operations/" + done + "/events"));
        rig.send(
                "POST",
                "/v1/tokens",
                "{\"name\":\"ann\",\"policies\":[\"team-a\"],\"expiresAt\":\"2999-01-01T00:00:00Z\"}");
        String token = JsonParser.parseString(rig.send("GET", "/v1/tokens", "").body())
                .getAsJsonObject()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject()
                .get("token")
                .getAsString();
        requests.put("tokenList", List.of("/v1/tokens", "/v1/tokens?prefix=" + token));
        requests.put("tokenStatus", List.of("/v1/tokens/" + token));
        String uses = "\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}]";
        rig.send("PUT", "/v1/classes/plain", "{\"plugin\":\"disk\"," + uses + "}");
        rig.send("PUT", "/v1/volumes/default/classed?wait=0", "{\"class\":\"plain\"}");
        rig.send(
                "PUT",
                "/v1/classes/fast",
                "{\"plugin\":\"later\"," + uses
                        + ",\"defaultCapacity\":{\"requiredBytes\":2},\"namespaces\":[\"default\"],"
                        + "\"allowedTopologies\":[{\"segments\":{\"zone\":\"z1\"}}],"
                        + "\"fencingPolicy\":{\"policy\":\"AFTER_GRACE\",\"grace\":9}}");
        rig.send("PUT", "/v1/plugins/disk/profile", "{\"workloadInfo\":true,\"callsInFlight\":4}");
        requests.put("pluginProfileList", List.of("/v1/plugin-profiles", "/v1/plugin-profiles?known=true"));
        rig.send("PUT", "/v1/quotas/default", "{\"volumes\":9,\"bytes\":1000}");
        rig.send("PUT", "/v1/quotas/default", "{\"class\":\"fast\",\"volumes\":9}");
        requests.put("quotaList", List.of("/v1/quotas", "/v1/quotas?namespace=default"));
        requests.put("quotaStatus", List.of("/v1/quotas/default", "/v1/quotas/default?class=fast"));
        requests.put("classList", List.of("/v1/classes", "/v1/classes?namespace=default&prefix=f"));
        requests.put("classStatus", List.of("/v1/classes/fast", "/v1/classes/fast?namespace=default"));
        requests.put("classCapacity", List.of("/v1/classes/fast/capacity"));
        requests.put("policyList", List.of("/v1/policies"));
        requests.put("serverHealth", List.of("/v1/health"));
        requests.put("serverLog", List.of("/v1/log"));
        return requests;
    }

    /** Returns the fields of all schemas that reads answer with. */
    private static Set<String> fieldsOfReads(JsonObject description) {
        JsonObject schemas = description.getAsJsonObject("components").getAsJsonObject("schemas");
        Set<String> found = new TreeSet<>();
        for (Map.Entry<String, JsonElement> path :
                description.getAsJsonObject("paths").entrySet()) {
            JsonObject operations = path.getValue().getAsJsonObject();
            if (operations.has("get")) {
                collect(operations.getAsJsonObject("get").getAsJsonObject("responses"), schemas, found);
            }
        }
        Set<String> fields = new TreeSet<>();
        for (String name : found) {
            schemas.getAsJsonObject(name)
                    .getAsJsonObject("properties")
                    .keySet()
                    .forEach(field -> fields.add(name + "." + field));
        }
        return fields;
    }

    private static void collect(JsonElement from, JsonObject schemas, Set<String> found) {
        Matcher names = Pattern.compile("#/components/schemas/(\\w+)").matcher(from.toString());
        while (names.find()) {
            if (found.add(names.group(1))) {
                collect(schemas.get(names.group(1)), schemas, found);
            }
        }
    }
}
