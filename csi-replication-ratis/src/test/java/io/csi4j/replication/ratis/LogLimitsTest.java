package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.spi.LogOverloadedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class LogLimitsTest {
    @TempDir
    Path directory;

    @Test
    void commandsBeyondPendingLimitAreRejectedAsRetryable() throws Exception {
        RatisLogOptions narrow = RatisLogOptions.builder().pendingCommands(4).build();
        try (RatisCommandLog log =
                RatisCommandLog.builder(directory).options(narrow).start()) {
            submit(log, "first", 1);
            List<CompletableFuture<Outcome>> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                all.add(log.submit(node("n" + i)));
            }
            int rejected = 0;
            for (int i = 0; i < all.size(); i++) {
                if (rejected(all.get(i))) {
                    rejected++;
                    assertThat(TestCluster.has(log, "n" + i)).isFalse();
                } else {
                    assertThat(TestCluster.has(log, "n" + i)).isTrue();
                }
            }
            assertThat(rejected).isPositive().isLessThan(200);
            submit(log, "later", 1);
        }
    }

    private static boolean rejected(CompletableFuture<Outcome> future) {
        try {
            assertThat(future.join().accepted()).isTrue();
            return false;
        } catch (CompletionException e) {
            assertThat(Futures.unwrap(e))
                    .isInstanceOf(LogOverloadedException.class)
                    .hasMessageContaining("of 4 commands");
            assertThat(((CsiException) Futures.unwrap(e)).retryable()).isTrue();
            return true;
        }
    }

    @Test
    void errorForTooLongCommandContainsItsSize() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            List<Command> many = new ArrayList<>();
            for (int i = 0; i < 200_000; i++) {
                many.add(node("a-node-with-a-long-name-" + i));
            }
            assertThatThrownBy(
                            () -> log.submit(new Batch(many, TestCluster.NOW)).join())
                    .hasCauseInstanceOf(CsiException.class)
                    .hasMessageContaining("bytes, and a command may have at most");
        }
    }
}
