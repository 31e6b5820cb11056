package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
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
import java.util.TreeSet;

/** The faults of a chaos run that last: nodes without power, replaced machines, removed plugins, and restored servers. */
final class Outages {
    private static final Duration REPORT = Duration.ofSeconds(60);
    private static final Duration AGREEMENT = Duration.ofMinutes(2);
    private static final long POLL_MILLIS = 500;

    private final Machines machines;
    private final Random random;
    private final Set<ChaosFault> without;
    private final OperatorRequests requests;
    /** The nodes without power, each with the number of rounds until it is fenced or replaced, or comes back. */
    private final Map<NodeId, Integer> lost = new TreeMap<>();
    /** The nodes without plugin, each with the number of rounds until the plugin comes back. */
    private final Map<NodeId, Integer> withoutPlugin = new TreeMap<>();
    /** The nodes whose machine has been replaced. */
    private final Set<NodeId> replaced = new TreeSet<>();
    /** The number of rounds until the servers get the files of the backup; 0: there is no backup. */
    private int untilRestore;

    private boolean restored;
    /** The number of rounds until the database continues; 0: it runs. */
    private int databasePaused;

    Outages(Machines machines, Random random, Set<ChaosFault> without, OperatorRequests requests) {
        this.machines = machines;
        this.random = random;
        this.without = without;
        this.requests = requests;
    }

    /** Switches a node off, unless another one is off. */
    void lose(NodeId node) {
        if (lost.isEmpty()) {
            machines.halt(node);
            lost.put(node, rounds());
            requests.count("nodes lost");
        }
    }

    /** Ends the plugin of a node, and does not start it for some rounds. */
    void removePlugin(NodeId node) {
        if (withoutPlugin.isEmpty()) {
            machines.removePlugin(node);
            withoutPlugin.put(node, rounds());
            requests.count("plugins removed");
        }
    }

    /** Takes a backup of all servers, unless there is one. Some rounds later, the servers get it back. */
    void backUp() throws IOException {
        if (untilRestore == 0 && databasePaused == 0) {
            machines.backUpServers();
            untilRestore = 2 * rounds();
            requests.count("backups");
        }
    }

    /** Kills the database of the log, or stops it for some rounds. Has no effect on a log in files. */
    void disturbDatabase() {
        if (!machines.hasDatabase() || databasePaused > 0) {
            return;
        }
        if (random.nextBoolean()) {
            machines.killDatabase();
            requests.count("database killed");
        } else {
            machines.pauseDatabase();
            databasePaused = rounds();
            requests.count("database paused");
        }
    }

    private int rounds() {
        return 3 + random.nextInt(8);
    }

    /** Counts a round, and ends the outages whose time has come. */
    void advance() throws IOException {
        for (NodeId node : ended(lost)) {
            end(node);
        }
        ended(withoutPlugin).forEach(machines::returnPlugin);
        if (databasePaused > 0 && --databasePaused == 0) {
            machines.resumeDatabase();
        }
        if (untilRestore > 0 && databasePaused == 0 && --untilRestore == 0) {
            machines.restoreServers();
            restored = true;
            requests.count("restores");
            stateLostMachines();
            compareWithProvider();
        }
    }

    private static Set<NodeId> ended(Map<NodeId, Integer> outages) {
        outages.replaceAll((node, rounds) -> rounds - 1);
        Set<NodeId> ended = new TreeSet<>();
        outages.forEach((node, rounds) -> {
            if (rounds <= 0) {
                ended.add(node);
            }
        });
        outages.keySet().removeAll(ended);
        return ended;
    }

    /** A lost node comes back with its disk, is fenced and comes back empty, or another machine takes its place. */
    private void end(NodeId node) throws IOException {
        int choice = random.nextInt(4);
        if (choice == 0 && !without.contains(ChaosFault.FENCE)) {
            requests.count("nodes fenced");
            requests.later(() -> {
                requests.ask("node fence", node);
                requests.ask("node start", node);
            });
        } else if (choice == 1 && untilRestore == 0 && !without.contains(ChaosFault.REPLACE) && hasReported(node)) {
            // Not between backup and restore, and not before the machine has reported after a restore: nothing could
            // say what it has used since the backup.
            machines.replace(node);
            replaced.add(node);
            requests.count("machines replaced");
            stateLostMachine(node);
        } else {
            machines.resume(node);
            requests.count("nodes back");
        }
    }

    /** Returns whether the state knows what the machine of a node has used. */
    private boolean hasReported(NodeId node) {
        JsonElement status = requests.run("node status", node.value());
        return status.isJsonObject()
                && !status.getAsJsonObject().get("ledgerMissing").getAsBoolean()
                && status.getAsJsonObject().getAsJsonArray("unclaimed").isEmpty();
    }

    /** States for each replaced machine that it is lost. A restored state does not have earlier statements. */
    private void stateLostMachines() {
        replaced.forEach(this::stateLostMachine);
    }

    /** States that the former machine of a node is lost, after the plugin of the present one has reported its id. */
    private void stateLostMachine(NodeId node) {
        requests.later(() -> {
            awaitMachine(node, machines.externalId(node));
            requests.run(
                    "node override",
                    node.value(),
                    "--statement",
                    "FORMER_MACHINE_LOST",
                    "--reason",
                    "the former machine was switched off, and its disk is empty",
                    "--yes");
        });
    }

    /** Waits until the plugin of a node has reported its machine. */
    private void awaitMachine(NodeId node, String machine) {
        long end = System.nanoTime() + REPORT.toNanos();
        while (!reported(requests.run("plugin status", ClusterLayout.PLUGIN.value()), node.value(), machine)) {
            if (System.nanoTime() > end) {
                System.out.println(
                        "chaos: the plugin of " + node + " did not report '" + machine + "' as the id of its machine");
                return;
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    private static boolean reported(JsonElement plugin, String node, String machine) {
        if (!plugin.isJsonObject()) {
            return false;
        }
        for (JsonElement element : plugin.getAsJsonObject().getAsJsonArray("instances")) {
            JsonObject instance = element.getAsJsonObject();
            if (instance.get("node").getAsString().equals(node)
                    && instance.has("externalNodeId")
                    && instance.get("externalNodeId").getAsString().equals(machine)) {
                return true;
            }
        }
        return false;
    }

    /** Detaches what the provider has and the state lacks, because a restored state does not have later attachments. */
    private void compareWithProvider() {
        requests.later(this::differences);
    }

    private JsonElement differences() {
        return requests.run("plugin reconcile", ClusterLayout.PLUGIN.value());
    }

    /** Ends all outages, and repeats the statements about replaced machines. */
    void endAll() {
        lost.keySet().forEach(machines::resume);
        withoutPlugin.keySet().forEach(machines::returnPlugin);
        lost.clear();
        withoutPlugin.clear();
        if (databasePaused > 0) {
            databasePaused = 0;
            machines.resumeDatabase();
        }
        stateLostMachines();
    }

    /**
     * Compares the state with the provider after a restore. A volume that the provider made and attached after the backup
     * has to be detached before its deletion succeeds, and its id is known only after the engine has asked for it.
     */
    void repair() {
        if (restored) {
            System.out.println("chaos: the provider and the state are compared: " + differences());
            deleteUnrequested();
        }
    }

    /**
     * Deletes the volumes that were being created in the backup. Their jobs have ended, so nothing requests them again, and
     * a restored state continues a creation only when it is requested. Does not wait for the deletions: the next comparison
     * with the provider may have to detach such a volume first.
     */
    private void deleteUnrequested() {
        JsonElement creating = requests.run("volume list", "--phase", "CREATING");
        if (!creating.isJsonObject()) {
            return;
        }
        for (JsonElement volume : creating.getAsJsonObject().getAsJsonArray("items")) {
            JsonObject row = volume.getAsJsonObject();
            requests.count("unrequested volumes deleted");
            requests.run(
                    "volume delete",
                    row.get("namespace").getAsString(),
                    row.get("volume").getAsString(),
                    "--yes",
                    "--no-wait");
        }
    }

    /**
     * After a restore, compares the state with the provider until they agree. Without a restore they have to agree
     * already: a difference is a leak, and is not repaired.
     */
    void awaitAgreement() throws IOException {
        if (!restored) {
            return;
        }
        awaitNoDifference();
        deleteOrphans();
    }

    private void awaitNoDifference() throws IOException {
        long end = System.nanoTime() + AGREEMENT.toNanos();
        for (JsonElement found = differences(); !isEmpty(found); found = differences()) {
            System.out.println("chaos: after a restore, the provider and the state differ: " + found);
            if (System.nanoTime() > end) {
                throw new IOException("the provider and the state still differ: " + found);
            }
            Pause.millis(POLL_MILLIS);
        }
    }

    /**
     * Deletes the volumes that claims have made after the backup: the restored state does not know them. Each gets a
     * row first, so that the comparison with the provider finds its attachments and detaches it.
     */
    private void deleteOrphans() throws IOException {
        JsonElement found = requests.run("orphan list", ClusterLayout.PLUGIN.value());
        if (!found.isJsonObject()) {
            return;
        }
        List<String> adopted = new ArrayList<>();
        for (JsonElement id : found.getAsJsonObject().getAsJsonArray("orphaned")) {
            String volume = "orphan-" + id.getAsString();
            JsonElement row = requests.run(
                    "orphan adopt",
                    ClusterLayout.PLUGIN.value(),
                    id.getAsString(),
                    "--namespace",
                    JobFile.NAMESPACE.value(),
                    "--volume",
                    volume,
                    "--requested-capability",
                    "accessMode=SINGLE_NODE_WRITER");
            if (row.isJsonObject()) {
                adopted.add(volume);
            }
        }
        awaitNoDifference();
        for (String volume : adopted) {
            requests.count("orphans deleted");
            requests.run("volume delete", JobFile.NAMESPACE.value(), volume, "--yes");
        }
    }

    private static boolean isEmpty(JsonElement differences) {
        return differences.isJsonObject()
                && differences.getAsJsonObject().getAsJsonArray("drifts").isEmpty();
    }
}
