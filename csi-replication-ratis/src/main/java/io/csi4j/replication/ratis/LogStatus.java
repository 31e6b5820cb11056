package io.csi4j.replication.ratis;

import java.util.List;
import java.util.Optional;

/**
 * The role and the progress of a peer, at one time.
 *
 * @param self the peer
 * @param leading whether the engine of this peer may act
 * @param leader the leader, as far as this peer knows
 * @param term the number of the election that this peer knows of
 * @param lastIndex the index of the last entry in the log of this peer
 * @param committedIndex the index of the last entry that this peer knows to be on a majority of the disks
 * @param appliedIndex the index of the last entry in the state
 * @param snapshotIndex the index of the last entry in the latest snapshot; 0 without one
 * @param peers the voting peers; empty for a peer that runs alone
 */
public record LogStatus(
        PeerId self,
        boolean leading,
        Optional<PeerId> leader,
        long term,
        long lastIndex,
        long committedIndex,
        long appliedIndex,
        long snapshotIndex,
        List<Peer> peers) {
    public LogStatus {
        peers = List.copyOf(peers);
    }
}
