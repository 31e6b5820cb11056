package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The volume limits of nodes as the provider counts them, including volumes of other users. The limit that a node's plugin
 * reports may be outdated.
 */
public final class SimCapacity {
    private static final int MAX_SLOTS = 3;
    private static final int FAULTS = 8;
    private static final Duration OCCUPATION = Duration.ofMinutes(2);
    private static final Duration SHORT_OCCUPATION = Duration.ofSeconds(30);
    private static final Duration REPORT_DELAY = Duration.ofMinutes(1);

    private static final class Slots {
        private int total;
        /** The number of volumes of other users on the node, which the cluster does not know. */
        private int foreign;

        private long reported;
        /** The volumes on the node in the previous state. */
        private Set<VolumeKey> last = Set.of();
        /** Whether the engine has to query the capacity, because the plugin refused a volume. */
        private boolean queryExpected;

        Slots(int total) {
            this.total = total;
            this.reported = total;
        }
    }

    private final SimWorld world;
    private final boolean limited;
    private final SplittableRandom random;
    /** Whether the limit that the plugin reports leaves out the slots that other users occupy. */
    private final boolean reportsRemaining;

    private final Map<SimNode, Slots> nodes = new LinkedHashMap<>();
    private Consumer<SimNode> publish = node -> {};
    private boolean queryRequired;

    public SimCapacity(SimWorld world, boolean limited, SplittableRandom random) {
        this.world = world;
        this.limited = limited;
        this.random = random;
        this.reportsRemaining = random.nextBoolean();
    }

    /**
     * Schedules the changes of capacity.
     *
     * @param fingerprints reports the plugins of a node, with their volume limits, to the host
     */
    public void begin(SimConfig options, Consumer<SimNode> fingerprints) {
        publish = fingerprints;
        if (!limited) {
            return;
        }
        long max = options.chaos().toNanos();
        for (int i = 0; i < FAULTS; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(max)), this::changeCapacity);
        }
    }

    private Slots slots(SimNode node) {
        return nodes.computeIfAbsent(node, unknown -> new Slots(1 + random.nextInt(MAX_SLOTS)));
    }

    /** The limit that the node's plugin reported last; 0: no limit. */
    public long reported(SimNode node) {
        return limited ? slots(node).reported : 0;
    }

    /** The largest number of volumes that workloads can have on the node. */
    public long max(SimNode node) {
        return limited ? slots(node).total : Long.MAX_VALUE;
    }

    /** Updates the reported limit, when the plugin starts or is queried. */
    public void recount(SimNode node) {
        Slots slots = slots(node);
        slots.reported = reportsRemaining ? Math.max(1, slots.total - slots.foreign) : slots.total;
    }

    /** Handles the engine's query for the volume limit: the node reports the limit of its plugin again. */
    public void queried(SimNode node) {
        if (limited) {
            Slots slots = slots(node);
            long before = slots.reported;
            slots.queryExpected = false;
            report(node);
            if (slots.reported != before) {
                world.coverage().fault("limit of a node corrected");
            }
        }
    }

    private void report(SimNode node) {
        recount(node);
        publish.accept(node);
    }

    private void changeCapacity() {
        List<SimNode> candidates = new ArrayList<>(world.nodes().values());
        SimNode node = candidates.get(random.nextInt(candidates.size()));
        if (!world.faults().active()) {
            return;
        }
        Slots slots = slots(node);
        switch (random.nextInt(4)) {
            case 0 -> slots.total = Math.max(1 + slots.foreign, slots.total - 1);
            case 1 -> {
                slots.total++;
                reportLater(node);
            }
            default -> occupyForeign(node, OCCUPATION);
        }
    }

    /** Lets other users of the storage take some of the node's slots for a while. */
    private void occupyForeign(SimNode node, Duration duration) {
        Slots slots = slots(node);
        int free = slots.total - slots.foreign - 1;
        if (free <= 0) {
            return;
        }
        int occupied = 1 + random.nextInt(free);
        slots.foreign += occupied;
        world.trace().note(node.id.value(), occupied + " slots are taken by other users");
        world.scheduler().within(duration, () -> {
            slots.foreign -= occupied;
            world.trace().note(node.id.value(), occupied + " slots are freed by other users");
            reportLater(node);
        });
    }

    /**
     * Reports a node's higher limit after a while. Otherwise the engine might not learn of it: a refused call makes the
     * engine query the limit, but a higher limit refuses no call.
     */
    private void reportLater(SimNode node) {
        world.scheduler().within(REPORT_DELAY, () -> {
            if (node.answers()) {
                report(node);
            } else if (!node.removed()) {
                reportLater(node);
            }
        });
    }

    /**
     * Makes the engine query a limit after each refused volume. First each node reports its correct limit; then other
     * users change the limits.
     */
    public void startFinalRound() {
        if (!limited) {
            return;
        }
        queryRequired = true;
        for (SimNode node : world.nodes().values()) {
            if (node.answers()) {
                report(node);
                world.scheduler().within(SHORT_OCCUPATION, () -> occupyForeign(node, SHORT_OCCUPATION));
            }
        }
    }

    /** Fails if the node has no slot for a volume that is not attached there yet. */
    public void admit(ExternalVolumeId volume, SimNode node) {
        if (!limited || world.provider().isAttached(volume, node.externalId)) {
            return;
        }
        Slots slots = slots(node);
        if (slots.foreign + world.provider().countOn(node.externalId) >= slots.total) {
            world.coverage().fault("node is full");
            slots.queryExpected |= queryRequired;
            throw new Refusal(StatusCode.RESOURCE_EXHAUSTED);
        }
    }

    /**
     * A claim must not raise the number of volumes on a node above the limit that the state has (R93). A registration may: it takes
     * over what a forgotten volume left on the node.
     */
    public void onStateChanged(StateReader state) {
        if (!limited) {
            return;
        }
        List<Volume> volumes = new ArrayList<>();
        for (VolumeKey key : world.volumes().values()) {
            if (SimVolumes.attaches(key)) {
                state.volume(key).ifPresent(volumes::add);
            }
        }
        nodes.forEach((node, slots) -> {
            Set<VolumeKey> present = new HashSet<>();
            boolean claimed = false;
            for (Volume volume : volumes) {
                VolumeKey key = volume.key();
                if (usesMachine(volume, node)
                        && (!volume.claims().on(node.id).isEmpty()
                                || !world.drift().mayBeRecordedAsOrphan(key, node.id))) {
                    present.add(key);
                    claimed |= !slots.last.contains(key) && isClaimed(volume, node);
                }
            }
            if (claimed && present.size() > slots.last.size() && present.size() > knownLimit(state, node)) {
                world.reportViolation(
                        "R93: " + node.id + " has " + present.size() + " volumes and takes " + knownLimit(state, node));
            }
            slots.last = present;
            // Expects no query of a node that is not ready: it reports its limit when it recovers.
            slots.queryExpected &= !node.replaced()
                    && state.node(node.id)
                            .filter(known -> known.status() == NodeStatus.READY)
                            .isPresent();
        });
    }

    /**
     * Returns the limit of the node in the last report that the state has, perhaps one of an earlier machine; no limit
     * if it has none.
     */
    private static long knownLimit(StateReader state, SimNode node) {
        return state.plugin(SimVolumes.ATTACHING).instances().stream()
                .filter(instance -> instance.key().nodeId().equals(node.id))
                .flatMap(instance -> instance.nodeInfo().stream())
                .mapToLong(NodeInfo::maxVolumesPerNode)
                .filter(max -> max > 0)
                .max()
                .orElse(Long.MAX_VALUE);
    }

    /** Forgets which volumes the lost states had on each node. */
    void restored(StateReader state) {
        nodes.values().forEach(slots -> slots.last = Set.copyOf(world.volumes().values()));
        onStateChanged(state);
    }

    /**
     * Returns whether an allocation has claimed the volume on the node under its present key. An adopted claim is no such
     * claim: it shows what is there anyway.
     */
    private static boolean isClaimed(Volume volume, SimNode node) {
        for (Claim claim : volume.claims().on(node.id)) {
            if (claim.formerVolume().isEmpty() && !claim.adopted()) {
                return true;
            }
        }
        return false;
    }

    private static boolean usesMachine(Volume volume, SimNode node) {
        for (Claim claim : volume.claims().on(node.id)) {
            if (claim.externalNodeId().equals(Optional.of(node.externalId))) {
                return true;
            }
        }
        return volume.attachments()
                .on(node.id)
                .filter(attachment -> attachment.externalNodeId().equals(Optional.of(node.externalId)))
                .isPresent();
    }

    /** The nodes whose plugin refused a volume and was not queried since. */
    public String remaining() {
        StringBuilder text = new StringBuilder();
        nodes.forEach((node, slots) -> {
            if (slots.queryExpected) {
                text.append(" capacity was not queried on ").append(node.id);
            }
        });
        return text.toString();
    }
}
