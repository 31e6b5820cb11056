package io.csi4j.testkit.cli;

import io.csi4j.testkit.conformance.CsiConformance;
import io.csi4j.testkit.conformance.CsiConformanceBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Parses the arguments of the conformance program. */
final class ConformanceArguments {
    enum Action {
        RUN,
        HELP,
        LIST
    }

    private static final Map<String, BiConsumer<CsiConformanceBuilder, String>> VALUED = new HashMap<>();

    /** Options that may be given several times. */
    private static final Set<String> LISTS = Set.of(
            "--parameters",
            "--snapshot-parameters",
            "--mutable-parameters",
            "--infeasible-parameters",
            "--volume-context",
            "--mount-flags",
            "--secrets-required",
            "--only",
            "--skip",
            "--report");

    static {
        VALUED.put("--controller-endpoint", CsiConformanceBuilder::controllerEndpoint);
        VALUED.put("--work-dir", (builder, value) -> builder.workDir(Path.of(value)));
        VALUED.put("--size", (builder, value) -> builder.size(Size.parse("--size", value)));
        VALUED.put("--parameters", (builder, value) -> builder.parameters(pairs("--parameters", value)));
        VALUED.put(
                "--snapshot-parameters",
                (builder, value) -> builder.snapshotParameters(pairs("--snapshot-parameters", value)));
        VALUED.put(
                "--mutable-parameters",
                (builder, value) -> builder.mutableParameters(pairs("--mutable-parameters", value)));
        VALUED.put(
                "--infeasible-parameters",
                (builder, value) -> builder.infeasibleParameters(pairs("--infeasible-parameters", value)));
        VALUED.put("--access-mode", CsiConformanceBuilder::accessMode);
        VALUED.put("--fs-type", CsiConformanceBuilder::fsType);
        VALUED.put("--mount-flags", (builder, value) -> builder.mountFlags(words(value)));
        VALUED.put("--other-node", CsiConformanceBuilder::otherNode);
        VALUED.put("--secrets-file", ConformanceArguments::secrets);
        VALUED.put("--secrets-required", (builder, value) -> builder.secretsRequired(words(value)));
        VALUED.put("--only", (builder, value) -> builder.only(words(value)));
        VALUED.put("--skip", (builder, value) -> builder.skip(words(value)));
        VALUED.put("--restart-command", (builder, value) -> builder.restart(new RestartCommand(value)));
        VALUED.put("--timeout", (builder, value) -> builder.timeout(time(value)));
    }

    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<String> flags = new HashSet<>();

    private ConformanceArguments() {}

    static ConformanceArguments parse(List<String> args) {
        ConformanceArguments parsed = new ConformanceArguments();
        Iterator<String> rest = args.iterator();
        while (rest.hasNext()) {
            parsed.option(rest.next(), rest);
        }
        for (String format : parsed.reports()) {
            if (!format.equals("html") && !format.equals("junit")) {
                throw new UsageException("--report '" + format + "' must be html, junit or html,junit");
            }
        }
        return parsed;
    }

    private void option(String argument, Iterator<String> rest) {
        int equals = argument.indexOf('=');
        String name = equals < 0 ? argument : argument.substring(0, equals);
        if (Set.of("--help", "-h", "--list", "--block", "--expect-mounts", "--steps")
                .contains(argument)) {
            flags.add(argument);
            return;
        }
        if (!VALUED.containsKey(name)
                && !Set.of(
                                "--endpoint",
                                "--volume-id",
                                "--volume-context",
                                "--plugin-command",
                                "--report",
                                "--report-dir")
                        .contains(name)) {
            throw new UsageException("unknown argument '" + argument + "'; --help lists all");
        }
        String value = equals >= 0 ? argument.substring(equals + 1) : rest.hasNext() ? rest.next() : "";
        if (value.isEmpty()) {
            throw new UsageException(name + " needs a value; --help has more");
        }
        values.merge(name, value, (older, newer) -> LISTS.contains(name) ? older + "," + newer : newer);
    }

    Action action() {
        if (flags.contains("--help") || flags.contains("-h")) {
            return Action.HELP;
        }
        return flags.contains("--list") ? Action.LIST : Action.RUN;
    }

    boolean showsSteps() {
        return flags.contains("--steps");
    }

    List<String> reports() {
        return words(values.getOrDefault("--report", ""));
    }

    Path reportDirectory() {
        return Path.of(values.getOrDefault("--report-dir", "")).toAbsolutePath();
    }

    /** Returns the plugin that this program has to start; null if it runs already. */
    @Nullable PluginCommand plugin() {
        @Nullable String command = values.get("--plugin-command");
        if (command == null) {
            return null;
        }
        if (values.containsKey("--restart-command")) {
            throw new UsageException("--plugin-command restarts the plugin; leave out --restart-command");
        }
        return new PluginCommand(command, sockets());
    }

    /** Returns the sockets of the plugin, that of the node first. */
    Set<Path> sockets() {
        Set<Path> sockets = new LinkedHashSet<>();
        sockets.add(socket(endpoint()));
        sockets.add(socket(values.getOrDefault("--controller-endpoint", endpoint())));
        return sockets;
    }

    private static Path socket(String endpoint) {
        return Path.of(endpoint.replaceFirst("^unix:(//)?", ""));
    }

    Path workDirectory() {
        return Path.of(values.getOrDefault("--work-dir", System.getProperty("java.io.tmpdir")))
                .toAbsolutePath();
    }

    private String endpoint() {
        @Nullable String endpoint = values.get("--endpoint");
        if (endpoint == null) {
            throw new UsageException("no endpoint; give --endpoint unix:///run/csi/csi.sock; --help has more");
        }
        return endpoint;
    }

    CsiConformance conformance(@Nullable PluginCommand plugin) {
        CsiConformanceBuilder builder = CsiConformance.builder(endpoint())
                .block(flags.contains("--block"))
                .expectMounts(flags.contains("--expect-mounts"));
        values.forEach(
                (name, value) -> VALUED.getOrDefault(name, (unused, text) -> {}).accept(builder, value));
        @Nullable String volumeId = values.get("--volume-id");
        if (volumeId != null) {
            builder.existingVolume(volumeId, pairs("--volume-context", values.getOrDefault("--volume-context", "")));
        }
        if (plugin != null) {
            builder.restart(plugin::restart).output(plugin::newOutput);
        }
        return builder.build();
    }

    private static List<String> words(String value) {
        List<String> words = new ArrayList<>(List.of(value.split(",", -1)));
        words.removeIf(String::isBlank);
        return words;
    }

    private static Map<String, String> pairs(String name, String value) {
        Map<String, String> pairs = new LinkedHashMap<>();
        // Splits at commas. A comma after a backslash belongs to a value.
        for (String pair : value.split("(?<!\\\\),", -1)) {
            String plain = pair.replace("\\,", ",");
            int equals = plain.indexOf('=');
            if (equals > 0) {
                pairs.put(plain.substring(0, equals), plain.substring(equals + 1));
            } else if (!plain.isEmpty()) {
                throw new UsageException(name + " must be K=V, several of them with commas");
            }
        }
        return pairs;
    }

    private static Duration time(String value) {
        try {
            if (value.endsWith("ms")) {
                return Duration.ofMillis(Long.parseLong(value.substring(0, value.length() - 2)));
            }
            long number = Long.parseLong(value.replaceAll("[sm]$", ""));
            return value.endsWith("m") ? Duration.ofMinutes(number) : Duration.ofSeconds(number);
        } catch (NumberFormatException e) {
            throw new UsageException("--timeout '" + value + "' must be like 30s, 500ms or 2m");
        }
    }

    private static void secrets(CsiConformanceBuilder builder, String file) {
        try {
            SecretsFile.read(Path.of(file)).applyTo(builder);
        } catch (IOException e) {
            throw new UsageException("cannot read --secrets-file " + file + ": " + e.getMessage());
        }
    }
}
