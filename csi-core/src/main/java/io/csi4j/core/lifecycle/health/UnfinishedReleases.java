package io.csi4j.core.lifecycle.health;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The unfinished releases of a state, with their ages. The state does not store when a release began, so this class
 * remembers when it first found each release. It keeps one small entry for each unfinished release. Thread-safe.
 */
public final class UnfinishedReleases {
    private Map<Key, Instant> known = new HashMap<>();

    /**
     * Identifies the release of a claim or an attachment.
     *
     * @param holder the allocation of the claim, or the node of the attachment
     * @param index the create index of the claim or attachment, which differs from that of an earlier one
     */
    private record Key(VolumeKey volume, String holder, long index) {}

    /** Creates an object that knows no releases yet; {@link #update} finds them. */
    public UnfinishedReleases() {}

    /**
     * Returns the unfinished releases of a state.
     *
     * @param state a snapshot of the state, not older than the snapshot in the previous call of this method
     * @param now the current time. The ages of releases are differences of the times that this method was given, so a
     *     clock that is set changes them. To measure ages, use a time that never jumps, for example one that counts
     *     from {@link io.csi4j.core.spi.Timer#nanoTime()}
     * @return the releases, oldest first
     */
    public synchronized List<Release> update(StateReader state, Instant now) {
        Objects.requireNonNull(now, "now");
        Map<Key, Instant> found = new HashMap<>();
        List<Release> releases = new ArrayList<>();
        for (VolumeKey volume : state.unsettledVolumes()) {
            state.volume(volume).ifPresent(row -> collect(row, now, found, releases));
        }
        known = found;
        releases.sort(Comparator.comparing(Release::since));
        return releases;
    }

    private void collect(Volume volume, Instant now, Map<Key, Instant> found, List<Release> releases) {
        for (Claim claim : volume.claims()) {
            if (claim.state() != ClaimState.TAKEN) {
                Key key = new Key(volume.key(), "claim " + claim.allocationId().value(), claim.createIndex());
                releases.add(new Release(
                        volume.key(),
                        claim.nodeId(),
                        Optional.of(claim.allocationId()),
                        claim.retry().attempts(),
                        since(key, now, found)));
            }
        }
        for (Attachment attachment : volume.attachments()) {
            if (attachment.state() == AttachmentState.UNPUBLISHING
                    && volume.claims().on(attachment.nodeId()).isEmpty()) {
                Key key = new Key(volume.key(), "node " + attachment.nodeId().value(), attachment.createIndex());
                releases.add(new Release(
                        volume.key(),
                        attachment.nodeId(),
                        Optional.empty(),
                        attachment.retry().attempts(),
                        since(key, now, found)));
            }
        }
    }

    private Instant since(Key key, Instant now, Map<Key, Instant> found) {
        Instant since = known.getOrDefault(key, now);
        found.put(key, since);
        return since;
    }
}
