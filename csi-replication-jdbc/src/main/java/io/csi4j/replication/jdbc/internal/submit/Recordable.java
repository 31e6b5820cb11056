package io.csi4j.replication.jdbc.internal.submit;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The commands that transactions of the host may record. The leader takes no others, so a role that may only insert
 * submissions can do no more than the API offers.
 */
public final class Recordable {
    private static final int LONGEST = 300;

    private Recordable() {}

    /**
     * Returns a command in words for an operator, at most 300 characters without anything confidential; empty: it is none
     * of those that transactions of the host may record.
     */
    public static Optional<String> subject(Command command) {
        return Optional.ofNullable(text(command))
                .map(text -> text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…");
    }

    private static @Nullable String text(Command command) {
        if (command instanceof AllocationCommand.UpsertAllocation allocation) {
            return state(allocation.status()) + " allocation " + allocation.allocationId() + " on node "
                    + allocation.nodeId();
        }
        if (command instanceof AllocationCommand.RemoveAllocation allocation) {
            return "forgotten allocation " + allocation.allocationId();
        }
        if (command instanceof VolumeCommand.RegisterVolume volume && volume.origin() == VolumeOrigin.CREATED) {
            return "creation of volume " + volume.key();
        }
        if (command instanceof VolumeCommand.SetVolumePhase volume && volume.phase() == VolumePhase.DELETING) {
            return "deletion of volume " + volume.key();
        }
        if (command instanceof ClaimCommand.RequestClaims claims) {
            return "claims of allocation " + claims.allocationId() + " on "
                    + claims.requests().stream()
                            .map(request -> request.volume().toString())
                            .collect(Collectors.joining(", "));
        }
        if (command instanceof ClaimCommand.WithdrawClaims claims) {
            return "withdrawal of the claims of allocation " + claims.allocationId();
        }
        return null;
    }

    private static String state(AllocationStatus status) {
        return status == AllocationStatus.PENDING ? "placed" : status.name().toLowerCase(Locale.ROOT);
    }
}
