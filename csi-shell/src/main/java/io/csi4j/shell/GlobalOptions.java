package io.csi4j.shell;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of all commands. They may also stand before the command. */
final class GlobalOptions {
    @Option(
            names = "--address",
            paramLabel = "ADDRESS",
            split = ",",
            description = {
                "A server: http://127.0.0.1:8080, https://HOST:PORT or unix:PATH.",
                "Several, separated by commas or repeated, are tried in their order. Also CSI_ADDRESS."
            })
    List<String> addresses = new ArrayList<>();

    @Option(names = "--token-file", paramLabel = "FILE", description = "The file with your token. Also CSI_TOKEN_FILE.")
    @Nullable Path tokenFile;

    @Option(names = "--token", paramLabel = "TOKEN", hidden = true, description = "Refused: others could read it.")
    @Nullable String token;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "The certificates in PEM that are trusted, instead of those of the system. Also CSI_CA.")
    @Nullable Path ca;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "How long an address or a new leader is waited for: 10s if it is not set.")
    @Nullable String timeout;

    @Option(names = "--json", description = "Prints the JSON of the server, for programs.")
    boolean json;

    @Option(names = "--no-color", description = "Prints without colors. Also NO_COLOR.")
    boolean noColor;

    /** Returns these options, and for those that are not set the ones before the command. */
    GlobalOptions or(GlobalOptions before) {
        GlobalOptions both = new GlobalOptions();
        both.addresses = addresses.isEmpty() ? before.addresses : addresses;
        both.tokenFile = tokenFile == null ? before.tokenFile : tokenFile;
        both.token = token == null ? before.token : token;
        both.ca = ca == null ? before.ca : ca;
        both.timeout = timeout == null ? before.timeout : timeout;
        both.json = json || before.json;
        both.noColor = noColor || before.noColor;
        return both;
    }
}
