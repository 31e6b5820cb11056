package io.csi4j.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Runs the shell in this process, with captured output, a fixed time and elapsed time that only passes in pauses. */
final class Shell {
    static final Instant NOW = Instant.parse("2026-01-01T12:00:00Z");

    final Map<String, String> environment = new HashMap<>(Map.of("CSI_CONFIG", "", "HOME", "/nowhere"));
    final StringWriter out = new StringWriter();
    final StringWriter err = new StringWriter();
    final List<Duration> pauses = new ArrayList<>();
    final AtomicReference<Runnable> interrupt = new AtomicReference<>();
    boolean outIsTerminal;
    boolean inIsTerminal;
    String input = "";
    private final List<ApiCommand> commands;
    /** The beginning of the keys of requests that act. */
    String keyPrefix = "key-";

    private int keys;

    /** The commands that the jar has. */
    Shell() {
        this(ApiDescription.bundled());
    }

    Shell(List<ApiCommand> commands) {
        this.commands = commands;
    }

    /** A shell with the commands of {@code actions.json}. */
    static Shell ofThings() {
        return new Shell(things());
    }

    static List<ApiCommand> things() {
        try (InputStreamReader text = new InputStreamReader(
                Objects.requireNonNull(Shell.class.getResourceAsStream("actions.json")), StandardCharsets.UTF_8)) {
            return ApiDescription.read(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ShellContext context() {
        Terminal terminal = new Terminal(
                new PrintWriter(out),
                new PrintWriter(err),
                new BufferedReader(new StringReader(input)),
                outIsTerminal,
                inIsTerminal,
                environment);
        return new ShellContext(
                terminal,
                environment,
                Clock.fixed(NOW, ZoneOffset.UTC),
                new Pause() {
                    private long nanos;

                    @Override
                    public long nanos() {
                        return nanos;
                    }

                    @Override
                    public void pause(Duration time) {
                        pauses.add(time);
                        nanos += time.toNanos();
                    }
                },
                () -> keyPrefix + ++keys,
                task -> {
                    interrupt.set(task);
                    return () -> interrupt.set(null);
                });
    }

    int run(String... arguments) {
        return new Csi(List.of(), commands).run(context(), arguments);
    }

    String output() {
        return out.toString();
    }

    String errors() {
        return err.toString();
    }
}
