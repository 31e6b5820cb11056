package io.csi4j.examples.own;

import io.csi4j.core.spi.CommandLog;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.testkit.contract.DurableLogContract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** The log of csi-replication-ratis keeps the contract, on one machine. */
class RatisLogContractTest implements DurableLogContract {
    @TempDir
    Path directory;

    @Override
    public CommandLog open() throws IOException {
        return RatisCommandLog.builder(directory.resolve("log")).start();
    }

    @Override
    public void close(CommandLog log) {
        ((RatisCommandLog) log).close();
    }

    @Override
    public CommandLog crashed(CommandLog log) throws IOException {
        Path copy = directory.resolve("crashed");
        try (Stream<Path> files = Files.walk(directory.resolve("log"))) {
            for (Path file : files.toList()) {
                Files.copy(
                        file,
                        copy.resolve(directory.resolve("log").relativize(file).toString()));
            }
        }
        close(log);
        return RatisCommandLog.builder(copy).start();
    }
}
