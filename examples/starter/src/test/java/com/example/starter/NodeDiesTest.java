package com.example.starter;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.testkit.cluster.FakeAllocation;
import io.csi4j.testkit.cluster.FakeCluster;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The real engine over fake nodes, on time that the test owns: ten minutes pass at once. */
class NodeDiesTest {
    @Test
    void volumeOfDeadNodeMovesOnlyAfterTheNodeIsFenced() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            cluster.addNode("n2");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            cluster.startAllocation("first", "n1", db);
            cluster.runUntilIdle();

            cluster.node("n1").crash();
            FakeAllocation second = cluster.startAllocation("second", "n2", db);
            cluster.advance(Duration.ofMinutes(10));
            assertThat(second.hasMounted(db)).isFalse();

            cluster.node("n1").fence();
            cluster.runUntilIdle();
            assertThat(second.hasMounted(db)).isTrue();

            second.end();
            cluster.runUntilIdle();
            assertThat(cluster.leaks()).isEmpty();
        }
    }
}
