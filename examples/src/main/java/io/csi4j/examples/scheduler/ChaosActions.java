package io.csi4j.examples.scheduler;

import com.google.gson.JsonObject;
import io.csi4j.core.id.NodeId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The faults and changes of a chaos run; the random numbers decide which one is next. */
final class ChaosActions {
    private static final int MAX_JOBS = 8;
    private static final int LONGEST_PAUSE_MILLIS = 2_000;
    private static final long LAST_SECONDS = 120;
    private static final List<String> VOLUMES = List.of(
            "volume one size=16Mi mode=SINGLE_NODE_WRITER",
            "volume two size=16Mi mode=SINGLE_NODE_WRITER",
            "volume three size=16Mi mode=SINGLE_NODE_WRITER",
            "volume shared size=16Mi mode=MULTI_NODE_MULTI_WRITER");

    private final ClusterRun run;
    private final Random random;
    private final Set<ChaosFault> without;
    private final LineClient operator;
    /** Runs operators' requests in the background, because a request may wait long for a plugin or a leader. */
    private final ExecutorService requests = Executors.newFixedThreadPool(4);
    /** The nodes without power, each with the number of calls of {@link #next} until it is fenced or comes back. */
    private final Map<NodeId, Integer> lost = new TreeMap<>();

    private final Map<String, Integer> counts = new ConcurrentSkipListMap<>();
    /** The snapshots by name, each with its volume, until their deletion is confirmed. */
    private final Map<String, String> snapshotsToDelete = new ConcurrentSkipListMap<>();

    private int jobs;
    private int snapshots;

    ChaosActions(ClusterRun run, Random random, Set<ChaosFault> without) throws IOException {
        this.run = run;
        this.random = random;
        this.without = Set.copyOf(without);
        this.operator = new LineClient(run.layout().adminSockets(), Duration.ofSeconds(60));
        JobFile.edit(run.layout().jobs(), lines -> VOLUMES);
    }

    Map<String, Integer> counts() {
        return counts;
    }

    private void count(String name) {
        counts.merge(name, 1, Integer::sum);
    }

    /** Causes one random fault or makes one random change, and pauses for a random time. */
    void next() throws IOException {
        advanceLostNodes();
        int choice = random.nextInt(100);
        NodeId node = randomNode();
        if (choice < 35) {
            startJob();
        } else if (choice < 65) {
            endJob();
        } else {
            ChaosFault fault = fault(choice);
            if (!without.contains(fault)) {
                cause(fault, node);
            }
        }
        Pause.millis(random.nextInt(LONGEST_PAUSE_MILLIS));
    }

    private static ChaosFault fault(int choice) {
        if (choice < 72) {
            return ChaosFault.SERVER;
        } else if (choice < 79) {
            return ChaosFault.AGENT;
        } else if (choice < 86) {
            return ChaosFault.PLUGIN;
        } else if (choice < 90) {
            return ChaosFault.DRAIN;
        } else if (choice < 94) {
            return ChaosFault.LOSE;
        } else if (choice < 96) {
            return ChaosFault.UPGRADE;
        } else if (choice < 98) {
            return ChaosFault.EXPAND;
        }
        return ChaosFault.SNAPSHOT;
    }

    private void cause(ChaosFault fault, NodeId node) throws IOException {
        switch (fault) {
            case SERVER -> {
                run.machines()
                        .killServer(1 + random.nextInt(run.layout().servers().size()));
                count("servers killed");
            }
            case AGENT -> {
                run.machines().killAgent(node);
                count("agents killed");
            }
            case PLUGIN -> {
                run.machines().killPlugin(node);
                count("plugins killed");
            }
            case DRAIN -> toggleDrain(node);
            case LOSE -> lose(node);
            case UPGRADE -> {
                run.machines().upgrade(node, "1.0." + random.nextInt(100));
                count("plugins upgraded");
            }
            case EXPAND ->
                request("volume expand", Map.of("volume", randomVolume(), "size", 16 + random.nextInt(100) + "Mi"));
            case SNAPSHOT -> snapshot();
            case FENCE -> throw new IllegalArgumentException("only a lost node is fenced, see advanceLostNodes");
        }
    }

    private NodeId randomNode() {
        List<NodeId> nodes = run.layout().nodeIds();
        return nodes.get(random.nextInt(nodes.size()));
    }

    private String randomVolume() {
        return VOLUMES.get(random.nextInt(VOLUMES.size())).split(" ", -1)[1];
    }

    private void startJob() throws IOException {
        JobFile file = JobFile.read(run.layout().jobs());
        if (file.jobs().size() < MAX_JOBS) {
            String first = randomVolume();
            String second = randomVolume();
            String volumes = random.nextBoolean() || first.equals(second) ? first : first + "," + second;
            String line = "job j" + ++jobs + " count=" + (1 + random.nextInt(2)) + " volumes=" + volumes;
            edit(lines -> lines.add(line));
            count("jobs started");
        }
    }

    private void endJob() throws IOException {
        List<String> names =
                List.copyOf(JobFile.read(run.layout().jobs()).jobs().keySet());
        if (!names.isEmpty()) {
            String ended = "job " + names.get(random.nextInt(names.size())) + " ";
            edit(lines -> lines.removeIf(line -> line.startsWith(ended)));
            count("jobs ended");
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
            count("drains");
        }
    }

    private void lose(NodeId node) {
        if (lost.isEmpty()) {
            run.machines().halt(node);
            lost.put(node, 3 + random.nextInt(8));
            count("nodes lost");
        }
    }

    /** A lost node comes back with its disk, or it is fenced and comes back empty, unless fences are left out. */
    private void advanceLostNodes() {
        lost.replaceAll((node, rounds) -> rounds - 1);
        lost.entrySet().removeIf(entry -> {
            if (entry.getValue() > 0) {
                return false;
            }
            if (random.nextBoolean() || without.contains(ChaosFault.FENCE)) {
                run.machines().resume(entry.getKey());
                count("nodes back");
            } else {
                fence(entry.getKey());
            }
            return true;
        });
    }

    private void fence(NodeId node) {
        count("nodes fenced");
        requests.execute(() -> {
            ask("node fence", Map.of("node", node.value()));
            ask("node start", Map.of("node", node.value()));
        });
    }

    private void snapshot() {
        String name = "s" + ++snapshots;
        String volume = randomVolume();
        count("volume snapshot");
        snapshotsToDelete.put(name, volume);
        requests.execute(() -> deleteSnapshot(name, volume));
    }

    /**
     * Takes a snapshot and deletes it. If the snapshot exists already, the first request only returns its id, so this
     * method can be repeated after a lost answer.
     */
    private void deleteSnapshot(String name, String volume) {
        JsonObject taken = ask("volume snapshot", Map.of("volume", volume, "name", name));
        if (taken.has("snapshot")) {
            JsonObject deleted = ask(
                    "snapshot delete", Map.of("snapshot", taken.get("snapshot").getAsString()));
            if (deleted.has("deleted")) {
                snapshotsToDelete.remove(name);
            }
        }
    }

    /** Deletes the snapshots whose requests failed during the faults. */
    void deleteSnapshots() {
        Map.copyOf(snapshotsToDelete).forEach(this::deleteSnapshot);
    }

    private void request(String op, Map<String, String> arguments) {
        count(op);
        requests.execute(() -> ask(op, arguments));
    }

    /** Sends a request of an operator. If the request fails, counts the failure and returns an empty object. */
    private JsonObject ask(String op, Map<String, String> arguments) {
        JsonObject request = new JsonObject();
        arguments.forEach(request::addProperty);
        try {
            var answer = operator.ask(op, request, line -> {});
            return answer.isJsonObject() ? answer.getAsJsonObject() : new JsonObject();
        } catch (IOException e) {
            count(op + " failed");
            System.out.println("chaos: " + op + ": " + e.getMessage());
            return new JsonObject();
        }
    }

    /** Waits for the requests in flight. */
    void end() throws IOException {
        requests.shutdown();
        try {
            if (!requests.awaitTermination(LAST_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("a request of an operator has no answer after " + LAST_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
