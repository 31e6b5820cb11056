package io.csi4j.benchmarks.state;

import io.csi4j.state.AesGcmSecretsCipher;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.spec.SecretKeySpec;

/**
 * Measures the encoding of a state, and the restore in a second process. The heap of the second process is 1.5 times as
 * large as the state, so the restore fails if it needs two copies of the state in memory.
 */
final class RestoreBenchmark {
    private RestoreBenchmark() {}

    /** Returns store options with a fixed encryption key, with which both processes encrypt and decrypt secrets. */
    static StateStoreOptions options() {
        return StateStoreOptions.builder()
                .secretsCipher(AesGcmSecretsCipher.builder()
                        .currentKey("benchmark", new SecretKeySpec(new byte[32], "AES"))
                        .build())
                .build();
    }

    static void run(StateStore store, int size, long stateBytes) throws IOException, InterruptedException {
        Path file = Files.createTempFile("csi4j-state", ".bin");
        try {
            long start = Cpu.now();
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
                store.encode(out);
            }
            Report.time("encode", size, (double) (Cpu.now() - start), Double.POSITIVE_INFINITY);
            Report.note("encoded size", size, Files.size(file) / (1 << 20) + " MiB");
            long heap = (stateBytes * 3 / 2) >> 20;
            Process child = new ProcessBuilder(List.of(
                            ProcessHandle.current().info().command().orElse("java"),
                            "-Xmx" + heap + "m",
                            "-cp",
                            System.getProperty("java.class.path"),
                            StateBenchmark.class.getName(),
                            "--restore",
                            file.toString()))
                    .redirectError(Redirect.INHERIT)
                    .redirectOutput(Redirect.PIPE)
                    .start();
            String answer =
                    new String(child.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8).trim();
            if (!child.waitFor(10, TimeUnit.MINUTES) || child.exitValue() != 0) {
                Report.note("restore with a heap of " + heap + " MiB", size, "FAILED");
                return;
            }
            Report.time("restore, with a heap of " + heap + " MiB", size, Double.parseDouble(answer), 15e9);
        } finally {
            Files.delete(file);
        }
    }

    /**
     * Runs in the second process: restores the state from the file, and prints the CPU time of the second process,
     * including the start of its virtual machine.
     */
    static void child(String file) throws IOException {
        try (StateStore store = StateStore.create(options());
                InputStream in = new BufferedInputStream(Files.newInputStream(new File(file).toPath()), 1 << 20)) {
            store.restore(in);
            System.out.println(Cpu.process());
        }
    }
}
