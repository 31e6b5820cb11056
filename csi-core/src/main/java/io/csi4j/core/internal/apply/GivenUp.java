package io.csi4j.core.internal.apply;

import io.csi4j.core.command.Effect;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Digest;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Gives up volumes that were made for a claim and never used. The key of such a volume is free at once. A volume that the
 * storage provider has or may have is deleted under a key of its own: the creation is repeated until the outcome is known,
 * with the same name and the same fields, and the volume is deleted.
 */
public final class GivenUp {
    /** The most attempts for one key whose outcome is not known. */
    static final int MOST_UNSETTLED = 3;

    private static final String MARK = "~";
    private static final int LONGEST_ID = 100;
    private static final int DIGEST_BYTES = 16;

    private GivenUp() {}

    /** Gives up a volume, and the unused volumes that were made together with it. */
    static void discardAll(Step step, Volume volume) {
        discard(step, volume);
        discardOthers(step, volume);
    }

    /** Gives up the unused volumes that were made together with a volume. */
    static void discardOthers(Step step, Volume volume) {
        for (VolumeKey key : volume.firstClaim().map(FirstClaim::together).orElse(List.of())) {
            step.reader()
                    .volume(key)
                    .filter(other -> !key.equals(volume.key()) && other.isUnused())
                    .filter(other -> other.firstClaim()
                            .map(FirstClaim::allocationId)
                            .equals(volume.firstClaim().map(FirstClaim::allocationId)))
                    .ifPresent(other -> discard(step, other));
        }
    }

    static void discard(Step step, Volume volume) {
        step.writer().removeVolume(volume.key());
        step.effect(new Effect.VolumeRemoved(volume.key(), List.of(), List.of()));
        if (mayBeMade(volume)) {
            Volume deleting = step.store(Volume.builder(
                            freeKey(step.reader(), volume), volume.spec(), volume.createIndex(), volume.createdAt())
                    .origin(volume.origin())
                    .phase(VolumePhase.DELETING)
                    .facts(volume.facts())
                    .classOrigin(volume.classOrigin().orElse(null))
                    .unsettledTargets(targets(volume))
                    .formerKey(volume.key())
                    .extraMetadata(volume.extraMetadata()));
            step.effect(new Effect.DeletionBegun(deleting.key()));
        }
        volume.firstClaim().ifPresent(claim -> UnreferencedRows.removeGoneNode(step, claim.nodeId()));
    }

    /** Returns whether the storage provider has the volume, or may have it. */
    static boolean mayBeMade(Volume volume) {
        return !volume.isInline()
                && (volume.externalVolumeId().isPresent()
                        || volume.retry().unresolved().isPresent()
                        || volume.phase() == VolumePhase.DELETING);
    }

    /**
     * Returns the key that the volume with this create index has now: the given key, or the one under which it is deleted
     * since it was given up.
     */
    static VolumeKey presentKey(StateReader state, VolumeKey key, long createIndex) {
        boolean there = state.volume(key)
                .filter(volume -> createIndex == 0 || volume.createIndex() == createIndex)
                .isPresent();
        return there || createIndex == 0
                ? key
                : of(state, key).stream()
                        .filter(volume -> volume.createIndex() == createIndex)
                        .map(Volume::key)
                        .findFirst()
                        .orElse(key);
    }

    /** Returns the volumes that were to be made under a key, and are given up and not deleted yet. */
    public static List<Volume> of(StateReader state, VolumeKey key) {
        List<Volume> found = new ArrayList<>();
        VolumeQuery query = VolumeQuery.builder()
                .namespace(key.namespace())
                .idPrefix(prefix(key))
                .build();
        for (Volume volume : state.volumes(query).items()) {
            if (volume.formerKey().equals(Optional.of(key))) {
                found.add(volume);
            }
        }
        return found;
    }

    /** Returns a key for a volume that is given up. The host may have given such a key to another volume. */
    private static VolumeKey freeKey(StateReader state, Volume volume) {
        String id = prefix(volume.key()) + volume.createIndex();
        VolumeKey free = new VolumeKey(volume.key().namespace(), VolumeId.of(id));
        for (int other = 2; state.volume(free).isPresent(); other++) {
            free = new VolumeKey(volume.key().namespace(), VolumeId.of(id + MARK + other));
        }
        return free;
    }

    /** Returns the sizes that an expansion may still bring, which count for quotas until the volume is gone. */
    private static List<Long> targets(Volume volume) {
        List<Long> targets = new ArrayList<>(volume.unsettledTargets());
        volume.expansion().map(expansion -> expansion.range().requiredBytes()).ifPresent(targets::add);
        return targets;
    }

    private static String prefix(VolumeKey key) {
        String id = key.volumeId().value();
        boolean fits = id.getBytes(StandardCharsets.UTF_8).length <= LONGEST_ID;
        return (fits ? id : Digest.of(DIGEST_BYTES, id)) + MARK;
    }
}
