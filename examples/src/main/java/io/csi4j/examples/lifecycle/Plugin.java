package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.IdentityService;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.ProbeRequest;
import io.csi4j.core.rpc.SnapshotMetadataService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The services of one plugin (R13). In a split deployment the node service has its own endpoint; Identity is served at both
 * endpoints (R14).
 */
record Plugin(
        IdentityService identity,
        ControllerService controller,
        GroupControllerService groupController,
        SnapshotMetadataService snapshotMetadata,
        IdentityService nodeIdentity,
        NodeService node) {
    private static final long PROBE_SECONDS = 5;

    /** Whether both endpoints respond, even with an error. */
    boolean isReachable() {
        return isReachable(identity) && (nodeIdentity.equals(identity) || isReachable(nodeIdentity));
    }

    private static boolean isReachable(IdentityService identity) {
        try {
            identity.probe(ProbeRequest.of()).get(PROBE_SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException e) {
            return e.getCause() instanceof CsiCallException call
                    && call.code() != StatusCode.UNAVAILABLE
                    && call.code() != StatusCode.DEADLINE_EXCEEDED;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
