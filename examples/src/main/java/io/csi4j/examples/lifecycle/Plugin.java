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
 * The services of one plugin, wherever they are served (R13): in a split deployment the node service is
 * at another endpoint than all the others. Identity is served at both (R14).
 */
record Plugin(
        IdentityService identity,
        ControllerService controller,
        GroupControllerService groupController,
        SnapshotMetadataService snapshotMetadata,
        IdentityService nodeIdentity,
        NodeService node) {
    private static final long SIGN_OF_LIFE_SECONDS = 5;

    /** Whether both sides give a sign of life, whatever they say. */
    boolean answers() {
        return answers(identity) && (nodeIdentity.equals(identity) || answers(nodeIdentity));
    }

    private static boolean answers(IdentityService identity) {
        try {
            identity.probe(ProbeRequest.of()).get(SIGN_OF_LIFE_SECONDS, TimeUnit.SECONDS);
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
