package io.csi4j.testkit.cli;

import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.fault.FaultScript;
import io.csi4j.testkit.fault.FaultScriptException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Parses the arguments of the fake plugin program. */
final class PluginArguments {
    enum Action {
        SERVE,
        HELP,
        VERSION,
        LIST_CAPABILITIES
    }

    /** The exit code of a process that SIGKILL ended. */
    private static final int KILLED = 137;

    private final FakeCsiPluginBuilder builder = FakeCsiPlugin.builder();
    private final Map<String, Long> volumes = new TreeMap<>();
    private final List<Runnable> toggles = new ArrayList<>();
    private Action action = Action.SERVE;
    private @Nullable String endpoint;
    private @Nullable String control;
    private List<FaultRule> faults = List.of();
    private boolean exitOnStdinEof;

    private PluginArguments() {}

    static PluginArguments parse(String[] args, @Nullable String endpointFromEnvironment) {
        PluginArguments options = new PluginArguments();
        options.endpoint = endpointFromEnvironment;
        Iterator<String> rest = Arrays.asList(args).iterator();
        while (rest.hasNext()) {
            options.option(rest.next(), rest);
        }
        // Capabilities are turned on and off after the base set is known, so the order of the options does not matter.
        options.toggles.forEach(Runnable::run);
        if (options.action == Action.SERVE && options.endpoint == null) {
            throw new UsageException(
                    "no endpoint; give --endpoint unix:///run/plugin.sock or set CSI_ENDPOINT (R1); --help says more");
        }
        return options;
    }

    private void option(String argument, Iterator<String> rest) {
        int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
        String name = equals < 0 ? argument : argument.substring(0, equals);
        if (flag(name)) {
            if (equals >= 0) {
                throw new UsageException(name + " takes no value");
            }
            return;
        }
        if (!valued(name)) {
            throw new UsageException("unknown argument '" + argument + "'; --help lists them");
        }
        String value = equals >= 0 ? argument.substring(equals + 1) : rest.hasNext() ? rest.next() : "";
        if (value.isEmpty()) {
            throw new UsageException(name + " needs a value; --help says more");
        }
        value(name, value);
    }

    private boolean flag(String name) {
        switch (name) {
            case "--help", "-h" -> action = Action.HELP;
            case "--version" -> action = Action.VERSION;
            case "--list-capabilities" -> action = Action.LIST_CAPABILITIES;
            case "--exit-on-stdin-eof" -> exitOnStdinEof = true;
            default -> {
                return false;
            }
        }
        return true;
    }

    private static boolean valued(String name) {
        return Help.valuedOptions().contains(name);
    }

    private void value(String name, String value) {
        switch (name) {
            case "--endpoint" -> endpoint = value;
            case "--services" -> services(value);
            case "--name" -> builder.name(value);
            case "--vendor-version" -> builder.vendorVersion(value);
            case "--node-id" -> builder.nodeId(value);
            case "--known-node" -> List.of(value.split(",", -1)).forEach(builder::knownNode);
            case "--state-dir" -> builder.stateDir(Path.of(value).toAbsolutePath());
            case "--attach-limit" -> builder.attachLimit(number(name, value));
            case "--capacity" -> builder.capacity(Size.parse(name, value));
            case "--segment-capacity" -> segmentCapacity(name, value);
            case "--size-unit" -> builder.sizeUnit(Size.parse(name, value));
            case "--topology" -> builder.topology(pairs(name, value));
            case "--csi-version" -> builder.capabilities(csiVersion(value));
            case "--enable" ->
                capabilities(name, value).forEach(capability -> toggles.add(() -> builder.with(capability)));
            case "--disable" ->
                capabilities(name, value).forEach(capability -> toggles.add(() -> builder.without(capability)));
            // Before the toggles, so that --enable is checked against what such a plugin can have.
            case "--inline" -> toggles.add(0, () -> builder.inlineVolumes(List.of(value.split(",", -1))));
            case "--inline-limit" -> builder.inlineLimit(number(name, value));
            case "--max-page-size" -> builder.maxPageSize((int) Math.min(Integer.MAX_VALUE, number(name, value)));
            case "--mutable-parameters" -> builder.mutableParameters(List.of(value.split(",", -1)));
            case "--faults" -> faults = script(value);
            case "--control" -> control = value;
            case "--volume" ->
                pairs(name, value).forEach((id, size) -> volumes.put(id, Size.parse("size in --volume", size)));
            default -> throw new IllegalStateException("an option that is in the help and not here: " + name);
        }
    }

    private void segmentCapacity(String name, String value) {
        int colon = value.lastIndexOf(':');
        if (colon < 0) {
            throw new UsageException(name + " '" + value + "' must be key=value:SIZE, several keys with commas");
        }
        String size = value.substring(colon + 1);
        builder.capacity(
                pairs(name, value.substring(0, colon)), size.equals("0") ? 0 : Size.parse("size in " + name, size));
    }

    private void services(String value) {
        switch (value) {
            case "controller,node", "node,controller" -> {
                // Changes nothing, because a plugin has the controller service and the node service by default.
            }
            case "controller" -> builder.controllerOnly();
            case "node" -> builder.nodeOnly();
            default ->
                throw new UsageException(
                        "--services '" + value + "' must be 'controller', 'node' or 'controller,node'");
        }
    }

    private static java.util.Set<FakeCapability> csiVersion(String value) {
        return switch (value) {
            case "1.12" -> FakeCapability.csi112();
            case "1.13" -> FakeCapability.csi113();
            default -> throw new UsageException("--csi-version '" + value + "' must be 1.12 or 1.13");
        };
    }

    private static long number(String name, String value) {
        try {
            long number = Long.parseLong(value);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // A text that is no number gets the same error as a negative number.
        }
        throw new UsageException(name + " '" + value + "' is no whole number of zero or more");
    }

    private static Map<String, String> pairs(String name, String value) {
        Map<String, String> pairs = new TreeMap<>();
        for (String pair : value.split(",", -1)) {
            int equals = pair.indexOf('=');
            if (equals <= 0 || equals == pair.length() - 1) {
                throw new UsageException(name + " '" + value + "' must be key=value, several of them with commas");
            }
            pairs.put(pair.substring(0, equals), pair.substring(equals + 1));
        }
        return pairs;
    }

    private static List<FakeCapability> capabilities(String name, String value) {
        List<FakeCapability> found = new ArrayList<>();
        for (String word : value.split(",", -1)) {
            try {
                found.add(FakeCapability.valueOf(word.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new UsageException(
                        name + " '" + word.strip() + "' is no capability; --list-capabilities lists them");
            }
        }
        return found;
    }

    Action action() {
        return action;
    }

    String endpoint() {
        return String.valueOf(endpoint);
    }

    boolean exitOnStdinEof() {
        return exitOnStdinEof;
    }

    private static List<FaultRule> script(String file) {
        try {
            return FaultScript.parse(Files.readString(Path.of(file)));
        } catch (FaultScriptException wrong) {
            throw new UsageException("--faults " + file + ", " + wrong.getMessage());
        } catch (IOException unreadable) {
            throw new UsageException("--faults " + file + " cannot be read: " + unreadable);
        }
    }

    /** Returns the plugin; a crash by a fault ends this process as SIGKILL does. */
    FakeCsiPlugin plugin() {
        FakeCsiPlugin plugin =
                builder.onCrash(() -> Runtime.getRuntime().halt(KILLED)).build();
        volumes.forEach(plugin.storage()::provision);
        faults.forEach(plugin::addFault);
        if (control != null) {
            plugin.controlOn(control);
        }
        return plugin;
    }
}
