package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume as the agent of a node reports it. Ages are measured by the node, so the clocks of nodes and servers may
 * differ.
 *
 * @param volume the volume
 * @param pluginId the plugin; empty if the node has lost its record of the volume
 * @param externalVolumeId the storage provider's id of the volume; empty if the node has lost its record of the volume
 * @param recordLost whether the node has lost its record of the volume, so that it may have mounts that no use explains
 * @param staged whether the volume is staged, as far as the node knows
 * @param stagingProblem the problem that the last check of the staging found, for operators; empty if it found none
 * @param uses the allocations that use the volume, request it, or are being unmounted
 * @param call the call to the plugin in flight
 * @param waitingFor the reason why the work on the volume waits, for operators; empty if it does not wait
 * @param lastError the failure of the step that failed last, for operators; empty if there is none, or the step has
 *     succeeded since
 * @param unfinishedFor the time since the work on the volume began; zero if there is no unfinished work
 */
public record NodeVolume(
        VolumeKey volume,
        Optional<PluginId> pluginId,
        Optional<ExternalVolumeId> externalVolumeId,
        boolean recordLost,
        boolean staged,
        String stagingProblem,
        List<Use> uses,
        Optional<Call> call,
        String waitingFor,
        String lastError,
        Duration unfinishedFor) {
    /** Copies the list of uses. */
    public NodeVolume {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(externalVolumeId, "externalVolumeId");
        Objects.requireNonNull(stagingProblem, "stagingProblem");
        uses = List.copyOf(uses);
        Objects.requireNonNull(call, "call");
        Objects.requireNonNull(waitingFor, "waitingFor");
        Objects.requireNonNull(lastError, "lastError");
        Objects.requireNonNull(unfinishedFor, "unfinishedFor");
    }

    /** Returns whether the node has not finished its work on the volume: a mount, an unmount, a staging or its removal. */
    public boolean isUnfinished() {
        return !unfinishedFor.isZero();
    }

    /**
     * Returns whether the node is unmounting or unstaging the volume: for an allocation, or because no allocation uses
     * the volume any more.
     */
    public boolean isUnmounting() {
        return isUnfinished()
                && (uses.stream().anyMatch(use -> use.state() == State.UNMOUNTING)
                        || (staged && uses.isEmpty())
                        || call.filter(made -> made.rpc() == Rpc.NODE_UNPUBLISH_VOLUME
                                        || made.rpc() == Rpc.NODE_UNSTAGE_VOLUME)
                                .isPresent());
    }

    /**
     * The use of the volume by one allocation.
     *
     * @param allocationId the allocation
     * @param state the progress of the mount or unmount
     * @param capability the capability of the mount; empty if the node has lost its record of the mount
     * @param readonly whether the mount is read-only
     * @param problem the problem that the last check of the mount found, for operators; empty if it found none
     */
    public record Use(
            AllocationId allocationId,
            State state,
            Optional<RequestedCapability> capability,
            boolean readonly,
            String problem) {
        public Use {
            Objects.requireNonNull(allocationId, "allocationId");
            Objects.requireNonNull(state, "state");
            Objects.requireNonNull(capability, "capability");
            Objects.requireNonNull(problem, "problem");
        }
    }

    /** The progress of mounting or unmounting a volume for an allocation. */
    public enum State {
        /** The volume is being mounted, for the first time or again. */
        MOUNTING,
        /** The volume is mounted. */
        MOUNTED,
        /** The volume is being unmounted. */
        UNMOUNTING
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
}
