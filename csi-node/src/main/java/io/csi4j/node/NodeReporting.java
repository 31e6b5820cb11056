package io.csi4j.node;

import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import java.util.concurrent.CompletableFuture;

/** Makes the report of a node from the status of its volumes. Paths stay on the node. */
final class NodeReporting {
    private NodeReporting() {}

    /** Returns the report of all volumes that a mounter has. Fails until its ledger has been read. */
    static CompletableFuture<NodeReport> of(VolumeMounter volumes) {
        CompletableFuture<?> ready = volumes.ready();
        return ready.isDone()
                ? ready.thenApply(read -> new NodeReport(
                        volumes.volumes().stream().map(NodeReporting::volume).toList()))
                : CompletableFuture.failedFuture(new NodeVolumeException(
                        NodeVolumeException.Reason.UNFINISHED,
                        "the node has not read its ledger yet, so it does not know its volumes; ask again"));
    }

    private static NodeVolume volume(NodeVolumeStatus status) {
        return new NodeVolume(
                status.volume(),
                status.id().map(NodeVolumeId::pluginId),
                status.id().map(NodeVolumeId::externalVolumeId),
                status.recordLost(),
                status.staged(),
                status.stagingProblem(),
                status.uses().stream().map(NodeReporting::use).toList(),
                status.call().map(call -> new NodeVolume.Call(call.rpc(), call.age())),
                status.waitingFor(),
                status.lastError(),
                status.unfinishedFor());
    }

    private static NodeVolume.Use use(NodeVolumeStatus.Use use) {
        NodeVolume.State state = switch (use.state()) {
            case MOUNTING -> NodeVolume.State.MOUNTING;
            case MOUNTED -> NodeVolume.State.MOUNTED;
            case UNMOUNTING -> NodeVolume.State.UNMOUNTING;
        };
        return new NodeVolume.Use(use.allocationId(), state, use.capability(), use.readonly(), use.problem());
    }
}
