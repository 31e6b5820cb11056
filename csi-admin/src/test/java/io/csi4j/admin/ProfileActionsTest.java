package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.admin.ActionRig.Answer;
import io.csi4j.core.id.PluginId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The profiles of plugins over HTTP, with a real engine. */
class ProfileActionsTest {
    private static final PluginId DISK = PluginId.of("disk");
    private static final String PROFILE = "/v1/plugins/disk/profile";

    private static JsonArray list(ActionRig rig) throws Exception {
        return rig.ok("GET", "/v1/plugin-profiles", "").json().getAsJsonArray("items");
    }

    @Test
    void profileIsPutShownReplacedAndRemoved() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            assertThat(list(rig)).isEmpty();
            rig.ok("PUT", PROFILE, "{\"workloadInfo\":true}");
            JsonObject shown = list(rig).get(0).getAsJsonObject();
            assertThat(shown.get("plugin").getAsString()).isEqualTo("disk");
            assertThat(shown.get("workloadInfo").getAsBoolean()).isTrue();
            assertThat(shown.get("extraMetadata").getAsBoolean()).isFalse();
            long revision = shown.get("modifyIndex").getAsLong();
            assertThat(shown.get("securityLabel").getAsBoolean()).isFalse();
            rig.ok(
                    "PUT",
                    PROFILE,
                    "{\"extraMetadata\":true,\"securityLabel\":true,\"ifModifyIndex\":" + revision + "}");
            JsonObject replaced = list(rig).get(0).getAsJsonObject();
            assertThat(replaced.get("workloadInfo").getAsBoolean()).isFalse();
            assertThat(replaced.get("extraMetadata").getAsBoolean()).isTrue();
            assertThat(replaced.get("securityLabel").getAsBoolean()).isTrue();
            Answer outdated = rig.send("PUT", PROFILE, "{\"workloadInfo\":true,\"ifModifyIndex\":" + revision + "}");
            assertThat(outdated.status()).isEqualTo(409);
            assertThat(outdated.response().body()).contains("read the profile again");
            rig.ok("DELETE", PROFILE, "");
            assertThat(list(rig)).isEmpty();
            assertThat(rig.send("DELETE", PROFILE, "").status()).isEqualTo(422);
        }
    }

    @Test
    void settingsOfOwnershipArePutShownAndReplaced() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.ok("PUT", PROFILE, "{\"ownershipExcludes\":[\".snapshot\",\"lost+found\"]}");
            JsonObject excluding = list(rig).get(0).getAsJsonObject();
            assertThat(excluding.getAsJsonArray("ownershipExcludes"))
                    .extracting(JsonElement::getAsString)
                    .containsExactly(".snapshot", "lost+found");
            assertThat(excluding.get("ownershipFixed").getAsBoolean()).isFalse();
            rig.ok("PUT", PROFILE, "{\"ownershipFixed\":true}");
            JsonObject fixed = list(rig).get(0).getAsJsonObject();
            assertThat(fixed.get("ownershipFixed").getAsBoolean()).isTrue();
            assertThat(fixed.getAsJsonArray("ownershipExcludes")).isEmpty();
            Answer bad = rig.send("PUT", PROFILE, "{\"ownershipExcludes\":[\"a\",\"b/c\"]}");
            assertThat(bad.status()).isEqualTo(422);
            assertThat(bad.response().body()).contains("ownershipExcludes[1]", "contains '/'", "without a path");
            rig.ok("PUT", PROFILE, "{\"known\":\"csi.spiffe.io\"}");
            assertThat(list(rig).get(0).getAsJsonObject().get("ownershipFixed").getAsBoolean())
                    .isTrue();
            rig.ok("PUT", PROFILE, "{\"known\":\"csi.juicefs.com\",\"ownershipExcludes\":[\".trash\"]}");
            JsonObject known = list(rig).get(0).getAsJsonObject();
            assertThat(known.get("ownershipFixed").getAsBoolean()).isFalse();
            assertThat(known.get("workloadInfo").getAsBoolean()).isTrue();
            assertThat(known.getAsJsonArray("ownershipExcludes")).hasSize(1);
        }
    }

    @Test
    void settingsOfCallsArePutAndShown() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            String rule = "DeleteVolume ABORTED RETRY_AFTER_CAUSE ELSEWHERE it is not the leader";
            rig.ok(
                    "PUT",
                    PROFILE,
                    "{\"callsInFlight\":4,\"callsPerVolume\":2,\"controllersByPlace\":true,\"notFoundAsDone\":true,"
                            + "\"callRules\":[\"" + rule + "\"]}");
            JsonObject shown = list(rig).get(0).getAsJsonObject();
            assertThat(shown.get("callsInFlight").getAsInt()).isEqualTo(4);
            assertThat(shown.get("callsPerVolume").getAsInt()).isEqualTo(2);
            assertThat(shown.get("controllersByPlace").getAsBoolean()).isTrue();
            assertThat(shown.get("notFoundAsDone").getAsBoolean()).isTrue();
            assertThat(shown.getAsJsonArray("callRules"))
                    .singleElement()
                    .satisfies(text -> assertThat(text.getAsString()).isEqualTo(rule));
            rig.ok("PUT", PROFILE, "{\"workloadInfo\":true}");
            JsonObject replaced = list(rig).get(0).getAsJsonObject();
            assertThat(replaced.has("callsInFlight")).isFalse();
            assertThat(replaced.get("callsPerVolume").getAsInt()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"callsInFlight\":0} | callsInFlight | is 0 | use 1",
                "{\"callsPerVolume\":-1} | callsPerVolume | is -1 | use 1",
                "{\"callRules\":[\"DeleteVolume ABORTED\"]} | callRules | without some part | give RPC",
                "{\"callRules\":[\"Delete ABORTED CONFLICT NEVER x\"]} | callRules | RPC Delete | a name of CSI",
                "{\"callRules\":[\"DeleteVolume ABORT CONFLICT NEVER x\"]} | callRules | the word ABORT | ABORTED",
                "{\"callRules\":[\"DeleteVolume OK OUTCOME_UNKNOWN NEVER x\"]} | callRules | only failures | correct"
            })
    void badSettingOfCallsIsRefused(String body, String field, String problem, String remedy) throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer refused = rig.send("PUT", PROFILE, body);
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.response().body()).contains(field, problem, remedy);
            assertThat(list(rig)).isEmpty();
        }
    }

    @Test
    void knownPluginsAreListedInPagesAndAppliedByNameOnly() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            JsonObject page =
                    rig.ok("GET", "/v1/plugin-profiles?known=true&limit=2", "").json();
            JsonArray first = page.getAsJsonArray("items");
            assertThat(first).hasSize(2);
            JsonArray all =
                    rig.ok("GET", "/v1/plugin-profiles?known=true", "").json().getAsJsonArray("items");
            assertThat(all).hasSizeGreaterThan(20).isNotEqualTo(first);
            assertThat(rig.ok(
                                    "GET",
                                    "/v1/plugin-profiles?known=true&limit=1000&after="
                                            + page.get("next").getAsString(),
                                    "")
                            .json()
                            .getAsJsonArray("items"))
                    .hasSize(all.size() - 2);
            assertThat(all).allSatisfy(item -> {
                assertThat(item.getAsJsonObject().get("source").getAsString()).contains(":", "@");
                assertThat(item.getAsJsonObject().get("date").getAsString()).matches("\\d{4}-\\d\\d-\\d\\d");
                assertThat(item.getAsJsonObject().has("modifyIndex")).isFalse();
            });
            assertThat(list(rig)).as("nothing is applied by itself").isEmpty();
            rig.ok("PUT", PROFILE, "{\"known\":\"smb.csi.k8s.io\",\"extraMetadata\":true}");
            JsonObject put = list(rig).get(0).getAsJsonObject();
            assertThat(put.get("plugin").getAsString()).isEqualTo("disk");
            assertThat(put.get("workloadInfo").getAsBoolean()).isTrue();
            assertThat(put.get("extraMetadata").getAsBoolean()).isTrue();
            assertThat(put.has("source")).isFalse();
            assertThat(put.get("securityLabel").getAsBoolean()).isFalse();
            rig.ok("PUT", PROFILE, "{\"known\":\"csi.hetzner.cloud\"}");
            JsonObject labelled = list(rig).get(0).getAsJsonObject();
            assertThat(labelled.get("workloadInfo").getAsBoolean()).isTrue();
            assertThat(labelled.get("securityLabel").getAsBoolean()).isTrue();
            Answer unknown = rig.send("PUT", PROFILE, "{\"known\":\"none.example.com\"}");
            assertThat(unknown.status()).isEqualTo(400);
            assertThat(unknown.response().body()).contains("is no known plugin", "list --known");
            // Its manifest asks for nothing that a profile has.
            assertThat(rig.send("PUT", PROFILE, "{\"known\":\"ebs.csi.aws.com\"}")
                            .status())
                    .isEqualTo(422);
        }
    }

    private static ActionRig rig(String driver) throws Exception {
        ActionRig rig = new ActionRig(
                builder -> builder.plugin(DISK, (plugin, node) -> plugin.name(driver)), builder -> builder);
        rig.cluster.addNode("n1");
        return rig;
    }

    private static List<String> fitting(ActionRig rig) throws Exception {
        List<String> names = new ArrayList<>();
        rig.ok("GET", "/v1/plugin-profiles?known=true&plugin=disk", "")
                .json()
                .getAsJsonArray("items")
                .forEach(item -> names.add(item.getAsJsonObject().get("plugin").getAsString()));
        return names;
    }

    @ParameterizedTest
    @CsvSource({
        "smb.csi.k8s.io, smb.csi.k8s.io",
        "topolvm.cybozu.com, topolvm.io",
        "storage.rbd.csi.ceph.com, rbd.csi.ceph.com"
    })
    void knownPluginFitsEachNameOfItsDriver(String driver, String known) throws Exception {
        try (ActionRig rig = rig(driver)) {
            assertThat(fitting(rig)).containsExactly(known);
            rig.ok("PUT", PROFILE, "{\"known\":\"" + known + "\",\"workloadInfo\":true}");
            assertThat(list(rig)).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"fork.example.com", "smb.csi.k8s.io.example.com", "a.smb.csi.k8s.io"})
    void knownPluginOfAnotherDriverIsPutByForceOnly(String driver) throws Exception {
        try (ActionRig rig = rig(driver)) {
            assertThat(fitting(rig)).isEmpty();
            Answer refused = rig.send("PUT", PROFILE, "{\"known\":\"smb.csi.k8s.io\"}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.response().body())
                    .contains("is smb.csi.k8s.io, and plugin disk reported the driver " + driver, "--force");
            assertThat(list(rig)).isEmpty();
            rig.ok("PUT", PROFILE, "{\"known\":\"smb.csi.k8s.io\",\"force\":true}");
            assertThat(list(rig)).hasSize(1);
        }
    }

    @Test
    void pluginThatHasNotReportedItsNameFitsNothingYet() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer unknown = rig.send("GET", "/v1/plugin-profiles?known=true&plugin=none", "");
            assertThat(unknown.status()).isEqualTo(400);
            assertThat(unknown.response().body()).contains("has not reported its name", "has answered");
        }
    }

    @Test
    void profileThatChangesNothingAndBadRevisionsAreRefused() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer none = rig.send("PUT", PROFILE, "{}");
            assertThat(none.status()).isEqualTo(422);
            assertThat(none.response().body()).contains("only default values", "changes nothing", "set a value");
            assertThat(rig.send("PUT", PROFILE, "{\"workloadInfo\":true,\"ifModifyIndex\":-1}")
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void knownPluginWithTokensIsPutWithThemAndTheRequestReplacesSingleValues() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.ok("PUT", PROFILE, "{\"known\":\"s3.csi.aws.com\"}");
            JsonObject known = list(rig).get(0).getAsJsonObject();
            assertThat(known.get("republishInterval").getAsLong()).isEqualTo(600);
            assertThat(known.getAsJsonArray("tokenAudiences")).hasSize(2);
            assertThat(known.get("tokenExpiry").getAsLong()).isEqualTo(3600);
            assertThat(known.get("tokenDelivery").getAsString()).isEqualTo("VOLUME_CONTEXT");
            rig.ok(
                    "PUT",
                    PROFILE,
                    "{\"known\":\"s3.csi.aws.com\",\"republishInterval\":60,\"tokenAudiences\":[\"a\"],"
                            + "\"tokenExpiry\":120,\"tokenDelivery\":\"SECRETS\"}");
            JsonObject changed = list(rig).get(0).getAsJsonObject();
            assertThat(changed.get("workloadInfo").getAsBoolean()).isTrue();
            assertThat(changed.get("republishInterval").getAsLong()).isEqualTo(60);
            assertThat(changed.getAsJsonArray("tokenAudiences").get(0).getAsString())
                    .isEqualTo("a");
            assertThat(changed.get("tokenExpiry").getAsLong()).isEqualTo(120);
            assertThat(changed.get("tokenDelivery").getAsString()).isEqualTo("SECRETS");
            rig.ok("PUT", PROFILE, "{\"tokenAudiences\":[\"a\"],\"tokensOnlyAtMount\":true}");
            JsonObject once = list(rig).get(0).getAsJsonObject();
            assertThat(once.has("republishInterval")).isFalse();
            assertThat(once.get("tokensOnlyAtMount").getAsBoolean()).isTrue();
            Answer tooShort = rig.send("PUT", PROFILE, "{\"republishInterval\":29}");
            assertThat(tooShort.status()).isEqualTo(422);
            assertThat(tooShort.response().body()).contains("republishInterval", "PT30S");
        }
    }
}
