package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Volumes that the storage provider does not have any more when the state is restored from a backup, until the provider is
 * repaired. None of them is used at that time, so only the rows of the backup refer to them.
 */
public final class SimLostVolumes {
    private static final int ONE_IN = 3;
    private static final int WRONG_ONE_IN = 5;

    private final SimWorld world;
    private @Nullable SplittableRandom random;
    private final Set<VolumeKey> missing = new TreeSet<>();
    private final Set<VolumeKey> everMissing = new TreeSet<>();
    /** The volumes about which the plugin has said once that they are missing, although they are there. */
    private final Set<VolumeKey> denied = new TreeSet<>();

    SimLostVolumes(SimWorld world) {
        this.world = world;
    }

    /**
     * Lets the provider lose volumes.
     *
     * @param choices random numbers of their own, so that they change no other choice of the run
     */
    public void begin(SplittableRandom choices) {
        random = choices;
    }

    /** Loses some volumes that nothing uses. */
    void lose() {
        if (random == null) {
            return;
        }
        for (Map.Entry<String, VolumeKey> entry : world.volumes().entrySet()) {
            ExternalVolumeId id = ExternalVolumeId.of(entry.getKey());
            boolean unused = SimVolumes.attaches(entry.getValue())
                    && world.provider().knows(id)
                    && !world.provider().created().contains(entry.getKey())
                    && world.provider().nodes(entry.getKey()).isEmpty()
                    && !world.backup().mayBeUsed(entry.getValue());
            if (random.nextInt(ONE_IN) == 0 && unused) {
                lose(entry.getValue());
            }
        }
    }

    void lose(VolumeKey key) {
        world.coverage().fault("volume lost before a restore");
        world.trace().note("provider", "has lost " + key.volumeId());
        world.provider().lose(Objects.requireNonNull(world.externalId(key), "not at the provider"));
        missing.add(key);
        everMissing.add(key);
    }

    /** Whether the provider does not have the volume. */
    public boolean isMissing(VolumeKey key) {
        return missing.contains(key);
    }

    /** Whether the provider lacks any volume. */
    public boolean anyMissing() {
        return !missing.isEmpty();
    }

    /** Brings all volumes back. */
    public void repair() {
        for (VolumeKey key : missing) {
            world.coverage().fault("lost volume found again");
            world.trace().note("provider", "has " + key.volumeId() + " again");
            world.provider().add(Objects.requireNonNull(world.externalId(key), "not at the provider"));
        }
        missing.clear();
    }

    /** Whether the plugin says of a volume that it is missing, although it is there: once for each volume at most. */
    public boolean denies(ExternalVolumeId id) {
        VolumeKey key = world.volumes().get(id.value());
        boolean denies = random != null
                && key != null
                && world.faults().active()
                && world.volume(id).filter(Volume::toBeVerified).isPresent()
                && random.nextInt(WRONG_ONE_IN) == 0
                && denied.add(key);
        if (denies) {
            world.coverage().fault("volume wrongly reported as missing");
        }
        return denies;
    }

    /**
     * Returns the code of a refusal, which says nothing false about the existence of a volume: {@link #denies} does that, and
     * a plugin that can be asked does not refuse the question itself.
     */
    public StatusCode refusal(Rpc rpc, String volume, StatusCode code) {
        StateReader state = world.store().snapshot();
        boolean asked = rpc == Rpc.VALIDATE_VOLUME_CAPABILITIES
                && world.volume(ExternalVolumeId.of(volume))
                        .filter(row -> row.toBeVerified() || isMissing(row.key()) || isDeleted(state, row.key()))
                        .isPresent();
        boolean answers =
                code == StatusCode.NOT_FOUND || code == StatusCode.UNIMPLEMENTED || code == StatusCode.INVALID_ARGUMENT;
        return asked && answers ? StatusCode.UNAVAILABLE : code;
    }

    /** Checks that no volume counts as lost that the provider has, and that a missing volume is not claimed. */
    void accepted(Command command, StateReader before, StateReader after) {
        if (world.backup().restores() == 0) {
            return;
        }
        for (VolumeKey key : world.volumes().values()) {
            Optional<Volume> lost = after.volume(key)
                    .filter(Volume::isLost)
                    .filter(volume -> before.volume(key).filter(Volume::isLost).isEmpty());
            if (lost.filter(volume -> world.provider().knows(SimWorld.idOf(volume)))
                            .isPresent()
                    && !everMissing.contains(key)) {
                world.reportViolation("I25: " + key + " counts as lost, and the provider has it");
            }
        }
        if (command instanceof ClaimCommand.TakeClaims take) {
            for (ClaimRequest request : take.requests()) {
                boolean taken = !isClaimed(before, request.volume(), take.allocationId())
                        && isClaimed(after, request.volume(), take.allocationId());
                if (taken && (isMissing(request.volume()) || isDeleted(after, request.volume()))) {
                    world.reportViolation("I25: " + take.allocationId() + " is granted " + request.volume()
                            + ", which the provider does not have since the restore");
                }
            }
        }
    }

    /** Whether the provider does not have what the state has, because it was deleted after the backup. */
    private boolean isDeleted(StateReader state, VolumeKey key) {
        return state.volume(key)
                .filter(volume -> !volume.isInline() && !world.provider().knows(SimWorld.idOf(volume)))
                .isPresent();
    }

    private static boolean isClaimed(StateReader state, VolumeKey key, AllocationId allocation) {
        return state.volume(key)
                .flatMap(volume -> volume.claims().get(allocation))
                .isPresent();
    }

    /** Checks a call that publishes a volume. */
    public void publishes(Volume volume) {
        if (volume.isLost()) {
            world.reportViolation("I25: " + volume.key() + " is published although it counts as lost");
        }
    }
}
