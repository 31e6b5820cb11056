package io.csi4j.node.internal.mount;

import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.internal.text.Text;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.DirectUnmount;
import io.csi4j.node.internal.ledger.StrictPaths;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Runs the program {@code umount} of util-linux, without a shell. The kernel refuses a path with a symbolic link, also one
 * that was put there after all checks, see {@link StrictPaths}: the program must pass the path to the kernel as it is, so
 * it must not look for its real path, nor run a helper that does. One daemon thread waits for each process. A process that is killed
 * while the kernel unmounts ends only when the kernel has finished; {@code unmount} completes then, too.
 */
public final class UmountProcess implements DirectUnmount {
    private static final int DISPLAYED = 500;
    /** The program's text for ELOOP, with which the kernel refuses links, and sometimes a path without links. */
    private static final String REFUSED = "Too many levels of symbolic links";

    private static final int TRIES = 5;

    private final String program;
    private final Timer timer;
    private final Duration limit;

    /** Creates the unmounter. A process that runs longer than the limit is killed. */
    public UmountProcess(String program, Timer timer, Duration limit) {
        this.program = program;
        this.timer = timer;
        this.limit = limit;
    }

    @Override
    public CompletableFuture<@Nullable Void> unmount(Path target) {
        if (!target.isAbsolute()) {
            throw new IllegalArgumentException(
                    "DirectUnmount: target is '" + target + "', which is not absolute; give an absolute path");
        }
        CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> run(target, result), "csi4j-umount");
        thread.setDaemon(true);
        thread.start();
        return result;
    }

    private void run(Path target, CompletableFuture<@Nullable Void> result) {
        try {
            String problem = problem(target);
            for (int attempt = 2;
                    attempt <= TRIES && problem.contains(REFUSED) && !StrictPaths.hasLink(target);
                    attempt++) {
                problem = problem(target);
            }
            if (problem.isEmpty()) {
                result.complete(null);
            } else {
                result.completeExceptionally(new IOException("umount of " + target + " failed: " + problem));
            }
        } catch (IOException e) {
            result.completeExceptionally(new IOException(
                    "umount of " + target + " failed: the program could not be run: "
                            + Text.printable(String.valueOf(e.getMessage())),
                    e));
        } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
        }
    }

    /** Returns the failure of the program; empty if it succeeded. */
    private String problem(Path target) throws IOException {
        String strict = StrictPaths.of(target).toString();
        ProcessBuilder builder = new ProcessBuilder(program, "--no-canonicalize", "--internal-only", "--", strict)
                .redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C");
        Process process = builder.start();
        AtomicBoolean killed = new AtomicBoolean();
        Cancellable limiter = timer.schedule(limit, () -> {
            killed.set(true);
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
        try {
            process.getOutputStream().close();
            String output = output(process.getInputStream(), strict, target, killed);
            int exit = process.onExit().join().exitValue();
            String text = "exit " + exit + ": " + output;
            return killed.get()
                    ? "it was killed, since it did not end within " + Durations.text(limit) + "; " + text
                    : exit == 0 ? "" : text;
        } finally {
            limiter.cancel();
        }
    }

    /** Returns the beginning of the output, and reads the rest so that the process does not block. */
    private static String output(InputStream in, String strict, Path target, AtomicBoolean killed) throws IOException {
        try {
            byte[] first = in.readNBytes(DISPLAYED + 2 * strict.length());
            boolean more = in.transferTo(OutputStream.nullOutputStream()) > 0;
            String text = new String(first, StandardCharsets.UTF_8).strip().replace(strict, target.toString());
            boolean cut = more || text.length() > DISPLAYED;
            return Text.printable(text.substring(0, Math.min(text.length(), DISPLAYED))) + (cut ? "... (cut)" : "");
        } catch (IOException e) {
            if (killed.get()) {
                // Ignores the failed read of a killed process, whose output is closed while it is read.
                return "";
            }
            throw e;
        }
    }
}
