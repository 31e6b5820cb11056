package io.csi4j.examples.lifecycle;

import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.rpc.CreateVolumeRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Parses the command line and reports all its mistakes at once. */
final class OptionsParser {
    private static final Set<String> FLAGS = Set.of("--block", "--keep", "--help");
    private static final Set<String> WITH_VALUE = Set.of(
            "--endpoint",
            "--controller-endpoint",
            "--work-dir",
            "--volume-name",
            "--volume-id",
            "--volume-context",
            "--size",
            "--access-mode",
            "--fs-type",
            "--mount-flags",
            "--parameters",
            "--mutable-parameters",
            "--secrets-file",
            "--timeout");
    private static final String DEFAULT_SIZE = "64Mi";
    private static final String DEFAULT_TIMEOUT = "2m";

    private final Arguments arguments;

    OptionsParser(List<String> args) {
        arguments = new Arguments(args, WITH_VALUE, FLAGS);
    }

    boolean help() {
        return arguments.has("--help");
    }

    /** Returns the options; empty if there are {@link #problems}. */
    Optional<RunOptions> parse() {
        Endpoint endpoint = value("--endpoint", Endpoint::parse, null);
        if (!arguments.has("--endpoint")) {
            arguments.problem(
                    "--endpoint", "is missing; name the plugin's socket, for example unix:///run/csi/csi.sock");
        }
        Endpoint controller = value("--controller-endpoint", Endpoint::parse, endpoint);
        String name = value("--volume-name", Function.identity(), newName());
        String volumeId = value("--volume-id", OptionsParser::notBlank, null);
        Map<String, String> context = map("--volume-context");
        Long size = value("--size", Quantities::bytes, Quantities.bytes(DEFAULT_SIZE));
        Duration timeout = value("--timeout", Quantities::duration, Quantities.duration(DEFAULT_TIMEOUT));
        Path workDir = value("--work-dir", OptionsParser::directory, Path.of(System.getProperty("java.io.tmpdir")));
        Map<String, String> secrets =
                value("--secrets-file", file -> KeyValues.fromFile(Path.of(file)), Map.<String, String>of());
        VolumeCapability capability = capability();
        Map<String, String> parameters = map("--parameters");
        Map<String, String> mutableParameters = map("--mutable-parameters");
        checkCombinations();
        if (name != null && secrets != null) {
            checkCsiLimits(name, capability, parameters, secrets);
        }
        if (endpoint == null
                || controller == null
                || name == null
                || size == null
                || timeout == null
                || workDir == null
                || secrets == null
                || !problems().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new RunOptions(
                endpoint,
                controller,
                workDir,
                name,
                Optional.ofNullable(volumeId).map(ExternalVolumeId::of),
                size,
                capability,
                parameters,
                mutableParameters,
                Secrets.of(secrets),
                VolumeContext.of(context),
                arguments.has("--keep"),
                timeout));
    }

    List<String> problems() {
        return arguments.problems();
    }

    private VolumeCapability capability() {
        AccessMode mode = value("--access-mode", OptionsParser::accessMode, AccessMode.SINGLE_NODE_WRITER);
        String fsType = value("--fs-type", Function.identity(), "");
        MountFlags flags = MountFlags.of(arguments.all("--mount-flags").stream()
                .flatMap(text -> Arrays.stream(text.split(",", -1)))
                .filter(flag -> !flag.isBlank())
                .toList());
        if (mode == null || fsType == null) {
            mode = AccessMode.SINGLE_NODE_WRITER;
            fsType = "";
        }
        return arguments.has("--block") ? VolumeCapability.block(mode) : RunOptions.mount(mode, fsType, flags);
    }

    /**
     * Checks the values against CSI's limits for CreateVolume, with the longest name that is derived from the volume's name
     * (R16-R25).
     */
    private void checkCsiLimits(
            String name, VolumeCapability capability, Map<String, String> parameters, Map<String, String> secrets) {
        try {
            CreateVolumeRequest.builder(name + VolumeSteps.LONGEST_SUFFIX, List.of(capability))
                    .parameters(parameters)
                    .secrets(Secrets.of(secrets))
                    .build();
        } catch (CsiRequestException e) {
            e.problems().forEach(problem -> arguments.problem("CSI does not allow this:", problem.toString()));
        }
    }

    private void checkCombinations() {
        if (arguments.has("--block") && (arguments.has("--fs-type") || arguments.has("--mount-flags"))) {
            arguments.problem("--block", "has no file system; leave --fs-type and --mount-flags out");
        }
        if (arguments.has("--volume-id")) {
            for (String option : List.of("--volume-name", "--size", "--parameters", "--keep")) {
                if (arguments.has(option)) {
                    arguments.problem(
                            option, "is for a new volume; the one of --volume-id is neither created nor deleted");
                }
            }
        } else if (arguments.has("--volume-context")) {
            arguments.problem("--volume-context", "belongs to --volume-id; a new volume gets it from the plugin");
        }
    }

    private <T> @Nullable T value(String option, Function<String, T> read, @Nullable T defaultValue) {
        Optional<String> text = arguments.single(option);
        if (text.isEmpty()) {
            return defaultValue;
        }
        try {
            return read.apply(text.get());
        } catch (IllegalArgumentException e) {
            arguments.problem(option, String.valueOf(e.getMessage()));
            return defaultValue;
        }
    }

    private Map<String, String> map(String option) {
        try {
            return KeyValues.fromOptions(arguments.all(option));
        } catch (IllegalArgumentException e) {
            arguments.problem(option, String.valueOf(e.getMessage()));
            return Map.of();
        }
    }

    private static AccessMode accessMode(String text) {
        return Arrays.stream(AccessMode.values())
                .filter(mode -> mode != AccessMode.UNKNOWN)
                .filter(mode -> mode.name().equals(text.toUpperCase(Locale.ROOT).replace('-', '_')))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("'" + text + "' is none of "
                        + Arrays.stream(AccessMode.values())
                                .filter(mode -> mode != AccessMode.UNKNOWN)
                                .map(AccessMode::name)
                                .collect(Collectors.joining(", "))));
    }

    private static Path directory(String text) {
        Path path = Path.of(notBlank(text)).toAbsolutePath().normalize();
        if (!Files.isDirectory(path)) {
            throw new IllegalArgumentException(path + " is not a directory; make it first");
        }
        return path;
    }

    private static String notBlank(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("is empty");
        }
        return text;
    }

    private static String newName() {
        return "csi4j-lifecycle-" + UUID.randomUUID().toString().substring(0, 8);
    }
}
