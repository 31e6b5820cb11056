package io.csi4j.server;

import static io.csi4j.agent.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.LogCapture;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.Cluster;
import io.csi4j.replication.ratis.RatisCommandLog;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of a server at the default level has one line for each change that concerns a person. */
@Timeout(60)
class ServerLogTest {
    @TempDir
    Path directory;

    @Test
    void startLeadershipAndStopOfServerAreOneLineEach() throws Exception {
        String own = directory.toString();
        try (LogCapture log = LogCapture.all()) {
            try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory))
                    .node(NodeId.of("local"), directory.resolve("node"))
                    .build()) {
                assertThat(server.log().status().leading()).isTrue();
                await("line of leadership", () -> log.lines().stream().anyMatch(line -> line.contains("leads now")));
                // A change before the first reading of the state has no line, so the node changes until there is one.
                await("line of node", () -> {
                    Cluster cluster = server.lifecycle().cluster();
                    cluster.nodeReady(NodeId.of("local")).join();
                    cluster.nodeDisconnected(NodeId.of("local"), "a cable").join();
                    cluster.nodeReady(NodeId.of("local")).join();
                    return log.lines().contains("INFO Node local is READY");
                });
                await("line of start", () -> log.lines().stream().anyMatch(line -> line.contains("are recorded")));
            }
            assertThat(log.lines().stream().filter(line -> line.contains(own)))
                    .satisfiesExactlyInAnyOrder(
                            line -> assertThat(line)
                                    .startsWith("INFO The log in " + own)
                                    .contains("has started as peer local of [local] with "),
                            line -> assertThat(line)
                                    .startsWith("INFO The volumes of this node in " + own)
                                    .endsWith("have started; 0 are recorded from the last run, and 0 of them are being"
                                            + " unmounted"),
                            line -> assertThat(line)
                                    .startsWith("INFO The volumes of this node in " + own)
                                    .endsWith("have stopped; their mounts stay"),
                            line -> assertThat(line).startsWith("INFO The log in " + own + " has stopped with "));
            assertThat(log.lines())
                    .anyMatch(line -> line.startsWith("INFO This server leads now, from index "))
                    .contains("INFO This server does not lead any more");
        }
    }
}
