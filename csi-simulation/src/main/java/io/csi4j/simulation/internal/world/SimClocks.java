package io.csi4j.simulation.internal.world;

import io.csi4j.core.id.NodeId;
import io.csi4j.simulation.internal.time.SimClock;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * The clocks of the servers and nodes. They differ from the beginning, and are set forwards and backwards during the
 * run. After the end of the faults they stay as they are.
 */
public final class SimClocks {
    private static final int SERVERS = 3;
    private static final int CORRECTIONS = 8;

    /** The largest differences and corrections, each as likely as the others. */
    private static final List<Duration> MAGNITUDES = List.of(
            Duration.ofMillis(500),
            Duration.ofSeconds(30),
            Duration.ofMinutes(15),
            Duration.ofHours(1),
            Duration.ofDays(1),
            Duration.ofDays(400));

    private final SimWorld world;
    private final SplittableRandom random;
    private final boolean differ;
    private final List<SimClock> servers = new ArrayList<>();
    private final Map<NodeId, SimClock> nodes = new LinkedHashMap<>();
    private int lastServer;

    /**
     * Creates the clocks.
     *
     * @param random the random numbers of the clocks alone
     * @param differ whether the clocks differ and are set; if not, all of them are right
     */
    SimClocks(SimWorld world, SplittableRandom random, boolean differ) {
        this.world = world;
        this.random = random;
        this.differ = differ;
        for (int i = 0; i < SERVERS; i++) {
            servers.add(create());
        }
    }

    /** Schedules the corrections. */
    public void begin(SimConfig options) {
        for (int i = 0; differ && i < CORRECTIONS; i++) {
            world.scheduler()
                    .after(Duration.ofNanos(random.nextLong(options.chaos().toNanos())), this::correct);
        }
    }

    private SimClock create() {
        SimClock clock = world.scheduler().newClock();
        if (differ && random.nextBoolean()) {
            world.scheduler().set(clock, anyDuration());
        }
        return clock;
    }

    private Duration anyDuration() {
        long max = MAGNITUDES.get(random.nextInt(MAGNITUDES.size())).toNanos();
        return Duration.ofNanos(random.nextLong(-max, max + 1));
    }

    private void correct() {
        if (!world.faults().active()) {
            return;
        }
        List<SimClock> all = new ArrayList<>(servers);
        all.addAll(nodes.values());
        int chosen = random.nextInt(all.size());
        Duration by = anyDuration();
        world.coverage().fault(by.isNegative() ? "clock set back" : "clock set forwards");
        world.trace().note("host", "the clock of " + name(chosen) + " is set by " + by);
        world.scheduler().set(all.get(chosen), by);
    }

    private String name(int chosen) {
        return chosen < SERVERS
                ? "server " + chosen
                : List.copyOf(nodes.keySet()).get(chosen - SERVERS).value();
    }

    /** Returns the clock of the machine on which the next server process starts. */
    public Clock nextServer() {
        lastServer = (lastServer + 1) % SERVERS;
        return servers.get(lastServer);
    }

    /** Returns the clock of a node. */
    public Clock node(NodeId nodeId) {
        return nodes.computeIfAbsent(nodeId, id -> create());
    }

    /** Returns the time of a report of the host, which any server may have received. */
    public Instant report() {
        return servers.get(random.nextInt(SERVERS)).instant();
    }
}
