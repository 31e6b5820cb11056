package io.csi4j.shell;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The servers and the token: from options, else from variables, else from the file of the user. Its text shows no token. */
final class Settings {
    private static final Set<String> KEYS = Set.of("address", "token", "token-file", "ca");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final List<Address> addresses;
    private final Optional<String> token;
    private final Optional<Path> ca;
    private final Duration patience;

    private Settings(List<Address> addresses, Optional<String> token, Optional<Path> ca, Duration patience) {
        this.addresses = addresses;
        this.token = token;
        this.ca = ca;
        this.patience = patience;
    }

    /** Returns these settings for one of the addresses. */
    Settings at(Address address, Duration limit) {
        return new Settings(List.of(address), token, ca, patience.compareTo(limit) < 0 ? patience : limit);
    }

    List<Address> addresses() {
        return addresses;
    }

    Optional<String> token() {
        return token;
    }

    /** Returns the file with the trusted certificates; empty for those of the system. */
    Optional<Path> ca() {
        return ca;
    }

    /** Returns how long an address or a new leader is waited for. */
    Duration patience() {
        return patience;
    }

    /**
     * Reads the settings.
     *
     * @param environment the variables
     * @param warning prints a warning
     * @throws UsageException if the address is missing, or something is wrong
     */
    static Settings read(GlobalOptions options, Map<String, String> environment, Consumer<String> warning) {
        if (options.token != null) {
            throw new UsageException("a token on the command line can be read by other users of this machine; use"
                    + " --token-file FILE, or the variable CSI_TOKEN");
        }
        Map<String, String> file = file(environment, warning);
        String given = options.addresses.isEmpty()
                ? first(environment.get("CSI_ADDRESS"), file.get("address"))
                : String.join(",", options.addresses);
        if (given == null || given.isBlank()) {
            throw new UsageException("the address of a server is missing; give --address, or set CSI_ADDRESS, or write"
                    + " 'address = ADDRESS' to " + path(environment));
        }
        List<Address> addresses = Arrays.stream(given.split("[,\\s]+", -1))
                .filter(text -> !text.isEmpty())
                .map(Address::parse)
                .toList();
        Optional<String> token = token(options, environment, file, warning).map(Settings::checked);
        addresses.stream().filter(Address::isOpen).findFirst().ifPresent(open -> {
            if (token.isPresent()) {
                throw new UsageException(
                        "the token is not sent to " + open + ", because others on the way could read it; use https");
            }
        });
        Path ca = options.ca;
        if (ca == null) {
            String path = first(environment.get("CSI_CA"), file.get("ca"));
            ca = path == null ? null : Path.of(path);
        }
        Duration patience = PATIENCE;
        if (options.timeout != null) {
            BigDecimal seconds = Units.parseSeconds(options.timeout);
            patience = Duration.ofMillis(
                    seconds.min(BigDecimal.valueOf(1_000_000)).movePointRight(3).longValue());
        }
        return new Settings(addresses, token, Optional.ofNullable(ca), patience);
    }

    private static @Nullable String first(@Nullable String one, @Nullable String other) {
        return one == null || one.isBlank() ? other : one;
    }

    /** The nearest source wins: an option before a variable, a variable before the file. */
    private static Optional<String> token(
            GlobalOptions options,
            Map<String, String> environment,
            Map<String, String> file,
            Consumer<String> warning) {
        if (options.tokenFile != null) {
            return Optional.of(tokenFile(options.tokenFile, warning));
        }
        for (Map<String, String> source : List.of(
                Map.of(
                        "token", environment.getOrDefault("CSI_TOKEN", ""),
                        "token-file", environment.getOrDefault("CSI_TOKEN_FILE", "")),
                file)) {
            String token = source.getOrDefault("token", "");
            String tokenFile = source.getOrDefault("token-file", "");
            if (!token.isBlank()) {
                return Optional.of(token);
            } else if (!tokenFile.isBlank()) {
                return Optional.of(tokenFile(Path.of(tokenFile), warning));
            }
        }
        return Optional.empty();
    }

    private static String tokenFile(Path file, Consumer<String> warning) {
        warnIfOthersRead(file, warning);
        return text(file);
    }

    private static String checked(String token) {
        String text = token.strip();
        if (text.isEmpty() || !text.chars().allMatch(c -> c > 0x20 && c < 0x7f)) {
            throw new UsageException("the token is empty, or has characters that no token has; correct its source");
        }
        return text;
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UsageException(
                    file + " cannot be read: " + e.getClass().getSimpleName() + "; correct the path or its mode");
        }
    }

    private static void warnIfOthersRead(Path file, Consumer<String> warning) {
        try {
            Set<PosixFilePermission> mode = Files.getPosixFilePermissions(file);
            if (mode.contains(PosixFilePermission.GROUP_READ) || mode.contains(PosixFilePermission.OTHERS_READ)) {
                warning.accept(file + " has a token, and others can read it; run: chmod 600 " + file);
            }
        } catch (IOException | UnsupportedOperationException e) {
            // The read of the file itself says why it cannot be read; a file system without modes has none to warn of.
            return;
        }
    }

    /** Returns the path of the user's file. */
    static Path path(Map<String, String> environment) {
        String named = environment.getOrDefault("CSI_CONFIG", "");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        String config = environment.getOrDefault("XDG_CONFIG_HOME", "");
        return (config.isEmpty() ? Path.of(environment.getOrDefault("HOME", "."), ".config") : Path.of(config))
                .resolve("csi/config");
    }

    private static Map<String, String> file(Map<String, String> environment, Consumer<String> warning) {
        Path path = path(environment);
        Map<String, String> values = new HashMap<>();
        if (!Files.exists(path) && environment.getOrDefault("CSI_CONFIG", "").isEmpty()) {
            return values;
        }
        int number = 0;
        for (String line : text(path).split("\n", -1)) {
            number++;
            String text = line.strip();
            if (text.isEmpty() || text.startsWith("#")) {
                continue;
            }
            int equals = text.indexOf('=');
            String key = equals < 0 ? text : text.substring(0, equals).strip();
            if (equals < 0 || !KEYS.contains(key)) {
                // The line itself may be a token.
                throw new UsageException(path + ", line " + number
                        + ": write NAME = VALUE, with one of the names address, token, token-file, ca");
            }
            values.put(key, text.substring(equals + 1).strip());
        }
        if (values.containsKey("token")) {
            warnIfOthersRead(path, warning);
        }
        return values;
    }

    @Override
    public String toString() {
        return "Settings[addresses=" + addresses + ", token=" + (token.isPresent() ? "given" : "none") + ", ca=" + ca
                + "]";
    }
}
