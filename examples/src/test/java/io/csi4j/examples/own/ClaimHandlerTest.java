package io.csi4j.examples.own;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Claim;
import io.csi4j.node.transport.TransportCodec;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.cluster.FakeCluster;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two allocations wait for the volume of a third one, and their node asks again and again. */
class ClaimHandlerTest {
    private final FakeCluster cluster = FakeCluster.onVirtualTime();
    private final ClaimHandler handler = new ClaimHandler(cluster.lifecycle().claims(), cluster.virtualTime());
    private VolumeKey volume;
    private FakeAllocation holder;

    @BeforeEach
    void start() {
        cluster.addNode("node-1");
        cluster.addNode("node-2");
        volume = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        holder = cluster.startAllocation("holder", "node-1", volume);
        assertThat(cluster.runUntil(holder::hasMountedAll)).isTrue();
        for (String name : List.of("first", "second")) {
            cluster.startAllocation(name, "node-2", new ClaimRequest[0]);
        }
    }

    @AfterEach
    void stop() {
        cluster.close();
    }

    private CompletableFuture<byte[]> ask(String allocation) {
        return handler.claim(new HttpRpc.Request(
                URI.create("/claim?allocation=" + allocation),
                TransportCodec.CLAIMS.encode(List.of(ClaimRequest.writing(volume, OwnServer.WRITER)))));
    }

    private List<AllocationId> claimants() {
        List<AllocationId> claimants = new ArrayList<>();
        for (Claim claim : cluster.state().volume(volume).orElseThrow().claims()) {
            claimants.add(claim.allocationId());
        }
        return claimants;
    }

    @Test
    void repeatedRequestKeepsItsPlaceInTheQueue() {
        CompletableFuture<byte[]> ended = ask("first");
        var unused = ask("second");
        cluster.advance(ClaimHandler.WAIT);
        assertThat(ended).isCompletedExceptionally();
        CompletableFuture<byte[]> second = ask("second");
        CompletableFuture<byte[]> first = ask("first");

        holder.end();
        assertThat(TransportCodec.MOUNTS.decode(cluster.await(first))).hasSize(1);
        assertThat(second).isNotDone();
        assertThat(claimants()).containsExactly(AllocationId.of("first"));
    }

    @Test
    void requestsAtTheSameTimeGetTheSameGrant() {
        CompletableFuture<byte[]> first = ask("first");
        CompletableFuture<byte[]> second = ask("second");
        CompletableFuture<byte[]> again = ask("first");

        holder.end();
        assertThat(cluster.await(again)).isEqualTo(cluster.await(first));
        assertThat(second).isNotDone();
    }

    @Test
    void claimIsWithdrawnWhenItIsNotAskedForAgain() {
        var unused = ask("first");
        CompletableFuture<byte[]> second = ask("second");
        for (var waited = ClaimHandler.WAIT;
                waited.compareTo(ClaimHandler.WAIT.plus(ClaimHandler.KEEP)) <= 0;
                waited = waited.plus(ClaimHandler.WAIT)) {
            cluster.advance(ClaimHandler.WAIT);
            assertThat(second).isCompletedExceptionally();
            second = ask("second");
        }

        holder.end();
        cluster.await(second);
        assertThat(claimants()).containsExactly(AllocationId.of("second"));
    }
}
