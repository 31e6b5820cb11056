package io.csi4j.testkit.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.volume.Volume;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FakeClusterTest {
    private static void walk(FakeCluster cluster) {
        cluster.addNode("n1");
        cluster.addNode("n2");
        VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
        FakeAllocation first = cluster.startAllocation("first", "n1", db);
        assertThat(cluster.runUntil(first::hasMountedAll)).isTrue();
        FakeAllocation second = cluster.startAllocation("second", "n2", db);
        assertThat(cluster.runUntilIdle()).isTrue();
        assertThat(first.hasMounted(db)).isTrue();
        assertThat(second.hasMounted(db)).isFalse();

        first.end();
        assertThat(cluster.runUntil(second::hasMountedAll)).isTrue();
        assertThat(first.hasMounted(db)).isFalse();
        assertThat(cluster.storage().attachedNodes(externalId(cluster, db))).containsExactly("n2");

        second.end();
        assertThat(cluster.runUntilIdle()).isTrue();
        assertThat(cluster.leaks()).isEmpty();
        cluster.await(cluster.lifecycle().volumes().delete(db));
        assertThat(cluster.storage().volumeIds()).isEmpty();
    }

    private static String externalId(FakeCluster cluster, VolumeKey key) {
        return cluster.state()
                .volume(key)
                .flatMap(Volume::externalVolumeId)
                .map(ExternalVolumeId::value)
                .orElseThrow();
    }

    @Test
    void volumeMovesToNextAllocationInVirtualTime() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            walk(cluster);
            assertThat(cluster.virtualTime().elapsed()).isLessThan(Duration.ofMinutes(1));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void volumeMovesToTheNextAllocationInAnyOrderOfTasks(long seed) {
        try (FakeCluster cluster = FakeCluster.onVirtualTime(seed)) {
            walk(cluster);
        }
    }

    @Test
    void idleClusterHasRepeatedFailedMount() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            node.plugin().onCall(Rpc.NODE_PUBLISH_VOLUME).once().failWith(StatusCode.INVALID_ARGUMENT);
            FakeAllocation allocation = cluster.startAllocation("first", "n1", db);
            assertThat(cluster.runUntil(() -> allocation.failure().isPresent())).isTrue();
            assertThat(cluster.runUntilIdle()).isTrue();
            assertThat(allocation.hasMountedAll()).isTrue();
        }
    }

    @Test
    void clusterWithMountThatFailsEachTimeIsNotIdle() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            node.plugin().onCall(Rpc.NODE_PUBLISH_VOLUME).failWith(StatusCode.INVALID_ARGUMENT);
            FakeAllocation allocation = cluster.startAllocation("first", "n1", db);
            assertThat(cluster.runUntilIdle()).isFalse();
            assertThat(allocation.failure()).isPresent();
        }
    }

    @Test
    void volumeMovesToNextAllocationInRealTime() {
        try (FakeCluster cluster = FakeCluster.onRealTime()) {
            walk(cluster);
            assertThatThrownBy(cluster::virtualTime).hasMessageContaining("onVirtualTime");
        }
    }

    @Test
    void readmeExampleEqualsCodeInThisTest() throws IOException {
        String code =
                squeezed(Files.readString(Path.of("src/test/java/io/csi4j/testkit/cluster/FakeClusterTest.java")));
        String readme = Files.readString(Path.of("README.md"));
        int section = readme.indexOf("## Test your scheduler");
        int begin = readme.indexOf("```java", section) + "```java".length();
        String example = readme.substring(begin, readme.indexOf("```", begin));
        assertThat(example).contains("FakeCluster.onVirtualTime()");
        assertThat(code).contains(squeezed(example));
    }

    private static String squeezed(String code) {
        return code.replaceAll("\\s+", "");
    }

    @Test
    void volumeOfCrashedNodeMovesWhenNodeIsFenced() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            cluster.addNode("n2");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation first = cluster.startAllocation("first", "n1", db);
            cluster.runUntilIdle();
            assertThat(first.hasMounted(db)).isTrue();

            cluster.node("n1").crash();
            FakeAllocation second = cluster.startAllocation("second", "n2", db);
            cluster.advance(Duration.ofMinutes(10));
            // A node that is down may still write, so the volume does not move.
            assertThat(second.hasMountedAll()).isFalse();

            cluster.node("n1").fence();
            cluster.runUntilIdle();
            assertThat(second.hasMounted(db)).isTrue();
            second.end();
            cluster.runUntilIdle();
            assertThat(cluster.leaks()).isEmpty();
        }
    }

    @Test
    void volumeOfCrashedNodeIsReleasedOnlyWhenNodeIsFenced() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            cluster.addNode("n2");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation lost = cluster.startAllocation("lost", "n1", db);
            cluster.runUntilIdle();
            cluster.node("n1").crash();
            FakeAllocation next = cluster.startAllocation("next", "n2", db);
            cluster.advance(Duration.ofMinutes(10));
            assertThat(next.hasMountedAll()).isFalse();
            assertThat(lost.isRunning()).isFalse();

            cluster.node("n1").fence();
            assertThat(cluster.runUntil(next::hasMountedAll)).isTrue();
            assertThat(cluster.storage().attachedNodes(externalId(cluster, db))).containsExactly("n2");
        }
    }

    @Test
    void crashedNodeThatComesBackReportsItsEndedAllocations() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            cluster.startAllocation("web", "n1", db);
            cluster.runUntilIdle();
            node.crash();
            assertThat(node.answers()).isFalse();
            assertThat(cluster.hasNoLeaks()).isTrue();
            node.comeBack();
            assertThat(cluster.runUntilIdle()).isTrue();
            assertThat(cluster.state().volume(db).orElseThrow().claims().isEmpty())
                    .isTrue();
            assertThat(cluster.hasNoLeaks()).isTrue();
        }
    }

    @Test
    void disconnectedNodeKeepsItsMounts() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation web = cluster.startAllocation("web", "n1", db);
            cluster.runUntilIdle();
            node.disconnect();
            assertThat(cluster.state().node(NodeId.of("n1")).orElseThrow().status())
                    .isEqualTo(NodeStatus.DISCONNECTED);
            web.end();
            cluster.advance(Duration.ofMinutes(5));
            assertThat(node.usersOf(db)).containsExactly(web.id());
            node.comeBack();
            assertThat(cluster.runUntilIdle()).isTrue();
            assertThat(node.usersOf(db)).isEmpty();
            assertThat(cluster.leaks()).isEmpty();
        }
    }

    @Test
    void volumesAreDetachedFromRemovedNode() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            cluster.addNode("n2");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            cluster.startAllocation("web", "n1", db);
            cluster.runUntilIdle();
            cluster.node("n1").remove();
            assertThat(cluster.runUntilIdle()).isTrue();
            assertThat(cluster.leaks()).isEmpty();
        }
    }

    @Test
    void restartedServerResumesReleaseAndWaitingClaims() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            cluster.addNode("n2");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation first = cluster.startAllocation("first", "n1", db);
            cluster.runUntilIdle();
            FakeAllocation second = cluster.startAllocation("second", "n2", db);
            var before = cluster.lifecycle();
            first.end();
            cluster.restartServer();
            assertThat(cluster.lifecycle()).isNotSameAs(before);
            assertThat(cluster.runUntil(second::hasMountedAll)).isTrue();
        }
    }

    @Test
    void serverThatStepsDownReleasesNothingUntilItLeadsAgain() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation web = cluster.startAllocation("web", "n1", db);
            cluster.runUntilIdle();
            cluster.stepDown();
            web.end();
            cluster.advance(Duration.ofMinutes(10));
            assertThat(cluster.leaks()).anyMatch(leak -> leak.contains("remaining work"));
            FakeAllocation waiting = cluster.startAllocation("waiting", "n1", db);
            cluster.advance(Duration.ofSeconds(1));
            assertThat(waiting.failure()).containsInstanceOf(NotLeadingException.class);
            cluster.lead();
            assertThat(cluster.runUntil(waiting::hasMountedAll)).isTrue();
        }
    }

    @Test
    void lostAndLateCommandsOnlyDelayRelease() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            FakeAllocation web = cluster.startAllocation("web", "n1", db);
            cluster.loseNextCommand();
            assertThat(cluster.runUntil(web::hasMountedAll)).isTrue();
            cluster.loseNextAnswer();
            cluster.delayCommands(Duration.ofSeconds(7));
            web.end();
            assertThat(cluster.runUntilIdle()).isTrue();
            assertThat(cluster.virtualTime().elapsed()).isGreaterThan(Duration.ofSeconds(7));
            assertThat(cluster.leaks()).isEmpty();
            assertThatThrownBy(() -> cluster.delayCommands(Duration.ofSeconds(-1)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void callThatFailsByInjectedFaultIsRetried() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            FakeNode node = cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            node.plugin().onCall(Rpc.CONTROLLER_PUBLISH_VOLUME).times(2).failWith(StatusCode.UNAVAILABLE);
            FakeAllocation web = cluster.startAllocation("web", "n1", db);
            assertThat(cluster.runUntil(web::hasMountedAll)).isTrue();
            assertThat(cluster.virtualTime().elapsed()).isPositive();
        }
    }

    @Test
    void leakReportContainsMissingDeleteVolumeCall() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            VolumeKey db = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
            cluster.startAllocation("web", "n1", db);
            cluster.runUntilIdle();
            assertThat(cluster.leaks()).isEmpty();
            var request = CreateVolumeRequest.builder(
                    "behind the engine", List.of(VolumeCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)));
            cluster.await(
                    cluster.node("n1").client(cluster.plugin()).controller().createVolume(request.build()));
            assertThat(cluster.hasNoLeaks()).isFalse();
            assertThat(cluster.leaks()).anyMatch(leak -> leak.contains("DeleteVolume is missing"));
        }
    }

    @Test
    void duplicateOrUnknownNamesAreRejected() {
        try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
            cluster.addNode("n1");
            assertThatThrownBy(() -> cluster.addNode("n1")).hasMessageContaining("already");
            assertThatThrownBy(() -> cluster.node("n2")).hasMessageContaining("addNode");
            VolumeKey unknown = VolumeKey.of("default", "unknown");
            assertThatThrownBy(() -> cluster.startAllocation("web", "n1", unknown))
                    .hasMessageContaining("create it first");
            assertThatThrownBy(() -> cluster.await(cluster.lifecycle().volumes().delete(unknown)))
                    .isInstanceOf(CompletionException.class);
        }
    }
}
