package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.csi4j.admin.ActionRig.Answer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Quotas over HTTP, with a real engine and a strict plugin. */
class QuotaActionsTest {
    private static final String QUOTA = "/v1/quotas/default";
    private static final int MIB = 1 << 20;

    private static List<String> fields(Answer answer) {
        return answer.json().getAsJsonArray("problems").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(problem -> problem.get("field").getAsString())
                .toList();
    }

    private static List<String> classes(JsonObject page) {
        return page.getAsJsonArray("items").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .map(item -> item.get("namespace").getAsString()
                        + (item.has("class") ? "/" + item.get("class").getAsString() : ""))
                .toList();
    }

    @Test
    void useIsShownByPhaseAndARefusalNamesEachLimit() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.cluster.addNode("n1", "zone-1");
            rig.ok("PUT", QUOTA, "{\"volumes\":1,\"bytes\":" + MIB + "}");
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            JsonObject shown = rig.ok("GET", QUOTA, "").json();
            assertThat(shown.get("usedVolumes").getAsLong()).isEqualTo(1);
            assertThat(shown.get("usedBytes").getAsLong()).isEqualTo(MIB);
            assertThat(shown.get("volumes").getAsLong()).isEqualTo(1);
            assertThat(shown.get("over").getAsBoolean()).isFalse();
            assertThat(shown.getAsJsonObject("ready").get("volumes").getAsLong())
                    .isEqualTo(1);
            assertThat(shown.getAsJsonObject("creating").get("volumes").getAsLong())
                    .isZero();
            Answer refused = rig.send("PUT", "/v1/volumes/default/second", rig.spec(""));
            assertThat(refused.status()).isEqualTo(409);
            assertThat(refused.text("type")).isEqualTo("urn:csi4j:problem:quota-exceeded");
            assertThat(fields(refused)).containsExactly("volume", "requiredBytes");
            assertThat(refused.response().body())
                    .contains("permits 1 volumes, of which 1 are used, and 1 more are asked for", "raise the limit");
            rig.ok("DELETE", QUOTA, "");
            rig.ok("PUT", "/v1/volumes/default/second", rig.spec(""));
            assertThat(rig.send("GET", QUOTA, "").status()).isEqualTo(422);
        }
    }

    @Test
    void quotaOfAClassIsAnotherThanThatOfItsNamespace() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            rig.ok("PUT", QUOTA, "{\"volumes\":5}");
            rig.ok("PUT", QUOTA, "{\"class\":\"a/b c\",\"bytes\":7}");
            rig.ok("PUT", "/v1/quotas/other", "{\"volumes\":0}");
            JsonObject of = rig.ok("GET", QUOTA + "?class=a%2Fb+c", "").json();
            assertThat(of.get("bytes").getAsLong()).isEqualTo(7);
            assertThat(of.has("volumes")).isFalse();
            JsonObject first = rig.ok("GET", "/v1/quotas?limit=2", "").json();
            assertThat(classes(first)).containsExactly("default", "default/a/b c");
            String next = java.net.URLEncoder.encode(
                    first.get("next").getAsString(), java.nio.charset.StandardCharsets.UTF_8);
            assertThat(classes(rig.ok("GET", "/v1/quotas?limit=2&after=" + next, "")
                            .json()))
                    .containsExactly("other");
            assertThat(classes(rig.ok("GET", "/v1/quotas?namespace=default", "").json()))
                    .hasSize(2);
            rig.ok("DELETE", QUOTA + "?class=a%2Fb+c", "");
            assertThat(classes(rig.ok("GET", "/v1/quotas?namespace=default", "").json()))
                    .containsExactly("default");
        }
    }

    @Test
    void badLimitsAndOldVersionsAreRefused() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            Answer negative = rig.send("PUT", QUOTA, "{\"volumes\":-1,\"bytes\":-2}");
            assertThat(negative.status()).as(negative.response().body()).isIn(400, 422);
            assertThat(negative.response().body()).contains("volumes", "-1");
            Answer large = rig.send("PUT", QUOTA, "{\"volumes\":9223372036854775808}");
            assertThat(large.status()).isEqualTo(400);
            assertThat(large.response().body()).contains("volumes");
            Answer none = rig.send("PUT", QUOTA, "{}");
            assertThat(none.status()).isEqualTo(422);
            assertThat(none.response().body()).contains("limits nothing");
            rig.ok("PUT", QUOTA, "{\"volumes\":9223372036854775807}");
            long index = rig.ok("GET", QUOTA, "").json().get("modifyIndex").getAsLong();
            rig.ok("PUT", QUOTA, "{\"volumes\":2,\"ifModifyIndex\":" + index + "}");
            Answer changed = rig.send("PUT", QUOTA, "{\"volumes\":3,\"ifModifyIndex\":" + index + "}");
            assertThat(changed.status()).isEqualTo(409);
            assertThat(changed.response().body()).contains("read the quota again");
        }
    }
}
