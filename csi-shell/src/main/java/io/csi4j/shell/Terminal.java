package io.csi4j.shell;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The place where the shell prints and asks. */
final class Terminal {
    private static final int COLUMNS = 80;
    private static final int ROWS = 24;

    private final PrintWriter out;
    private final PrintWriter err;
    private final BufferedReader in;
    private final boolean outIsTerminal;
    private final boolean inIsTerminal;
    private final Map<String, String> environment;

    /**
     * @param outIsTerminal whether people see the output as it is written
     * @param inIsTerminal whether a person can answer a question
     */
    Terminal(
            PrintWriter out,
            PrintWriter err,
            BufferedReader in,
            boolean outIsTerminal,
            boolean inIsTerminal,
            Map<String, String> environment) {
        this.out = out;
        this.err = err;
        this.in = in;
        this.outIsTerminal = outIsTerminal;
        this.inIsTerminal = inIsTerminal;
        this.environment = environment;
    }

    /** Returns the terminal of this process. */
    static Terminal system(Map<String, String> environment) {
        return new Terminal(
                new PrintWriter(System.out, false, StandardCharsets.UTF_8),
                new PrintWriter(System.err, true, StandardCharsets.UTF_8),
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
                isTerminal(1),
                isTerminal(0) && isTerminal(2),
                environment);
    }

    /** Linux says where each stream leads; elsewhere a program of the system knows it. */
    private static boolean isTerminal(int stream) {
        Path streams = Path.of("/proc/self/fd");
        try {
            if (!Files.exists(streams)) {
                Process test = new ProcessBuilder("sh", "-c", "test -t " + stream)
                        .inheritIO()
                        .start();
                return test.waitFor(2, TimeUnit.SECONDS) && test.exitValue() == 0;
            }
            String target = Files.readSymbolicLink(streams.resolve(Integer.toString(stream)))
                    .toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException e) {
            return false; // The stream is closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    PrintWriter out() {
        return out;
    }

    PrintWriter err() {
        return err;
    }

    BufferedReader in() {
        return in;
    }

    boolean outIsTerminal() {
        return outIsTerminal;
    }

    boolean inIsTerminal() {
        return inIsTerminal;
    }

    /** Returns whether output may have colors. */
    boolean colors() {
        return outIsTerminal
                && environment.getOrDefault("NO_COLOR", "").isEmpty()
                && !environment.getOrDefault("TERM", "").equals("dumb");
    }

    /** Returns the number of columns that a table may take; as many as it needs where no terminal shows it. */
    int columns() {
        int given = number(environment.getOrDefault("COLUMNS", ""));
        return given > 0 ? given : outIsTerminal ? size(1, COLUMNS) : Integer.MAX_VALUE;
    }

    int rows() {
        int given = number(environment.getOrDefault("LINES", ""));
        return given > 0 ? given : size(0, ROWS);
    }

    private static int number(String text) {
        return text.matches("[1-9]\\d{0,4}") ? Integer.parseInt(text) : 0;
    }

    /** Asks the terminal for its size: rows and columns. */
    private static int size(int part, int otherwise) {
        try {
            Process stty = new ProcessBuilder("stty", "size")
                    .redirectInput(Path.of("/dev/tty").toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String answer = new String(stty.getInputStream().readNBytes(40), StandardCharsets.US_ASCII);
            boolean ended = stty.waitFor(2, TimeUnit.SECONDS);
            String[] sizes = answer.strip().split(" ", -1);
            int size = ended && sizes.length == 2 ? number(sizes[part]) : 0;
            return size > 0 ? size : otherwise;
        } catch (IOException e) {
            return otherwise; // There is no stty, or no terminal.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        }
    }

    /** Prints a line for the person, not for programs. */
    void note(String line) {
        out.flush();
        err.println(line);
        err.flush();
    }
}
