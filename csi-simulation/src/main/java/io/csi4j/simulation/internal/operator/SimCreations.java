package io.csi4j.simulation.internal.operator;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.simulation.internal.server.SimServer;
import io.csi4j.simulation.internal.world.SimConfig;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Creates and deletes volumes during the run. At the end of the run, none of these volumes may remain in the state or
 * at the provider.
 */
public final class SimCreations {
    private static final String PREFIX = "made";
    private static final Duration LIFETIME = Duration.ofMinutes(2);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(15);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    private final List<VolumeKey> keys = new ArrayList<>();

    public SimCreations(SimWorld world, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.volumes = volumes;
        this.world = world;
        this.server = server;
        this.random = random;
    }

    public void begin(SimConfig options) {
        long max = options.chaos().toNanos() * 4 / 5;
        for (int i = 0; i < options.volumes(); i++) {
            VolumeKey key = VolumeKey.of("default", PREFIX + i);
            keys.add(key);
            int number = random.nextInt(8);
            world.scheduler()
                    .after(
                            Duration.ofNanos(random.nextLong(max)),
                            () -> create(key, volumes.specToCreate(key, number)));
        }
    }

    private void create(VolumeKey key, VolumeSpec spec) {
        world.trace().note("host", "creates " + key.volumeId());
        var unused = server.request("create", engine -> engine.volumes().create(key, spec))
                .whenComplete((volume, failure) -> {
                    if (failure == null) {
                        checkCreated(key, volume);
                        world.scheduler().within(LIFETIME, () -> delete(key));
                    } else if (world.faults().active() && shouldRetry(failure)) {
                        world.scheduler().after(RETRY_DELAY, () -> create(key, spec));
                    }
                });
    }

    /** A volume that is reported as created must exist in the requested topology. */
    void checkCreated(VolumeKey key, Volume volume) {
        if (!world.provider().created().contains(volume.remoteId().value())) {
            world.reportViolation("R56: " + key + " is reported created, but the provider has no " + volume.remoteId());
        }
        List<Topology> actual = world.topology().of(volume.remoteId());
        List<Topology> allowed = volume.spec()
                .accessibilityRequirements()
                .map(TopologyRequirement::requisite)
                .orElse(actual);
        if (!volume.facts().accessibleTopology().equals(actual) || !allowed.containsAll(actual)) {
            world.reportViolation("R53: " + key + " is reported created in "
                    + volume.facts().accessibleTopology() + ", it is in " + actual + ", and requested in " + allowed);
        }
    }

    private void delete(VolumeKey key) {
        if (volumes.find(key).filter(Volume::inUse).isPresent()) {
            world.coverage().operation("delete while in use");
        }
        var unused = server.request("delete", engine -> engine.volumes().delete(key))
                .whenComplete((done, failure) -> {
                    if (failure != null && world.faults().active() && shouldRetry(failure)) {
                        world.scheduler().after(RETRY_DELAY, () -> delete(key));
                    }
                });
    }

    private boolean shouldRetry(Throwable failure) {
        return (failure instanceof CsiException known && known.retryable()) || random.nextBoolean();
    }

    /** Deletes all created volumes after the faults have ended, and repeats this until none remains. */
    public void endAll() {
        for (VolumeKey key : keys) {
            phase(key).filter(phase -> phase == VolumePhase.AVAILABLE).ifPresent(phase -> delete(key));
        }
        if (!settled() || world.hasDelayedCommands()) {
            world.scheduler().after(Duration.ofMinutes(1), this::endAll);
        }
    }

    private Optional<VolumePhase> phase(VolumeKey key) {
        return world.store().snapshot().volume(key).map(Volume::phase);
    }

    public boolean settled() {
        return remaining() == null;
    }

    /** The volumes that remain in the state or at the provider; null: none. */
    public @Nullable String remaining() {
        StateReader state = world.store().snapshot();
        Set<String> rows = new TreeSet<>();
        keys.forEach(key -> state.volume(key).ifPresent(volume -> rows.add(key + " " + volume.phase())));
        return rows.isEmpty() && world.provider().created().isEmpty()
                ? null
                : "volume rows " + rows + ", at the provider "
                        + world.provider().created();
    }
}
