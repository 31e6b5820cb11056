package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.spi.ReplicatedLog;
import java.lang.reflect.Proxy;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The answers of a server that does not lead, and of one that did. */
class FollowerTest {
    /** The server that leads; empty for none. */
    private volatile Optional<String> leader = Optional.of("s2");

    /** Whether this server knows how the other one is. */
    private volatile Optional<Duration> silentFor = Optional.empty();

    private AdminRig rig() throws Exception {
        return new AdminRig((AdminServer.Builder builder) -> builder.log((ReplicatedLog) Proxy.newProxyInstance(
                FollowerTest.class.getClassLoader(),
                new Class<?>[] {ReplicatedLog.class},
                (proxy, method, arguments) -> {
                    if (!method.getName().equals("status")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    return new LogStatus(
                            "s1",
                            false,
                            leader,
                            Optional.empty(),
                            7,
                            9,
                            9,
                            9,
                            0,
                            List.of("s1", "s2"),
                            new LogDetails(
                                    OptionalLong.empty(),
                                    Optional.empty(),
                                    List.of(
                                            new LogDetails.Server(
                                                    "s1", OptionalLong.of(9), Optional.empty(), Optional.empty()),
                                            new LogDetails.Server(
                                                    "s2", OptionalLong.of(9), silentFor, Optional.empty())),
                                    Optional.empty(),
                                    Optional.empty(),
                                    0,
                                    0,
                                    0));
                })));
    }

    private static JsonObject json(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static JsonObject first(JsonObject page) {
        return page.getAsJsonArray("items").get(0).getAsJsonObject();
    }

    private static Optional<String> incomplete(HttpResponse<String> answer) {
        return answer.headers().firstValue("csi-incomplete");
    }

    /** Adds a volume with a holder and a waiting claim, and a node that reported a problem with it. */
    private static void fill(AdminRig rig) throws Exception {
        rig.node("n1", AdminRig.DISK).volume(AdminRig.key("v"));
        rig.done(rig.claim("a1", "n1", AdminRig.key("v")));
        var unusedWait = rig.claim("a2", "n1", AdminRig.key("v"));
        rig.report = new NodeReport(List.of(new NodeVolume(
                AdminRig.key("v"),
                Optional.of(AdminRig.DISK),
                Optional.empty(),
                false,
                true,
                "",
                List.of(),
                Optional.empty(),
                "",
                "target is busy",
                Duration.ofSeconds(2))));
        json(rig.get("/v1/nodes/n1"));
        rig.awaitPage("/v1/volumes", "\"waiting\":1");
    }

    @Test
    void leaderKnowsAll() throws Exception {
        try (AdminRig rig = rig()) {
            fill(rig);
            HttpResponse<String> volumes = rig.get("/v1/volumes");
            assertThat(incomplete(volumes)).isEmpty();
            assertThat(first(json(volumes)).get("health").getAsString()).isEqualTo("ABNORMAL");
            assertThat(volumes.body()).contains("node n1 reported: target is busy");
            HttpResponse<String> volume = rig.get("/v1/volumes/default/v");
            assertThat(incomplete(volume)).isEmpty();
            assertThat(json(volume).getAsJsonArray("onNodes")).hasSize(1);
            assertThat(first(json(rig.get("/v1/nodes"))).get("volumeCount").getAsInt())
                    .isEqualTo(1);
            assertThat(incomplete(rig.get("/v1/search/a"))).isEmpty();
            assertThat(incomplete(rig.get("/v1/health"))).isEmpty();
            assertThat(incomplete(rig.get("/v1/log"))).isEmpty();
        }
    }

    @Test
    void followerLeavesOutWhatOnlyTheLeaderKnowsAndNamesTheLeader() throws Exception {
        try (AdminRig rig = rig()) {
            fill(rig);
            rig.lifecycle.stopLeading();
            Map<String, List<String>> lists = Map.of(
                    "/v1/volumes", List.of("waiting", "health", "problems"),
                    "/v1/nodes",
                            List.of("lastContact", "silentFor", "contactProblem", "volumeCount", "unfinishedCount"));
            for (Map.Entry<String, List<String>> list : lists.entrySet()) {
                HttpResponse<String> answer = rig.get(list.getKey());
                assertThat(incomplete(answer).orElseThrow()).as(list.getKey()).endsWith("only at s2, which leads");
                assertThat(list.getValue()).as(list.getKey()).noneMatch(first(json(answer))::has);
            }
            Map<String, List<String>> objects = Map.of(
                    "/v1/volumes/default/v", List.of("waiting", "onNodes", "failures"),
                    "/v1/allocations/a2", List.of("waiting"),
                    "/v1/search/a", List.of(),
                    "/v1/health", List.of("waitingClaims"),
                    "/v1/log", List.of());
            for (Map.Entry<String, List<String>> object : objects.entrySet()) {
                HttpResponse<String> answer = rig.get(object.getKey());
                assertThat(incomplete(answer).orElseThrow()).as(object.getKey()).endsWith("only at s2, which leads");
                assertThat(object.getValue()).as(object.getKey()).noneMatch(json(answer)::has);
            }
            assertThat(json(rig.get("/v1/volumes/default/v"))
                            .getAsJsonObject("remaining")
                            .keySet())
                    .doesNotContain("done", "nodes");
            assertThat(first(json(rig.get("/v1/volumes"))).get("taken").getAsInt())
                    .as("the state has the claims")
                    .isEqualTo(1);
            assertThat(incomplete(rig.get("/v1/nodes/n1")))
                    .as("each server asks the agent")
                    .isEmpty();
            assertThat(json(rig.get("/v1/nodes/n1")).get("volumeCount").getAsInt())
                    .isEqualTo(1);
        }
    }

    @Test
    void followerWithoutLeaderSaysThatItKnowsNone() throws Exception {
        leader = Optional.of("s\u00e9");
        try (AdminRig rig = rig()) {
            rig.lifecycle.stopLeading();
            assertThat(incomplete(rig.get("/v1/volumes")))
                    .contains("the waiting claims and the health of volumes are known only at s?, which leads");
            leader = Optional.empty();
            assertThat(incomplete(rig.get("/v1/volumes")).orElseThrow()).endsWith("this one knows none that does");
        }
    }

    @Test
    void logIsCompleteAtAFollowerThatKnowsTheOtherServers() throws Exception {
        silentFor = Optional.of(Duration.ofSeconds(1));
        try (AdminRig rig = rig()) {
            rig.lifecycle.stopLeading();
            assertThat(incomplete(rig.get("/v1/log"))).isEmpty();
            silentFor = Optional.empty();
            assertThat(incomplete(rig.get("/v1/log"))).isPresent();
        }
    }

    @Test
    void serverThatLeadsAgainDoesNotKnowWhatNodesReportedBefore() throws Exception {
        try (AdminRig rig = rig()) {
            fill(rig);
            rig.lifecycle.stopLeading();
            rig.report = new NodeReport(List.of());
            rig.done(rig.lifecycle.cluster().nodeFenced(NodeId.of("n1"), "it is off"));
            rig.lifecycle.startLeading();
            HttpResponse<String> nodes = rig.get("/v1/nodes");
            assertThat(incomplete(nodes)).isEmpty();
            assertThat(first(json(nodes)).keySet()).doesNotContain("volumeCount", "lastContact");
            assertThat(rig.get("/v1/volumes").body()).doesNotContain("target is busy");
        }
    }

    @Test
    void creationIsLeftToTheLeaderBeforeAnythingIsStored() throws Exception {
        try (AdminRig rig = rig()) {
            rig.node("n1", PluginId.of("disk"));
            rig.lifecycle.stopLeading();
            long index = rig.store.snapshot().index();
            HttpResponse<String> refused = create(rig, "");
            assertThat(refused.statusCode()).isEqualTo(503);
            JsonObject problem = JsonParser.parseString(refused.body()).getAsJsonObject();
            assertThat(problem.get("type").getAsString()).isEqualTo("urn:csi4j:problem:not-leading");
            assertThat(problem.get("leader").getAsString()).isEqualTo("s2");
            assertThat(put(rig, "", "{\"class\":\"fast\"}").statusCode()).isEqualTo(503);
            assertThat(json(rig.get("/v1/operations")).getAsJsonArray("items")).isEmpty();
            assertThat(recheck(rig).statusCode())
                    .as("its calls would not be repeated at once")
                    .isEqualTo(503);
            assertThat(create(rig, "?dryRun").statusCode()).isEqualTo(200);
            assertThat(first(json(rig.get("/v1/operations"))).get("dryRun").getAsBoolean())
                    .isTrue();
            assertThat(rig.store.snapshot().index()).isEqualTo(index);
        }
    }

    private static HttpResponse<String> create(AdminRig rig, String query) throws Exception {
        return put(
                rig,
                query,
                "{\"plugin\":\"disk\",\"requestedCapabilities\":[{\"accessMode\":\"SINGLE_NODE_WRITER\"}]}");
    }

    private static HttpResponse<String> put(AdminRig rig, String query, String spec) throws Exception {
        return rig.http.send(
                HttpRequest.newBuilder(rig.at("/v1/volumes/default/new" + query))
                        .header("content-type", "application/json")
                        .PUT(HttpRequest.BodyPublishers.ofString(spec))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> recheck(AdminRig rig) throws Exception {
        return rig.http.send(
                HttpRequest.newBuilder(rig.at("/v1/volumes/default/db/recheck"))
                        .header("content-type", "application/json")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void runningOperationSaysThatNoServerLeads() throws Exception {
        try (AdminRig rig = rig()) {
            rig.node("n1", PluginId.of("disk")).volume(AdminRig.key("v"));
            rig.lifecycle.stopLeading();
            HttpResponse<String> begun = rig.http.send(
                    HttpRequest.newBuilder(rig.at("/v1/volumes/default/v?wait=0"))
                            .DELETE()
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
            String operation = begun.headers().firstValue("location").orElseThrow();
            assertThat(json(rig.get(operation)).keySet()).doesNotContain("obstacle");
            leader = Optional.empty();
            assertThat(json(rig.get(operation)).get("obstacle").getAsString()).startsWith("no server leads");
            assertThat(json(rig.get(operation)).get("dryRun").getAsBoolean()).isFalse();
        }
    }
}
