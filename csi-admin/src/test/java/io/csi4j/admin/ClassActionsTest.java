package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.admin.ActionRig.Answer;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volume classes over HTTP, with a real engine and a strict plugin. */
class ClassActionsTest {
    private static final String FAST = "/v1/classes/fast";
    private static final String WRITER = "\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}]";

    private static String body(ActionRig rig, String more) {
        return "{\"plugin\":\"" + rig.cluster.plugin().value() + "\"," + WRITER + more + "}";
    }

    private static VolumeClass row(ActionRig rig) {
        return rig.cluster.state().volumeClass(VolumeClassName.of("fast")).orElseThrow();
    }

    private static Volume db(ActionRig rig) {
        return rig.cluster.state().volume(VolumeKey.of("default", "db")).orElseThrow();
    }

    private static List<String> problems(Answer answer) {
        return answer.json().getAsJsonArray("problems").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(problem -> problem.get("field").getAsString())
                .toList();
    }

    private static List<String> names(JsonObject page, String field) {
        return page.getAsJsonArray("items").asList().stream()
                .map(item -> item.getAsJsonObject().get(field).getAsString())
                .toList();
    }

    @Test
    void classHasAllFieldsOfTheRequestAndShowsNothingConfidential() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST, body(rig, """
                    ,"defaultCapacity":{"requiredBytes":2097152},"leastBytes":1048576,"greatestBytes":9437184,\
                    "allowedTopologies":[{"segments":{"topology.csi4j.io/zone":"zone-1"}}],"binding":"AT_PLACEMENT",\
                    "reclaim":"RETAIN","mountOptions":{"fsType":"ext4","mountFlags":["s3cret-flag"]},\
                    "parameters":{"tier":"s3cret-tier"},"fencingPolicy":{"policy":"AFTER_GRACE","grace":90.5},\
                    "namespaces":["web","default"],"capacityCheck":"REQUIRED","useByTemplate":false,"storedSecrets":{"password":"s3cret-stored"}"""));
            VolumeClass row = row(rig);
            assertThat(row.defaultCapacity()).contains(CapacityRange.atLeast(2 << 20));
            assertThat(row.leastBytes()).isEqualTo(1 << 20);
            assertThat(row.greatestBytes()).isEqualTo(9 << 20);
            assertThat(row.allowedTopologies()).hasSize(1);
            assertThat(row.binding()).isEqualTo(VolumeBinding.AT_PLACEMENT);
            assertThat(row.reclaim()).isEqualTo(ReclaimPolicy.RETAIN);
            assertThat(row.capacityCheck()).isEqualTo(CapacityCheck.REQUIRED);
            assertThat(row.mountOptions().mountFlags().asList()).containsExactly("s3cret-flag");
            assertThat(row.parameters()).isEqualTo(Map.of("tier", "s3cret-tier"));
            assertThat(row.declaredFencingPolicy().orElseThrow()).hasToString("AfterGrace[grace=PT1M30.5S]");
            assertThat(row.namespaces()).hasToString("[default, web]");
            assertThat(row.secrets()).isEqualTo(Secrets.of(Map.of("password", "s3cret-stored")));

            for (String read : List.of(FAST, FAST + "?namespace=web", "/v1/classes", "/v1/search/fa")) {
                assertThat(rig.ok("GET", read, "").response().body())
                        .contains("fast")
                        .doesNotContain("s3cret");
            }
            JsonObject shown = rig.ok("GET", FAST, "").json();
            assertThat(shown.get("parameters").getAsInt()).isEqualTo(1);
            assertThat(shown.get("secrets").getAsInt()).isEqualTo(1);
            assertThat(shown.get("capacityCheck").getAsString()).isEqualTo("REQUIRED");
            assertThat(row.useByTemplate()).isFalse();
            assertThat(shown.get("useByTemplate").getAsBoolean()).isFalse();
            assertThat(shown.get("mountFlags").getAsInt()).isEqualTo(1);
            assertThat(shown.get("createIndex").getAsLong()).isEqualTo(row.createIndex());
        }
    }

    @Test
    void volumeIsCreatedFromItsClassAndListedByIt() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST, body(rig, ",\"defaultCapacity\":{\"requiredBytes\":2097152}"));
            Answer made = rig.ok("PUT", ActionRig.DB, "{\"class\":\"fast\"}");
            assertThat(made.text("class")).isEqualTo("fast");
            assertThat(made.json().get("capacityBytes").getAsLong()).isEqualTo(2 << 20);
            rig.ok(
                    "PUT",
                    "/v1/volumes/default/large",
                    "{\"class\":\"fast\",\"capacityRange\":{\"requiredBytes\":4194304}," + WRITER + "}");
            rig.ok("PUT", "/v1/volumes/default/plain", rig.spec(""));
            JsonObject page = rig.ok("GET", "/v1/volumes?class=fast", "").json();
            assertThat(names(page, "volume")).containsExactly("db", "large");
            assertThat(names(page, "class")).containsOnly("fast");
            JsonObject origin = rig.ok("GET", ActionRig.DB, "").json().getAsJsonObject("classOrigin");
            assertThat(origin.get("class").getAsString()).isEqualTo("fast");
            assertThat(origin.get("incarnation").getAsLong()).isEqualTo(row(rig).createIndex());
            rig.ok("DELETE", FAST, "");
            assertThat(rig.ok("PUT", ActionRig.DB, "{\"class\":\"fast\"}").text("externalVolumeId"))
                    .isEqualTo(made.text("externalVolumeId"));
            assertThat(names(rig.ok("GET", "/v1/volumes?class=fast", "").json(), "volume"))
                    .containsExactly("db", "large");
        }
    }

    @Test
    void knownCapacityOfAClassIsListedByTopology() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST, body(rig, ""));
            List<JsonObject> items = List.of();
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (items.isEmpty() && System.nanoTime() - end < 0) {
                items = rig.ok("GET", FAST + "/capacity", "").json().getAsJsonArray("items").asList().stream()
                        .map(JsonElement::getAsJsonObject)
                        .filter(item -> item.has("availableBytes"))
                        .toList();
            }
            assertThat(items).hasSize(1);
            JsonObject place = items.get(0);
            assertThat(place.getAsJsonObject("topology")
                            .get("topology.csi4j.io/zone")
                            .getAsString())
                    .isEqualTo("zone-1");
            assertThat(place.get("availableBytes").getAsLong()).isPositive();
            assertThat(place.get("age").getAsDouble()).isNotNegative();
            assertThat(place.get("recent").getAsBoolean()).isTrue();
            assertThat(rig.send("GET", "/v1/classes/none/capacity", "").status())
                    .isEqualTo(422);
        }
    }

    @Test
    void allProblemsOfARequestAreNamedTogether() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST, body(rig, ",\"greatestBytes\":9437184"));
            Answer beside = rig.send("PUT", ActionRig.DB, """
                    {"class":"fast","plugin":"other","parameters":{"a":"b"},"capacityRange":{"requiredBytes":99999999},\
                    "requestedCapabilities":[{"accessMode":"MULTI_NODE_MULTI_WRITER"}]}""");
            assertThat(beside.status()).isEqualTo(422);
            assertThat(problems(beside))
                    .containsExactlyInAnyOrder(
                            "plugin", "parameters", "requestedCapabilities[0]", "capacityRange.requiredBytes");
            Answer unreadable = rig.send("PUT", ActionRig.DB + "?dryRun=perhaps&wayt=1", """
                    {"class":"fast","capacityRange":{"requiredBytes":"x","limit":1},"colour":"red","sharedWith":"a"}""");
            assertThat(unreadable.status()).isEqualTo(400);
            assertThat(problems(unreadable))
                    .containsExactlyInAnyOrder(
                            "dryRun",
                            "wayt",
                            "capacityRange.requiredBytes",
                            "capacityRange.limit",
                            "colour",
                            "sharedWith");
        }
    }

    @Test
    void allProblemsOfAClassAreNamedByTheFieldsOfTheRequest() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer refused = rig.send("PUT", FAST, body(rig, """
                    ,"leastBytes":5,"greatestBytes":4,"parameters":{"csi.storage.k8s.io/pvc/name":"s3cret"},\
                    "storedSecrets":{"a b":"s3cret"}"""));
            assertThat(refused.status()).isEqualTo(422);
            assertThat(problems(refused)).containsExactly("storedSecrets", "parameters", "greatestBytes");
            assertThat(refused.response().body()).doesNotContain("s3cret");
            assertThat(problems(rig.send("PUT", FAST, body(rig, ",\"defaultCapacity\":{\"requiredBytes\":0}"))))
                    .containsExactly("defaultCapacity");
            assertThat(problems(rig.send("PUT", FAST, body(rig, ",\"ifModifyIndex\":-1"))))
                    .containsExactly("ifModifyIndex");
            assertThat(rig.cluster.state().volumeClasses()).isEmpty();
        }
    }

    @Test
    void allProblemsOfACreationAreNamedByTheFieldsOfTheRequest() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST, body(rig, ",\"leastBytes\":1048576,\"greatestBytes\":2097152"));
            String outside = """
                    {"class":"fast","capacityRange":{"requiredBytes":1,"limitBytes":2097153},\
                    "requestedCapabilities":[{"accessMode":"MULTI_NODE_MULTI_WRITER"}]}""";
            for (String check : List.of("", "?dryRun")) {
                Answer refused = rig.send("PUT", ActionRig.DB + check, outside);
                assertThat(refused.status()).isEqualTo(422);
                assertThat(problems(refused))
                        .as("request %s", check)
                        .containsExactly(
                                "capacityRange.requiredBytes", "capacityRange.limitBytes", "requestedCapabilities[0]");
                Answer unknown = rig.send("PUT", ActionRig.DB + check, "{\"class\":\"slow\"}");
                assertThat(unknown.status()).isEqualTo(422);
                assertThat(problems(unknown)).as("request %s", check).containsExactly("class");
            }
            Answer both = rig.send(
                    "PUT", ActionRig.DB, body(rig, ",\"class\":\"fast\",\"parameters\":{\"a\":\"b\"},\"name\":\"x\""));
            assertThat(problems(both)).containsExactly("plugin", "name", "parameters");
            assertThat(problems(rig.send("PUT", ActionRig.DB, "{}"))).containsExactly("plugin");
            assertThat(problems(rig.send(
                            "PUT", ActionRig.DB, "{\"class\":\"fast\",\"capacityRange\":{\"requiredBytes\":0}}")))
                    .containsExactly("capacityRange");
            assertThat(rig.cluster.state().volume(VolumeKey.of("default", "db")))
                    .isEmpty();
        }
    }

    @Test
    void dryRunChangesNothing() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST + "?dryRun", body(rig, ""));
            assertThat(rig.cluster.state().volumeClasses()).isEmpty();
            rig.ok("PUT", FAST, body(rig, ""));
            Answer checked = rig.ok("PUT", ActionRig.DB + "?dryRun", "{\"class\":\"fast\"}");
            assertThat(checked.text("plugin")).isEqualTo(rig.cluster.plugin().value());
            assertThat(rig.cluster.state().volume(VolumeKey.of("default", "db")))
                    .isEmpty();
        }
    }

    @Test
    void replacementOfAnOlderVersionIsRefusedAndVolumesStay() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", FAST, body(rig, ",\"defaultCapacity\":{\"requiredBytes\":1048576}"));
            rig.ok("PUT", ActionRig.DB, "{\"class\":\"fast\"}");
            Volume before = db(rig);
            long read = rig.ok("GET", FAST, "").json().get("modifyIndex").getAsLong();
            rig.ok("PUT", FAST, body(rig, ",\"leastBytes\":1,\"ifModifyIndex\":" + read));
            Answer refused = rig.send("PUT", FAST, body(rig, ",\"leastBytes\":2,\"ifModifyIndex\":" + read));
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text("detail")).contains("volume class fast was changed at index");
            assertThat(row(rig).leastBytes()).isEqualTo(1);
            Answer equal = rig.send("PUT", FAST, body(rig, ",\"leastBytes\":1,\"ifModifyIndex\":" + read));
            assertThat(equal.status()).as("the values that it has").isEqualTo(409);
            assertThat(equal.text("detail")).contains("volume class fast was changed at index");
            rig.ok("DELETE", FAST, "");
            Answer absent = rig.send("GET", FAST, "");
            assertThat(absent.status()).isEqualTo(404);
            assertThat(absent.text("detail")).isEqualTo("no volume class has the name fast; csi class list has all");
            assertThat(rig.send("GET", FAST + "?namespace=dev", "").text("detail"))
                    .startsWith("no volume class that namespace dev may use has the name fast");
            assertThat(db(rig)).isEqualTo(before);
            assertThat(db(rig).classOrigin()).isNotEqualTo(Optional.empty());
        }
    }
}
