package io.csi4j.simulation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Volumes that are made and deleted meanwhile: none may be lost, neither at the provider nor on record. */
final class SimCreations {
    private static final String PREFIX = "made";
    private static final Duration LIFE = Duration.ofMinutes(2);
    private static final Duration AGAIN = Duration.ofSeconds(15);

    private final SimWorld world;
    private final SimServer server;
    private final SimVolumes volumes;
    private final SplittableRandom random;
    private final List<VolumeKey> keys = new ArrayList<>();

    SimCreations(SimWorld world, SimServer server, SimVolumes volumes, SplittableRandom random) {
        this.volumes = volumes;
        this.world = world;
        this.server = server;
        this.random = random;
    }

    void begin(SimulationOptions options) {
        long most = options.chaos().toNanos() * 4 / 5;
        for (int i = 0; i < options.volumes(); i++) {
            VolumeKey key = VolumeKey.of("default", PREFIX + i);
            keys.add(key);
            int number = random.nextInt(8);
            world.scheduler()
                    .after(Duration.ofNanos(random.nextLong(most)), () -> create(key, volumes.wanted(key, number)));
        }
    }

    private void create(VolumeKey key, VolumeSpec spec) {
        world.trace().note("host", "wants " + key.volumeId());
        var unused = server.ask("create", engine -> engine.volumes().create(key, spec))
                .whenComplete((volume, failure) -> {
                    if (failure == null) {
                        exists(key, volume);
                        world.scheduler().soon(LIFE, () -> delete(key));
                    } else if (world.faults().happen() && again(failure)) {
                        world.scheduler().after(AGAIN, () -> create(key, spec));
                    }
                });
    }

    /** What is said to be made is there. */
    private void exists(VolumeKey key, Volume volume) {
        if (!world.provider().made().contains(volume.remoteId().value())) {
            world.violated("R56: " + key + " is said to be made, and the provider has no " + volume.remoteId());
        }
        List<Topology> there = world.places().of(volume.remoteId());
        List<Topology> wished = volume.spec()
                .accessibilityRequirements()
                .map(TopologyRequirement::requisite)
                .orElse(there);
        if (!volume.facts().accessibleTopology().equals(there) || !wished.containsAll(there)) {
            world.violated("R53: " + key + " is said to be made in "
                    + volume.facts().accessibleTopology() + ", it is in " + there + ", and wished for in " + wished);
        }
    }

    private void delete(VolumeKey key) {
        if (volumes.known(key).filter(Volume::inUse).isPresent()) {
            world.coverage().operation("delete while in use");
        }
        var unused = server.ask("delete", engine -> engine.volumes().delete(key))
                .whenComplete((done, failure) -> {
                    if (failure != null && world.faults().happen() && again(failure)) {
                        world.scheduler().after(AGAIN, () -> delete(key));
                    }
                });
    }

    private boolean again(Throwable failure) {
        return (failure instanceof CsiException known && known.retryable()) || random.nextBoolean();
    }

    /** Once the trouble is over everything that was made is deleted, as often as it takes. */
    void endAll() {
        for (VolumeKey key : keys) {
            phase(key).filter(phase -> phase == VolumePhase.AVAILABLE).ifPresent(phase -> delete(key));
        }
        if (!settled() || world.commandsOnTheirWay()) {
            world.scheduler().after(Duration.ofMinutes(1), this::endAll);
        }
    }

    private Optional<VolumePhase> phase(VolumeKey key) {
        return world.store().snapshot().volume(key).map(Volume::phase);
    }

    boolean settled() {
        return remains() == null;
    }

    /** What is left: on record, or at the provider. */
    @Nullable String remains() {
        StateReader state = world.store().snapshot();
        Set<String> recorded = new TreeSet<>();
        keys.forEach(key -> state.volume(key).ifPresent(volume -> recorded.add(key + " " + volume.phase())));
        return recorded.isEmpty() && world.provider().made().isEmpty()
                ? null
                : "volumes on record " + recorded + ", at the provider "
                        + world.provider().made();
    }
}
