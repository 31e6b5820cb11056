package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import io.csi4j.core.id.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

/** The faults and changes of a chaos run; the random numbers decide which one is next. */
final class ChaosActions {
    private static final String NAMESPACE = JobFile.NAMESPACE.value();
    private static final int MAX_JOBS = 8;
    private static final int LONGEST_PAUSE_MILLIS = 2_000;
    /** The volumes that stay when jobs end. */
    private static final List<String> LASTING = List.of("one", "two", "three", "shared");

    private static final List<String> VOLUMES = List.of(
            "class kept mode=MULTI_NODE_MULTI_WRITER reclaim=retain",
            "volume one size=16Mi mode=SINGLE_NODE_WRITER",
            "volume two size=16Mi mode=SINGLE_NODE_WRITER",
            "volume three size=16Mi mode=SINGLE_NODE_WRITER",
            "volume shared size=16Mi mode=MULTI_NODE_MULTI_WRITER",
            "volume scratch size=16Mi lifetime=allocation");

    private final ClusterRun run;
    private final Random random;
    private final Set<ChaosFault> without;
    private final OperatorRequests requests;
    private final Outages outages;
    /** The snapshots by name, each with its volume, until their deletion is confirmed. */
    private final Map<String, String> snapshotsToDelete = new ConcurrentSkipListMap<>();

    private int jobs;
    private int snapshots;

    ChaosActions(ClusterRun run, Random random, Set<ChaosFault> without) throws IOException {
        this.run = run;
        this.random = random;
        this.without = Set.copyOf(without);
        this.requests = new OperatorRequests(run.layout());
        this.outages = new Outages(run.machines(), random, without, requests);
        JobFile.edit(run.layout().jobs(), lines -> VOLUMES);
    }

    Map<String, Integer> counts() {
        return requests.counts();
    }

    /** Causes one random fault or makes one random change, and pauses for a random time. */
    void next() throws IOException {
        outages.advance();
        int choice = random.nextInt(100);
        NodeId node = randomNode();
        if (choice < 34) {
            startJob();
        } else if (choice < 62) {
            endJob();
        } else {
            ChaosFault fault = ChaosFault.random(random, run.layout().log());
            if (!without.contains(fault)) {
                cause(fault, node);
            }
        }
        Pause.millis(random.nextInt(LONGEST_PAUSE_MILLIS));
    }

    private void cause(ChaosFault fault, NodeId node) throws IOException {
        switch (fault) {
            case SERVER -> {
                run.machines()
                        .killServer(1 + random.nextInt(run.layout().servers().size()));
                requests.count("servers killed");
            }
            case AGENT -> {
                run.machines().killAgent(node);
                requests.count("agents killed");
            }
            case PLUGIN -> {
                run.machines().killPlugin(node);
                requests.count("plugins killed");
            }
            case DRAIN -> toggleDrain(node);
            case LOSE -> outages.lose(node);
            case REMOVE -> outages.removePlugin(node);
            case RESTORE -> outages.backUp();
            case DATABASE -> outages.disturbDatabase();
            case CLOCK -> shiftClock(node);
            case UPGRADE -> {
                run.machines().upgrade(node, "1.0." + random.nextInt(100));
                requests.count("plugins upgraded");
            }
            case EXPAND ->
                request("volume expand", NAMESPACE, randomVolume(), "--required", 16 + random.nextInt(100) + "MiB");
            case SNAPSHOT -> snapshot();
            case FENCE, REPLACE -> throw new IllegalArgumentException(fault + " only happens to a lost node");
        }
    }

    private NodeId randomNode() {
        List<NodeId> nodes = run.layout().nodeIds();
        return nodes.get(random.nextInt(nodes.size()));
    }

    private String randomVolume() {
        return LASTING.get(random.nextInt(LASTING.size()));
    }

    private void startJob() throws IOException {
        JobFile file = JobFile.read(run.layout().jobs());
        if (file.jobs().size() < MAX_JOBS) {
            String first = randomVolume();
            String second = randomVolume();
            String volumes = random.nextBoolean() || first.equals(second) ? first : first + "," + second;
            // Each job has a volume that ends with it, and some have volumes that end with their allocations.
            String job = "j" + ++jobs;
            String own = "volume " + job + "-data size=16Mi lifetime=job "
                    + (random.nextBoolean() ? "class=kept" : "mode=MULTI_NODE_MULTI_WRITER");
            String line = "job " + job + " count=" + (1 + random.nextInt(2)) + " volumes=" + volumes + "," + job
                    + "-data" + (random.nextBoolean() ? ",scratch" : "");
            edit(lines -> {
                lines.add(own);
                lines.add(line);
            });
            requests.count("jobs started");
        }
    }

    private void endJob() throws IOException {
        List<String> names =
                List.copyOf(JobFile.read(run.layout().jobs()).jobs().keySet());
        if (!names.isEmpty()) {
            String ended = "job " + names.get(random.nextInt(names.size())) + " ";
            edit(lines -> lines.removeIf(line -> line.startsWith(ended)));
            requests.count("jobs ended");
        }
    }

    private void edit(Consumer<List<String>> change) throws IOException {
        JobFile.edit(run.layout().jobs(), lines -> {
            List<String> changed = new ArrayList<>(lines);
            change.accept(changed);
            return changed;
        });
    }

    /** Drains a node, or ends its drain. At least one node is always left undrained, so that jobs have a place. */
    private void toggleDrain(NodeId node) throws IOException {
        JobFile file = JobFile.read(run.layout().jobs());
        String line = "drain " + node;
        if (file.drained().contains(node)) {
            edit(lines -> lines.remove(line));
        } else if (file.drained().size() < run.layout().nodes() - 1) {
            edit(lines -> lines.add(line));
            requests.count("drains");
        }
    }

    /** Sets the clock of a random process: right, wrong by a few minutes, or wrong by up to two days. */
    private void shiftClock(NodeId node) throws IOException {
        int server = 1 + random.nextInt(run.layout().servers().size());
        String process = random.nextBoolean() ? "server-" + server : "agent-" + node;
        int limit = random.nextBoolean() ? 60 : 2 * 24 * 60;
        Duration shift = random.nextInt(4) == 0 ? Duration.ZERO : Duration.ofMinutes(random.nextInt(2 * limit) - limit);
        ShiftedClock.set(run.layout().clock(process), shift);
        requests.count("clocks changed");
    }

    private void snapshot() {
        String name = "s" + ++snapshots;
        String volume = randomVolume();
        requests.count("snapshot create");
        snapshotsToDelete.put(name, volume);
        requests.later(() -> deleteSnapshot(name, volume));
    }

    /**
     * Takes a snapshot and deletes it. If the snapshot exists already, the first request only returns its id, so this
     * method can be repeated after a lost answer.
     */
    private void deleteSnapshot(String name, String volume) {
        JsonElement taken = requests.run("snapshot create", NAMESPACE, volume, "--name", name);
        if (taken.isJsonObject()) {
            String id = taken.getAsJsonObject().get("snapshotId").getAsString();
            JsonElement deleted = requests.run("snapshot delete", ClusterLayout.PLUGIN.value(), id, "--yes");
            if (!deleted.isJsonNull()) {
                snapshotsToDelete.remove(name);
            }
        }
    }

    /** Deletes the snapshots whose requests failed during the faults. */
    void deleteSnapshots() {
        Map.copyOf(snapshotsToDelete).forEach(this::deleteSnapshot);
    }

    private void request(String command, String... arguments) {
        requests.count(command);
        requests.later(() -> requests.run(command, arguments));
    }

    /** Ends all outages, and waits for the requests in flight. */
    void end() throws IOException {
        outages.endAll();
        requests.end();
    }

    /** Compares the state with the provider after a restore, for volumes that are not free. */
    void repair() {
        outages.repair();
    }

    /** Waits until the state and the provider agree, after a restore. Requires that all volumes are free. */
    void awaitAgreement() throws IOException {
        outages.awaitAgreement();
    }
}
