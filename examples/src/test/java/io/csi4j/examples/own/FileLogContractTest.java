package io.csi4j.examples.own;

import io.csi4j.core.spi.CommandLog;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import io.csi4j.testkit.contract.DurableLogContract;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The log in a file keeps the contract, with a compaction after every fifth entry. */
class FileLogContractTest implements DurableLogContract {
    static final StateStoreOptions OPTIONS = StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build();

    @TempDir
    Path directory;

    @Override
    public CommandLog open() throws IOException {
        return new FileLog(directory.resolve("log"), OPTIONS, 5);
    }

    @Override
    public void close(CommandLog log) throws IOException {
        ((FileLog) log).close();
    }

    /** A power failure leaves of the entries only those that were flushed. */
    @Override
    public CommandLog crashed(CommandLog log) throws IOException {
        long durable = ((FileLog) log).durableEntries();
        Path copy = Files.createDirectory(directory.resolve("crashed"));
        try (Stream<Path> files = Files.list(directory.resolve("log"))) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        try (FileChannel entries = FileChannel.open(copy.resolve("entries"), StandardOpenOption.WRITE)) {
            entries.truncate(durable);
        }
        close(log);
        return new FileLog(copy, OPTIONS, 5);
    }
}
