package io.csi4j.simulation;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * How many volumes the nodes take, as the provider counts: with those that somebody else attached there. What the
 * plugin on a node tells of it may be an old story.
 */
final class SimCapacity {
    private static final int MAX_SLOTS = 3;
    private static final int FAULTS = 8;
    private static final Duration OCCUPATION = Duration.ofMinutes(2);
    private static final Duration SHORT_OCCUPATION = Duration.ofSeconds(30);
    private static final Duration REPORT_DELAY = Duration.ofMinutes(1);

    private static final class Slots {
        private int total;
        /** Those that others have, of whom the cluster does not know. */
        private int foreign;

        private long reported;
        /** How many volumes the state had there when it changed last. */
        private long lastCount;
        /** A volume was refused, and nobody asked since how much room there is. */
        private boolean queryExpected;

        Slots(int total) {
            this.total = total;
            this.reported = total;
        }
    }

    private final SimWorld world;
    private final boolean limited;
    private final SplittableRandom random;
    /** Whether what the plugin tells is what is left for the cluster; otherwise it knows of no others. */
    private final boolean reportsRemaining;

    private final Map<SimNode, Slots> nodes = new LinkedHashMap<>();
    private Consumer<SimNode> publish = node -> {};
    private boolean queryRequired;

    SimCapacity(SimWorld world, boolean limited, SplittableRandom random) {
        this.world = world;
        this.limited = limited;
        this.random = random;
        this.reportsRemaining = random.nextBoolean();
    }

    /**
     * Begins.
     *
     * @param fingerprints tells the host what the plugins on a node tell
     */
    void begin(SimulationOptions options, Consumer<SimNode> fingerprints) {
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

    /** What the plugin on that node told last; 0: no limit. */
    long reported(SimNode node) {
        return limited ? slots(node).reported : 0;
    }

    /** The most that a workload can ever have there. */
    long max(SimNode node) {
        return limited ? slots(node).total : Long.MAX_VALUE;
    }

    /** The plugin counts anew: it starts, or was asked. */
    void recount(SimNode node) {
        Slots slots = slots(node);
        slots.reported = reportsRemaining ? Math.max(1, slots.total - slots.foreign) : slots.total;
    }

    /** The engine has the plugin asked, and what it tells comes as news of the node. */
    void queried(SimNode node) {
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

    /** Somebody else has some of the room for a while. */
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

    /** That there is more room nobody notices by a refusal; the host hears of it from time to time. */
    private void reportLater(SimNode node) {
        world.scheduler().within(REPORT_DELAY, () -> {
            if (node.answers()) {
                report(node);
            } else if (!node.removed()) {
                reportLater(node);
            }
        });
    }

    /** From here on it is watched that somebody asks after a refusal. What is known is true, but not for long. */
    void startFinalRound() {
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

    /** A volume that is not attached there yet comes, or is refused. */
    void admit(ExternalVolumeId volume, SimNode node) {
        if (!limited || world.provider().isAttached(volume, node.externalId)) {
            return;
        }
        Slots slots = slots(node);
        if (slots.foreign + world.provider().countOn(node.externalId) >= slots.total) {
            world.coverage().fault("node is full");
            slots.queryExpected |= queryRequired;
            throw new SimCall.Refusal(StatusCode.RESOURCE_EXHAUSTED);
        }
    }

    /** No claim is taken for a volume that is not on the node if that would be more than the limit on record (R93). */
    void onStateChanged(StateReader state) {
        if (!limited) {
            return;
        }
        nodes.forEach((node, slots) -> {
            long count = 0;
            for (VolumeKey key : world.volumes().values()) {
                boolean present = SimVolumes.attaches(key)
                        && state.volume(key)
                                .filter(volume -> volume.isOn(node.id))
                                .filter(volume -> !volume.claims().on(node.id).isEmpty()
                                        || !world.drift().mayBeRecordedAsOrphan(key, node.id))
                                .isPresent();
                count += present ? 1 : 0;
            }
            if (count > slots.reported && count > slots.lastCount) {
                world.reportViolation("R93: " + node.id + " has " + count + " volumes and takes " + slots.reported);
            }
            slots.lastCount = count;
            // A node that comes back tells it anyway.
            slots.queryExpected &= state.node(node.id)
                    .filter(known -> known.status() == NodeStatus.READY)
                    .isPresent();
        });
    }

    /** Nodes whose plugin refused a volume, and was not asked since how much room there is. */
    String remaining() {
        StringBuilder text = new StringBuilder();
        nodes.forEach((node, slots) -> {
            if (slots.queryExpected) {
                text.append(" capacity was not queried on ").append(node.id);
            }
        });
        return text.toString();
    }
}
