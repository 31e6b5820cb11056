package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.RemainingWork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A node that cannot write its ledger says so to the server, which waits for its unmount. */
@Timeout(180)
class AgentLedgerTest {
    private Ground ground;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    @Test
    void ledgerThatCannotBeWrittenIsShownOnTheServerAtTheWaitingRelease() throws Exception {
        Endpoint server = ground.unix("server");
        Endpoint listen = ground.unix("agent-socket");
        ground.start(ground.server().listenToAgent(server, NODE));
        NodeAgent agent = ground.start(ground.agent(listen, server));
        ground.plugin(agent);
        ground.routes.put(NODE, NodeRoute.direct(listen));
        get(ground.lifecycle.cluster().nodeReady(NODE));
        ground.knows(true);
        VolumeKey key = ground.volume("db2");
        ground.running("web-2");
        AllocationId allocation = AllocationId.of("web-2");
        get(agent.prepare(allocation, List.of(Ground.writing(key))));
        // A file in the place of the directory fails every write, as a full disk does.
        Path ledger = ground.path("agent").resolve("volumes").resolve("ledger");
        Path aside = ledger.resolveSibling("aside");
        Files.move(ledger, aside);
        Files.createFile(ledger);
        get(ground.lifecycle.cluster().allocationEnded(allocation));

        String error = claimError(key, allocation, text -> text.contains("the ledger cannot be written"));
        assertThat(error)
                .startsWith("NodeUnpublishVolume for ext-db2 at plugin ebs on node node-1 is not done: ")
                .contains(ledger.toString());
        assertThat(get(ground.lifecycle.claims().status(key))
                        .orElseThrow()
                        .remaining()
                        .waits())
                .noneMatch(wait -> wait.reason() == RemainingWork.Reason.CALL_IN_FLIGHT);

        Files.delete(ledger);
        Files.move(aside, ledger);
        get(ground.lifecycle.operator().detach(key, NODE));
        ground.until(
                "the claim is free",
                StateScope.of(StateScope.Table.VOLUMES),
                state -> state.volume(key).orElseThrow().claims().isEmpty());
    }

    private String claimError(VolumeKey key, AllocationId allocation, Predicate<String> fits) {
        ground.until(
                "the error of the release",
                StateScope.of(StateScope.Table.VOLUMES),
                state -> state.volume(key)
                        .flatMap(volume -> volume.claims().get(allocation))
                        .flatMap(claim -> claim.retry().lastError())
                        .filter(fits)
                        .isPresent());
        return ground.store
                .snapshot()
                .volume(key)
                .flatMap(volume -> volume.claims().get(allocation))
                .flatMap(claim -> claim.retry().lastError())
                .orElseThrow();
    }
}
