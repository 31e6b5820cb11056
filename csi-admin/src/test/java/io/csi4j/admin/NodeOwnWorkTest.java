package io.csi4j.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Work that a node does for its own agent, which no call and no step of the leader shows. */
class NodeOwnWorkTest {
    private static NodeVolume unmounting(Optional<NodeVolume.Call> call, String error) {
        return new NodeVolume(
                AdminRig.key("db"),
                Optional.of(AdminRig.DISK),
                Optional.empty(),
                false,
                true,
                "",
                List.of(new NodeVolume.Use(
                        AllocationId.of("web-1"), NodeVolume.State.UNMOUNTING, Optional.empty(), false, "")),
                call,
                "a call to its plugin is under way",
                error,
                Duration.ofSeconds(51));
    }

    private static JsonObject remaining(AdminRig rig) throws Exception {
        return JsonParser.parseString(rig.get("/v1/volumes/default/db").body())
                .getAsJsonObject()
                .getAsJsonObject("remaining");
    }

    @Test
    void statusOfVolumeIsNotDoneWhileANodeUnmounts() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            rig.node("n1", AdminRig.DISK).volume(AdminRig.key("db"));
            rig.done(rig.claim("web-1", "n1", AdminRig.key("db")));
            assertThat(remaining(rig).get("done").getAsBoolean()).isTrue();
            rig.report = new NodeReport(List.of(unmounting(
                    Optional.of(new NodeVolume.Call(Rpc.NODE_UNPUBLISH_VOLUME, Duration.ofSeconds(49))), "")));
            assertThat(rig.get("/v1/nodes/n1").statusCode()).isEqualTo(200); // Asks the node.
            assertThat(remaining(rig).get("done").getAsBoolean()).isFalse();
            assertThat(remaining(rig).getAsJsonArray("steps")).isEmpty();
            assertThat(remaining(rig).getAsJsonArray("waits")).isEmpty();
            assertThat(remaining(rig).getAsJsonArray("nodes").toString())
                    .isEqualTo("[\"node n1 unmounts, for 51 s when it reported (NodeUnpublishVolume has no answer)\"]");
            assertThat(rig.page("/volume?namespace=default&id=db")).contains("Remaining work", "unmount, node n1");
            rig.report = new NodeReport(List.of(unmounting(Optional.empty(), "target is busy")));
            assertThat(rig.get("/v1/nodes/n1").statusCode()).isEqualTo(200);
            assertThat(remaining(rig).getAsJsonArray("nodes").toString()).contains("(target is busy)");
            assertThat(rig.http
                            .send(
                                    HttpRequest.newBuilder(
                                                    rig.at("/v1/volumes/default/db/attachments/n1/detach?wait=20"))
                                            .header("Content-Type", "application/json")
                                            .POST(HttpRequest.BodyPublishers.noBody())
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body())
                    .contains("\"held\":[\"web-1\"]", "node n1 unmounts, for 51 s when it reported (target is busy)");
            rig.report = new NodeReport(List.of());
            assertThat(rig.get("/v1/nodes/n1").statusCode()).isEqualTo(200);
            assertThat(remaining(rig).get("done").getAsBoolean()).isTrue();
            assertThat(rig.page("/volume?namespace=default&id=db")).doesNotContain("Remaining work");
        }
    }

    @Test
    void listOfCallsOfANodeSaysWhereTheNodesOwnWorkIs() throws Exception {
        try (AdminRig rig = new AdminRig()) {
            assertThat(rig.get("/v1/calls?node=n%C3%BC1").headers().firstValue("csi-note"))
                    .contains(
                            "the mounts and unmounts that the node does for its own agent are in csi node status n?1");
            assertThat(rig.get("/v1/calls?failing").headers().firstValue("csi-note"))
                    .contains("calls that wait for their next attempt are in csi call failed");
            assertThat(rig.get("/v1/calls").headers().firstValue("csi-note")).isEmpty();
        }
    }
}
