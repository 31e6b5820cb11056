package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.admin.ActionRig.Answer;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.fault.Fault;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Actions as operations: their answers, keys, events and cancellation, with a real engine and a plugin that is slow on demand. */
class OperationsTest {
    private static final VolumeKey DB = VolumeKey.of("default", "db");

    private static FakeCsiPlugin plugin(ActionRig rig) {
        return rig.cluster.addNode("n1").plugin();
    }

    private static String at(Answer accepted) {
        return accepted.header("location");
    }

    private static long calls(FakeCsiPlugin plugin, Rpc rpc) {
        return plugin.history().of(rpc).calls().size();
    }

    @Test
    void slowActionAnswersWithItsOperationThatShowsProgressAndResult() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeCsiPlugin plugin = plugin(rig);
            Fault hang = plugin.onCall(Rpc.CREATE_VOLUME).hang();
            Answer accepted = rig.send("PUT", ActionRig.DB, rig.spec(""));
            assertThat(accepted.status()).isEqualTo(202);
            assertThat(at(accepted)).isEqualTo("/v1/operations/" + accepted.text("id"));
            assertThat(accepted.text("state")).isEqualTo("RUNNING");
            hang.awaitUse(1, Duration.ofSeconds(20));
            Answer running = rig.ok("GET", at(accepted), "");
            assertThat(running.text("command")).isEqualTo("volume create");
            assertThat(running.text("object")).isEqualTo("default/db");
            assertThat(running.text("caller")).isEqualTo("host");
            assertThat(running.json().getAsJsonObject("progress").get("phase").getAsString())
                    .isEqualTo("CREATING");
            assertThat(running.response().body()).contains("CALL_IN_FLIGHT").doesNotContain("\"ended\"");
            assertThat(rig.ok("GET", "/v1/operations?state=RUNNING", "").json().getAsJsonArray("items"))
                    .hasSize(1);
            hang.remove();
            Answer done = rig.ok("GET", at(accepted) + "?wait=20", "");
            assertThat(done.text("state")).isEqualTo("DONE");
            assertThat(done.json().has("ended")).isTrue();
            assertThat(done.json().getAsJsonObject("result").get("phase").getAsString())
                    .isEqualTo("AVAILABLE");
            assertThat(rig.ok("GET", "/v1/operations?state=RUNNING", "").json().getAsJsonArray("items"))
                    .isEmpty();
        }
    }

    @Test
    void actionWithoutWaitAnswersWithItsOperationAtOnce() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            plugin(rig);
            Answer accepted = rig.send("POST", "/v1/nodes/n9/ready?wait=0", "");
            assertThat(accepted.status()).isIn(200, 202); // It may have ended before the answer was made.
            String id = accepted.header("csi-operation");
            assertThat(rig.ok("GET", "/v1/operations/" + id + "?wait=20", "").text("state"))
                    .isEqualTo("DONE");
            assertThat(rig.send("POST", "/v1/nodes/n9/ready?wait=601", "")
                            .response()
                            .body())
                    .contains("\"field\":\"wait\"", "is longer than 600 s");
        }
    }

    @Test
    void requestsWithOneKeyAreOneOperationAlsoAtOnceAndAfterItsEnd() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeCsiPlugin plugin = plugin(rig);
            Fault hang = plugin.onCall(Rpc.CREATE_SNAPSHOT).hang();
            rig.ok("PUT", ActionRig.DB, rig.spec(""));
            String[] key = {"Idempotency-Key", "k-1"};
            String path = ActionRig.DB + "/snapshots";
            CompletableFuture<Answer> first = rig.sendLater("POST", path + "?wait=20", "{\"name\":\"s\"}", key);
            CompletableFuture<Answer> second = rig.sendLater("POST", path + "?wait=20", "{\"name\":\"s\"}", key);
            hang.awaitUse(1, Duration.ofSeconds(20));
            Answer third = rig.send("POST", path + "?wait=0", "{\"name\":\"s\"}", key);
            assertThat(third.status()).isEqualTo(202);
            assertThat(third.header("idempotency-replayed")).isEqualTo("true");
            hang.remove();
            String id = third.text("id");
            for (Answer answer : List.of(
                    first.get(20, TimeUnit.SECONDS),
                    second.get(20, TimeUnit.SECONDS),
                    rig.ok("POST", path, "{\"name\":\"s\"}", key))) {
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.header("csi-operation")).isEqualTo(id);
                assertThat(answer.json().has("snapshotId")).isTrue();
            }
            assertThat(calls(plugin, Rpc.CREATE_SNAPSHOT)).isEqualTo(1);
            assertThat(rig.ok("POST", path, "{\"name\":\"s\"}").header("csi-operation"))
                    .isNotEqualTo(id);
            Answer other = rig.send("POST", path, "{\"name\":\"other\"}", key);
            assertThat(other.status()).isEqualTo(422);
            assertThat(other.text("type")).isEqualTo("urn:csi4j:problem:key-in-use");
            assertThat(other.text("detail")).contains("k-1", id, "snapshot create default/db");
            assertThat(rig.send("POST", path, "{\"name\":\"s\"}", "Idempotency-Key", "k".repeat(256))
                            .response()
                            .body())
                    .contains("\"field\":\"Idempotency-Key\"");
        }
    }

    @Test
    void repeatedRequestStartsAgainOnlyIfItMaySucceedNow() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            plugin(rig);
            String[] key = {"Idempotency-Key", "k"};
            Answer first = rig.send("POST", "/v1/plugins/none/wait", "{\"limit\":0.1}", key);
            assertThat(first.status()).isEqualTo(504);
            assertThat(first.json().get("retryable").getAsBoolean()).isTrue();
            Answer again = rig.send("POST", "/v1/plugins/none/wait", "{\"limit\":0.1}", key);
            assertThat(again.header("csi-operation")).isNotEqualTo(first.header("csi-operation"));

            String[] other = {"Idempotency-Key", "k2"};
            Answer absent = rig.send("DELETE", ActionRig.DB, "", other);
            assertThat(absent.status()).isEqualTo(404);
            rig.cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            Answer same = rig.send("DELETE", ActionRig.DB, "", other);
            assertThat(same.status()).isEqualTo(404);
            assertThat(same.header("csi-operation")).isEqualTo(absent.header("csi-operation"));
            assertThat(rig.cluster.state().volume(DB)).isPresent();
        }
    }

    @Test
    void requestThatCannotBeReadIsNoOperationAndKeepsNoKey() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            plugin(rig);
            String[] key = {"Idempotency-Key", "k"};
            assertThat(rig.send("PUT", ActionRig.DB, rig.spec(",\"capacityRange\":{\"limitBytes\":-1}"), key)
                            .status())
                    .isEqualTo(400);
            assertThat(rig.ok("GET", "/v1/operations", "").json().getAsJsonArray("items"))
                    .isEmpty();
            rig.ok("PUT", ActionRig.DB, rig.spec(""), key);
        }
    }

    @Test
    void cancellationEndsTheOperationAndSaysThatTheEngineContinues() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeCsiPlugin plugin = plugin(rig);
            Fault hang = plugin.onCall(Rpc.CREATE_VOLUME).hang();
            CompletableFuture<Answer> waiting = rig.sendLater("PUT", ActionRig.DB + "?wait=60", rig.spec(""));
            hang.awaitUse(1, Duration.ofSeconds(20));
            String id = rig.ok("GET", "/v1/operations", "")
                    .json()
                    .getAsJsonArray("items")
                    .get(0)
                    .getAsJsonObject()
                    .get("id")
                    .getAsString();
            Answer cancelled = rig.ok("POST", "/v1/operations/" + id + "/cancel", "");
            assertThat(cancelled.text("state")).isEqualTo("CANCELLED");
            assertThat(cancelled.text("continues")).contains("leader continues", "withdraw-creation");
            Answer waited = waiting.get(20, TimeUnit.SECONDS);
            assertThat(waited.status()).isEqualTo(409);
            assertThat(waited.text("type")).isEqualTo("urn:csi4j:problem:cancelled");
            assertThat(rig.ok("POST", "/v1/operations/" + id + "/cancel", "").text("ended"))
                    .isEqualTo(cancelled.text("ended"));
            hang.remove();
            assertThat(rig.cluster.runUntil(() -> rig.cluster
                            .state()
                            .volume(DB)
                            .filter(volume -> volume.phase() == VolumePhase.AVAILABLE)
                            .isPresent()))
                    .isTrue();
            Answer done = rig.ok("PUT", ActionRig.DB, rig.spec(""));
            Answer after = rig.ok("POST", "/v1/operations/" + done.header("csi-operation") + "/cancel", "");
            assertThat(after.text("state")).isEqualTo("DONE");
            assertThat(after.json().has("continues")).isFalse();
            Answer failed = rig.send("DELETE", "/v1/volumes/default/none", "");
            assertThat(rig.ok("POST", "/v1/operations/" + failed.header("csi-operation") + "/cancel", "")
                            .text("state"))
                    .isEqualTo("FAILED");
            Answer absent = rig.send("POST", "/v1/operations/00000000-1/cancel", "");
            assertThat(absent.status()).isEqualTo(404);
            assertThat(absent.text("detail")).contains("repeat the action");
        }
    }

    @Test
    void watchedOperationShowsFailedAttemptsAndEndsWithItsEnd() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            FakeCsiPlugin plugin = plugin(rig);
            Fault failing = plugin.onCall(Rpc.CREATE_VOLUME).times(2).failWith(StatusCode.RESOURCE_EXHAUSTED);
            Fault hang = plugin.onCall(Rpc.CREATE_VOLUME).hang();
            Answer accepted = rig.send("PUT", ActionRig.DB + "?wait=0", rig.spec(""));
            HttpResponse<Stream<String>> events = rig.http.send(
                    HttpRequest.newBuilder(rig.admin.uri().resolve(at(accepted) + "/events"))
                            .build(),
                    HttpResponse.BodyHandlers.ofLines());
            assertThat(events.headers().firstValue("content-type")).contains("text/event-stream");
            CompletableFuture<List<JsonObject>> all = CompletableFuture.supplyAsync(() -> events.body()
                    .filter(line -> !line.isEmpty())
                    .map(line -> JsonParser.parseString(line.substring("data: ".length()))
                            .getAsJsonObject())
                    .toList());
            failing.awaitUse(2, Duration.ofSeconds(20));
            hang.awaitUse(1, Duration.ofSeconds(30));
            assertThat(all).isNotDone();
            hang.remove();
            List<JsonObject> seen = all.get(20, TimeUnit.SECONDS);
            assertThat(seen.get(0).get("state").getAsString()).isEqualTo("RUNNING");
            assertThat(seen).anySatisfy(event -> {
                JsonObject progress = event.getAsJsonObject("progress");
                assertThat(progress.get("attempts").getAsInt()).isEqualTo(2);
                assertThat(progress.get("lastError").getAsString()).contains("RESOURCE_EXHAUSTED");
                assertThat(progress.get("phase").getAsString()).isEqualTo("CREATING");
            });
            JsonObject last = seen.get(seen.size() - 1);
            assertThat(last.get("state").getAsString()).isEqualTo("DONE");
            assertThat(last.getAsJsonObject("result").get("volume").getAsString())
                    .isEqualTo("db");
            assertThat(seen.stream().filter(event -> event.has("ended"))).hasSize(1);
            assertThat(rig.send("GET", "/v1/operations/x/events", "").status()).isEqualTo(404);
        }
    }

    @Test
    void listHasTheLatestFirstInPages() throws Exception {
        try (ActionRig rig = new ActionRig()) {
            for (int i = 0; i < 5; i++) {
                rig.ok("POST", "/v1/nodes/n" + i + "/ready", "");
            }
            rig.ok("POST", "/v1/nodes/n0/down", "");
            Answer page = rig.ok("GET", "/v1/operations?limit=3&command=node+ready", "");
            assertThat(objects(page)).containsExactly("n4", "n3", "n2");
            Answer rest = rig.ok("GET", "/v1/operations?limit=3&command=node+ready&after=" + page.text("next"), "");
            assertThat(objects(rest)).containsExactly("n1", "n0");
            assertThat(rest.json().has("next")).isFalse();
        }
    }

    private static List<String> objects(Answer page) {
        JsonArray items = page.json().getAsJsonArray("items");
        return items.asList().stream()
                .map(item -> item.getAsJsonObject().get("object").getAsString())
                .toList();
    }

    @Test
    void sameKeyOfAnotherCallerIsAnotherOperation() throws Exception {
        Map<String, Principal> tokens = Map.of("a", () -> "alice", "b", () -> "bob");
        try (ActionRig rig = new ActionRig(
                plugins -> plugins,
                options -> options.authenticator(token -> Optional.ofNullable(tokens.get(token))))) {
            plugin(rig);
            Answer alice =
                    rig.ok("POST", "/v1/nodes/n9/ready", "", "Idempotency-Key", "k", "Authorization", "Bearer a");
            Answer bob = rig.ok("POST", "/v1/nodes/n9/down", "", "Idempotency-Key", "k", "Authorization", "Bearer b");
            assertThat(bob.header("csi-operation")).isNotEqualTo(alice.header("csi-operation"));
        }
    }
}
