package io.csi4j.node;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The status of a volume on this node. Contains nothing sensitive.
 *
 * @param volume the volume
 * @param id the volume with its plugin and external id; empty if the record of the volume was lost
 * @param recordLost whether the record of the volume was lost, so that it may have mounts that no use explains
 * @param staged whether the volume is staged, as far as known; false while it is being staged
 * @param stagingProblem the problem that the last check found at the staging, for operators; empty: none
 * @param uses one for each mount of an allocation that uses the volume, requests it, or is being unmounted
 * @param call the call to the plugin in flight
 * @param waitingFor the reason why the work on the volume waits; empty: it does not wait
 * @param lastError the failure of the step that failed last; empty: none, or the step has succeeded since
 * @param unfinishedFor the time since the work on the volume began; zero if no work is unfinished
 */
public record NodeVolumeStatus(
        VolumeKey volume,
        Optional<NodeVolumeId> id,
        boolean recordLost,
        boolean staged,
        String stagingProblem,
        List<Use> uses,
        Optional<Call> call,
        String waitingFor,
        String lastError,
        Duration unfinishedFor) {
    /** Copies the list of uses. */
    public NodeVolumeStatus {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(stagingProblem, "stagingProblem");
        uses = List.copyOf(uses);
        Objects.requireNonNull(call, "call");
        Objects.requireNonNull(waitingFor, "waitingFor");
        Objects.requireNonNull(lastError, "lastError");
        Objects.requireNonNull(unfinishedFor, "unfinishedFor");
    }

    /**
     * The use of the volume by one mount of an allocation.
     *
     * @param allocationId the allocation
     * @param targetPath the path of the mount
     * @param state the progress of the use
     * @param capability the access mode and the mount or block type; empty if the record of the use was lost
     * @param readonly whether the mount is read-only
     * @param problem the problem that the last check found at the mount, for operators; empty: none
     */
    public record Use(
            AllocationId allocationId,
            Path targetPath,
            State state,
            Optional<RequestedCapability> capability,
            boolean readonly,
            String problem) {
        public Use {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(targetPath, "targetPath");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(capability, "capability");
            Objects.requireNonNull(problem, "problem");
        }
    }

    /**
     * A call to the plugin that has not ended.
     *
     * @param rpc the RPC
     * @param age the time since the call was sent
     */
    public record Call(Rpc rpc, Duration age) {
        public Call {
            Objects.requireNonNull(rpc, "rpc");
            Objects.requireNonNull(age, "age");
        }
    }

    /** The progress of mounting or unmounting the volume for the allocation. */
    public enum State {
        /** The volume is being mounted, for the first time or again. */
        MOUNTING,
        /**
         * The ledger says that the volume is mounted. If a later check of the mount table finds no mount, the state
         * becomes MOUNTING.
         */
        MOUNTED,
        /** The volume is being unmounted. */
        UNMOUNTING
    }

    String reason() {
        return lastError.isEmpty() || waitingFor.isEmpty() ? waitingFor + lastError : waitingFor + "; " + lastError;
    }
}
