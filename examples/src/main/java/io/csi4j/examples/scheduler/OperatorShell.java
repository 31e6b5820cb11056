package io.csi4j.examples.scheduler;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.csi4j.shell.Csi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Runs commands of the shell for operators in this process. Thread-safe. */
final class OperatorShell {
    private final ClusterLayout layout;
    private final List<String> options;

    /** @param patience the longest time to wait until a server answers and leads */
    OperatorShell(ClusterLayout layout, Duration patience) {
        this.layout = layout;
        this.options = List.of("--json", "--timeout", patience.toSeconds() + "s");
    }

    /**
     * Runs a command, and returns its answer.
     *
     * @throws IOException if it fails, with its progress and its failure as message
     */
    JsonElement run(String... command) throws IOException {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int code = Csi.builder()
                .environment(layout.shellVariables())
                .output(new PrintWriter(out), new PrintWriter(err))
                .build()
                .run(Stream.concat(Arrays.stream(command), options.stream()).toArray(String[]::new));
        if (code != 0) {
            throw new IOException("csi " + String.join(" ", command) + " ended with " + code + ": "
                    + err.toString().strip());
        }
        return JsonParser.parseString(out.toString());
    }
}
