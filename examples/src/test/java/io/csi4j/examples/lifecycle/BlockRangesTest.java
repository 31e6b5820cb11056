package io.csi4j.examples.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.BlockMetadata;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class BlockRangesTest {
    private static CompletableFuture<BlockRanges.Total> collect(
            List<List<BlockMetadata>> messages, RuntimeException end) {
        SubmissionPublisher<List<BlockMetadata>> publisher =
                new SubmissionPublisher<>(Runnable::run, Flow.defaultBufferSize());
        CompletableFuture<BlockRanges.Total> total = BlockRanges.collect(publisher, Function.identity());
        messages.forEach(publisher::submit);
        if (end == null) {
            publisher.close();
        } else {
            publisher.closeExceptionally(end);
        }
        return total;
    }

    @Test
    void rangesOfAllMessagesAreAddedUp() throws Exception {
        BlockRanges.Total total = collect(
                        List.of(
                                List.of(new BlockMetadata(0, 4096), new BlockMetadata(8192, 4096)),
                                List.of(),
                                List.of(new BlockMetadata(12288, 1 << 20))),
                        null)
                .get(10, TimeUnit.SECONDS);
        assertThat(total.text()).isEqualTo("3 ranges, 1.0 MiB");
    }

    @Test
    void overlappingRangesFail() {
        assertThatThrownBy(() -> collect(
                                List.of(List.of(new BlockMetadata(4096, 4096)), List.of(new BlockMetadata(4096, 1))),
                                null)
                        .get(10, TimeUnit.SECONDS))
                .hasMessageContaining("begins before the end of the one before it");
    }

    @Test
    void brokenStreamFails() {
        assertThatThrownBy(() -> collect(List.of(List.of()), new IllegalStateException("broken"))
                        .get(10, TimeUnit.SECONDS))
                .hasMessageContaining("broken");
    }
}
