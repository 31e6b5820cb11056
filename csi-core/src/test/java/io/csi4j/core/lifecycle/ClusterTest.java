package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class ClusterTest {
    private static final NodeId NEW = NodeId.of("new");
    private static final NodeId N1 = NodeId.of("n1");
    private static final Namespace DEFAULT = Namespace.of("default");
    private static final AllocationId A = AllocationId.of("a");

    private final LifecycleRig rig = LifecycleRig.leading();
    private final Cluster cluster = rig.host.cluster();

    private void report(CompletableFuture<Void> report) {
        rig.done(report);
    }

    private Node node(NodeId id) {
        return rig.log.snapshot().node(id).orElseThrow();
    }

    private Optional<AllocationStatus> status() {
        return rig.log.snapshot().allocation(A).map(Allocation::status);
    }

    @Test
    void readyReportAddsNodeWithTimestampFromEnvironmentClock() {
        report(cluster.nodeReady(NEW));
        assertThat(node(NEW).status()).isEqualTo(NodeStatus.READY);
        assertThat(node(NEW).since()).isEqualTo(rig.now());
    }

    @Test
    void readyReportMakesNodeReadyFromAnyStatus() {
        report(cluster.nodeReady(NEW));
        report(cluster.nodeDisconnected(NEW, "no heartbeat"));
        assertThat(node(NEW).status()).isEqualTo(NodeStatus.DISCONNECTED);
        report(cluster.nodeDown(NEW, "no heartbeat for long"));
        assertThat(node(NEW).status()).isEqualTo(NodeStatus.DOWN);
        assertThat(node(NEW).reason()).isEqualTo("no heartbeat for long");
        report(cluster.nodeReady(NEW));
        report(cluster.nodeFenced(NEW, "power off"));
        assertThat(node(NEW).status()).isEqualTo(NodeStatus.FENCED);
        report(cluster.nodeReady(NEW));
        assertThat(node(NEW).status()).isEqualTo(NodeStatus.READY);
    }

    @Test
    void goneNodeWithoutClaimsIsRemovedFromState() {
        report(cluster.nodeReady(NEW));
        report(cluster.nodeGone(NEW, "sold"));
        assertThat(rig.log.snapshot().node(NEW)).isEmpty();
        report(cluster.nodeGone(NEW, "sold"));
    }

    @Test
    void statusReportForUnknownNodeIsRejected() {
        assertThat(rig.failed(cluster.nodeDown(NEW, ""), RejectedException.class))
                .hasMessageContaining("new");
    }

    @Test
    void startedAllocationGetsClaimAndItsEndReleasesClaim() {
        rig.volume(VOL);
        report(cluster.allocationPlaced(A, DEFAULT, N1));
        assertThat(status()).contains(AllocationStatus.PENDING);
        report(cluster.allocationStarted(A, DEFAULT, N1));
        assertThat(status()).contains(AllocationStatus.RUNNING);
        rig.done(rig.host.claims().claim(A, List.of(LifecycleRig.write(VOL, SINGLE))));
        report(cluster.allocationEnded(A));
        rig.run();
        assertThat(status()).contains(AllocationStatus.ENDED);
        assertThat(rig.get(VOL).inUse()).isFalse();
        report(cluster.allocationForgotten(A));
        assertThat(status()).isEmpty();
    }

    @Test
    void deploymentOfAllocationIsKeptAfterAllocationEnds() {
        DeploymentId deployment = DeploymentId.of("default", "nginx");
        report(cluster.allocationStarted(A, DEFAULT, N1, deployment));
        report(cluster.allocationEnded(A));
        assertThat(rig.log.snapshot().allocation(A).orElseThrow().deployment()).contains(deployment);
    }

    @Test
    void endReportForUnknownAllocationChangesNothing() {
        long before = rig.log.snapshot().index();
        report(cluster.allocationEnded(A));
        assertThat(status()).isEmpty();
        assertThat(rig.log.snapshot().index())
                .as("the report is submitted to the log")
                .isGreaterThan(before);
    }

    @Test
    void startReportForEndedAllocationIsRejected() {
        report(cluster.allocationStarted(A, DEFAULT, N1));
        report(cluster.allocationEnded(A));
        rig.failed(cluster.allocationStarted(A, DEFAULT, N1), RejectedException.class);
        assertThat(status()).contains(AllocationStatus.ENDED);
    }

    @Test
    void pluginReportReplacesAllPluginInstancesOnItsNode() {
        report(cluster.nodeReady(NEW));
        report(cluster.nodePlugins(NEW, List.of(rig.instance("new").build())));
        assertThat(rig.log.snapshot().instances())
                .anySatisfy(one -> assertThat(one.key().nodeId()).isEqualTo(NEW));
        report(cluster.nodePlugins(NEW, List.of()));
        assertThat(rig.log.snapshot().instances())
                .noneSatisfy(one -> assertThat(one.key().nodeId()).isEqualTo(NEW));
    }

    @Test
    void lateReportOfPluginsIsRejectedWithNumberOfNewestReport() {
        Instant at = Instant.ofEpochSecond(1_700_000_000L);
        report(cluster.nodeReady(NEW));
        report(cluster.nodePlugins(
                new NodeFingerprint(NEW, List.of(rig.instance("new").build()), 7, at)));
        assertThat(rig.failed(cluster.nodePlugins(new NodeFingerprint(NEW, List.of(), 6, at)), RejectedException.class)
                        .reason())
                .isEqualTo(new Rejection.FingerprintOutdated(NEW, 6, 7));
        assertThat(rig.log.snapshot().instances())
                .anySatisfy(one -> assertThat(one.key().nodeId()).isEqualTo(NEW));
    }

    @Test
    void reportWithoutManagePermissionIsDenied() {
        LifecycleRig guarded = LifecycleRig.guarded();
        Cluster tenant = guarded.as("tenant").cluster();
        guarded.failed(tenant.nodeFenced(N1, "no"), AccessDeniedException.class);
        guarded.grant(Permission.MANAGEMENT);
        guarded.done(tenant.nodeFenced(N1, "yes"));
        assertThat(guarded.log.snapshot().node(N1).orElseThrow().status()).isEqualTo(NodeStatus.FENCED);
    }

    @Test
    void nodeDownReportWithInvalidReasonTextIsRejectedAtOnce() {
        assertThatThrownBy(() -> cluster.nodeDown(N1, "\uD800")).isInstanceOf(IllegalArgumentException.class);
    }
}
