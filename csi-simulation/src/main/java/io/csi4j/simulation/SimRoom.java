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
final class SimRoom {
    private static final int MOST = 3;
    private static final int TROUBLES = 8;
    private static final Duration STAY = Duration.ofMinutes(2);
    private static final Duration SHORT = Duration.ofSeconds(30);
    private static final Duration NEWS = Duration.ofMinutes(1);

    private static final class Slots {
        private int all;
        /** Those that others have, of whom the cluster does not know. */
        private int others;

        private long told;
        /** How many volumes the state had there when it changed last. */
        private long counted;
        /** A volume was refused, and nobody asked since how much room there is. */
        private boolean toBeAsked;

        Slots(int all) {
            this.all = all;
            this.told = all;
        }
    }

    private final SimWorld world;
    private final boolean limited;
    private final SplittableRandom random;
    /** Whether what the plugin tells is what is left for the cluster; otherwise it knows of no others. */
    private final boolean tellsRest;

    private final Map<SimNode, Slots> nodes = new LinkedHashMap<>();
    private Consumer<SimNode> news = node -> {};
    private boolean watched;

    SimRoom(SimWorld world, boolean limited, SplittableRandom random) {
        this.world = world;
        this.limited = limited;
        this.random = random;
        this.tellsRest = random.nextBoolean();
    }

    /**
     * Begins.
     *
     * @param fingerprints tells the host what the plugins on a node tell
     */
    void begin(SimulationOptions options, Consumer<SimNode> fingerprints) {
        news = fingerprints;
        if (!limited) {
            return;
        }
        long most = options.chaos().toNanos();
        for (int i = 0; i < TROUBLES; i++) {
            world.scheduler().after(Duration.ofNanos(random.nextLong(most)), this::trouble);
        }
    }

    private Slots slots(SimNode node) {
        return nodes.computeIfAbsent(node, one -> new Slots(1 + random.nextInt(MOST)));
    }

    /** What the plugin on that node told last; 0: no limit. */
    long told(SimNode node) {
        return limited ? slots(node).told : 0;
    }

    /** The most that a workload can ever have there. */
    long most(SimNode node) {
        return limited ? slots(node).all : Long.MAX_VALUE;
    }

    /** The plugin counts anew: it starts, or was asked. */
    void count(SimNode node) {
        Slots here = slots(node);
        here.told = tellsRest ? Math.max(1, here.all - here.others) : here.all;
    }

    /** The engine has the plugin asked, and what it tells comes as news of the node. */
    void asked(SimNode node) {
        if (limited) {
            Slots here = slots(node);
            long before = here.told;
            here.toBeAsked = false;
            tell(node);
            if (here.told != before) {
                world.coverage().trouble("limit of a node corrected");
            }
        }
    }

    private void tell(SimNode node) {
        count(node);
        news.accept(node);
    }

    private void trouble() {
        List<SimNode> all = new ArrayList<>(world.nodes().values());
        SimNode node = all.get(random.nextInt(all.size()));
        if (!world.faults().happen()) {
            return;
        }
        Slots here = slots(node);
        switch (random.nextInt(4)) {
            case 0 -> here.all = Math.max(1 + here.others, here.all - 1);
            case 1 -> {
                here.all++;
                tellLater(node);
            }
            default -> othersCome(node, STAY);
        }
    }

    /** Somebody else has some of the room for a while. */
    private void othersCome(SimNode node, Duration stay) {
        Slots here = slots(node);
        int more = here.all - here.others - 1;
        if (more <= 0) {
            return;
        }
        int come = 1 + random.nextInt(more);
        here.others += come;
        world.trace().note(node.id.value(), come + " places are taken by others");
        world.scheduler().soon(stay, () -> {
            here.others -= come;
            world.trace().note(node.id.value(), come + " places are left by others");
            tellLater(node);
        });
    }

    /** That there is more room nobody notices by a refusal; the host hears of it from time to time. */
    private void tellLater(SimNode node) {
        world.scheduler().soon(NEWS, () -> {
            if (node.answers()) {
                tell(node);
            } else if (!node.removed()) {
                tellLater(node);
            }
        });
    }

    /** From here on it is watched that somebody asks after a refusal. What is known is true, but not for long. */
    void encore() {
        if (!limited) {
            return;
        }
        watched = true;
        for (SimNode node : world.nodes().values()) {
            if (node.answers()) {
                tell(node);
                world.scheduler().soon(SHORT, () -> othersCome(node, SHORT));
            }
        }
    }

    /** A volume that is not attached there yet comes, or is refused. */
    void enter(ExternalVolumeId volume, SimNode node) {
        if (!limited || world.provider().isAttached(volume, node.externalId)) {
            return;
        }
        Slots here = slots(node);
        if (here.others + world.provider().countOn(node.externalId) >= here.all) {
            world.coverage().trouble("node is full");
            here.toBeAsked |= watched;
            throw new SimCall.Refusal(StatusCode.RESOURCE_EXHAUSTED);
        }
    }

    /** No claim is taken for a volume that is not on the node if that would be more than the limit on record (R93). */
    void changed(StateReader state) {
        if (!limited) {
            return;
        }
        nodes.forEach((node, here) -> {
            long count = 0;
            for (VolumeKey key : world.volumes().values()) {
                boolean there = SimVolumes.attaches(key)
                        && state.volume(key)
                                .filter(is -> is.isOn(node.id))
                                .filter(is -> !is.claims().on(node.id).isEmpty()
                                        || !world.drift().wasStray(key, node.id))
                                .isPresent();
                count += there ? 1 : 0;
            }
            if (count > here.told && count > here.counted) {
                world.violated("R93: " + node.id + " has " + count + " volumes and takes " + here.told);
            }
            here.counted = count;
            // A node that comes back tells it anyway.
            here.toBeAsked &= state.node(node.id)
                    .filter(known -> known.status() == NodeStatus.READY)
                    .isPresent();
        });
    }

    /** Nodes whose plugin refused a volume, and was not asked since how much room there is. */
    String remains() {
        StringBuilder text = new StringBuilder();
        nodes.forEach((node, here) -> {
            if (here.toBeAsked) {
                text.append(" nobody asked for the room of ").append(node.id);
            }
        });
        return text.toString();
    }
}
