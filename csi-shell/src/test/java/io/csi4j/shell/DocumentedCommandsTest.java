package io.csi4j.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.admin.AdminServer;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.testkit.cluster.FakeCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each command in the pages exists, with its options, at a server. */
class DocumentedCommandsTest {
    private static final Pattern PLACEHOLDER = Pattern.compile("[A-Z][A-Z_-]+");
    /** Words of pages that are names of commands only: they do nothing alone. */
    private static final Set<String> GROUPS = Set.of("csi COMMAND --help");

    private static final Map<String, String> VALUES = Map.ofEntries(
            Map.entry("NAMESPACE", "default"),
            Map.entry("VOLUME", "db"),
            Map.entry("NODE", "n1"),
            Map.entry("ALLOCATION", "web-1"),
            Map.entry("ID", "stray-1"),
            Map.entry("NAME", "name.example.com"),
            Map.entry("PREVIEW", "0000000000000000"),
            Map.entry("TOKEN", "4711"),
            Map.entry("OPERATION", "5ddc4cce-2"),
            Map.entry("WORKLOAD", "web"),
            Map.entry("CLASS", "fast"),
            Map.entry("INCARNATION", "1"),
            Map.entry("TEXT", "ticket-4711"));

    /** The values that are the same words in each cluster. */
    private static final Set<String> CONSTANTS = Set.of(
            "DOWN", "DISCONNECTED", "UNMOUNTED", "FORMER_MACHINE_LOST", "MACHINE_RENAMED", "AVAILABLE", "RETAIN");

    @Test
    void eachCommandOfThePagesIsUnderstood(@TempDir Path directory) throws Exception {
        Map<String, String> wrong = new TreeMap<>();
        int count = 0;
        for (String page : DocumentedCommands.pages()) {
            List<String> commands = DocumentedCommands.in(DocumentedCommands.page(page));
            if (commands.isEmpty()) {
                continue;
            }
            try (FakeCluster cluster = FakeCluster.onRealTime();
                    AdminServer admin = AdminServer.builder(cluster.lifecycle()).start()) {
                cluster.addNode("n1");
                cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
                Map<String, String> values = new TreeMap<>(VALUES);
                values.put("PLUGIN", cluster.plugin().value());
                values.put("ADDRESS", admin.uri().toString());
                for (String command : commands) {
                    if (GROUPS.contains(command)) {
                        continue;
                    }
                    count++;
                    String problem = problem(command, values, directory);
                    if (!problem.isEmpty()) {
                        wrong.put(page + ": " + command, problem);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(count).isGreaterThan(55);
    }

    /** Returns why a command is not understood; empty if it is. */
    private static String problem(String command, Map<String, String> values, Path directory) throws Exception {
        String[] arguments = DocumentedCommands.arguments(command, values);
        List<String> unknown = Arrays.stream(arguments)
                .filter(word -> PLACEHOLDER.matcher(word).matches() && !CONSTANTS.contains(word))
                .toList();
        if (!unknown.isEmpty()) {
            return "words in capitals without a value: " + unknown;
        }
        Shell shell = new Shell();
        shell.environment.put("CSI_ADDRESS", values.getOrDefault("ADDRESS", ""));
        shell.environment.put("HOME", Files.createDirectories(directory).toString());
        // A person at a terminal answers the question of a command that destroys, with no if the command deletes the
        // volume that the next ones need. A command that is followed has no end.
        shell.keyPrefix = UUID.randomUUID() + "-";
        shell.inIsTerminal = true;
        shell.input = command.startsWith("csi volume delete ") ? "no\n" : "yes\n";
        int code = shell.run(
                Arrays.stream(arguments).filter(word -> !word.equals("--watch")).toArray(String[]::new));
        return code == Csi.USAGE || code == Csi.UNREACHABLE ? code + " " + shell.errors() : "";
    }

    @Test
    void commandThatDoesNotExistAndWrongOptionAreFound(@TempDir Path directory) throws Exception {
        try (FakeCluster cluster = FakeCluster.onRealTime();
                AdminServer admin = AdminServer.builder(cluster.lifecycle()).start()) {
            Map<String, String> values = Map.of("ADDRESS", admin.uri().toString());
            assertThat(problem("csi volume frobnicate", values, directory)).contains("frobnicate");
            assertThat(problem("csi volume list --colour", values, directory)).contains("--colour");
            assertThat(problem("csi volume status default", values, directory)).contains("VOLUME");
            assertThat(problem("csi volume set-reclaim default db keep", values, directory))
                    .contains("'keep' is none of DELETE, RETAIN");
            assertThat(problem("csi node status NODE", values, directory)).contains("NODE");
            assertThat(problem("csi volume list", values, directory)).isEmpty();
        }
    }

    @Test
    void commandsAreFoundInTextAndInBlocks() {
        assertThat(DocumentedCommands.in("Use `csi a b` or `csi-admin`.\n```\ncsi c d | jq\n# csi e\n```\n"))
                .containsExactly("csi c d", "csi a b");
    }
}
