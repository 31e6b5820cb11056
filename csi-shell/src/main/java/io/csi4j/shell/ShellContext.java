package io.csi4j.shell;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.PrintWriter;
import java.io.Reader;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.HexFormat;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The environment, the clock and the streams of the shell.
 *
 * @param environment the variables
 * @param clock the time beside which times are shown
 * @param keys makes the keys of requests that act
 * @param onInterrupt runs something if the person ends the program, until the result is closed
 */
record ShellContext(
        Terminal terminal,
        Map<String, String> environment,
        Clock clock,
        Pause pause,
        Supplier<String> keys,
        Function<Runnable, Closeable> onInterrupt) {
    /** Returns those of this process. */
    static ShellContext system(Map<String, String> environment) {
        return of(Terminal.system(environment), environment, ShellContext::hook);
    }

    /** Returns those of a program that reads what the commands print. It is no person, so it is asked nothing. */
    static ShellContext program(PrintWriter out, PrintWriter err, Map<String, String> environment) {
        BufferedReader empty = new BufferedReader(Reader.nullReader());
        return of(new Terminal(out, err, empty, false, false, environment), environment, task -> () -> {});
    }

    private static ShellContext of(
            Terminal terminal, Map<String, String> environment, Function<Runnable, Closeable> onInterrupt) {
        SecureRandom random = new SecureRandom();
        return new ShellContext(
                terminal,
                environment,
                Clock.systemUTC(),
                Pause.system(),
                () -> {
                    byte[] key = new byte[16];
                    random.nextBytes(key);
                    return HexFormat.of().formatHex(key);
                },
                onInterrupt);
    }

    private static Closeable hook(Runnable task) {
        Thread hook = new Thread(task, "csi-interrupted");
        Runtime.getRuntime().addShutdownHook(hook);
        return () -> {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                return; // The process ends already, and the hook runs.
            }
        };
    }
}
