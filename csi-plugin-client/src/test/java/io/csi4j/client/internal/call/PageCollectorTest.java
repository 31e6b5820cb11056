package io.csi4j.client.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.client.internal.call.PageCollector.Received;
import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Each page except the last has a range, so that the next page can begin after it. */
class PageCollectorTest {
    private static final GetMetadataAllocatedResponse EMPTY = GetMetadataAllocatedResponse.getDefaultInstance();
    private static final GetMetadataAllocatedResponse RANGE = GetMetadataAllocatedResponse.newBuilder()
            .addBlockMetadata(BlockMetadata.newBuilder().setByteOffset(0).setSizeBytes(4096))
            .build();

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger requested = new AtomicInteger();
    private final PageCollector<String> collector = new PageCollector<>(nanos::get, Duration.ofSeconds(10));

    private boolean cancelled;

    private final Flow.Subscription stream = new Flow.Subscription() {
        @Override
        public void request(long n) {
            requested.addAndGet((int) n);
        }

        @Override
        public void cancel() {
            cancelled = true;
        }
    };

    PageCollectorTest() {
        collector.onSubscribe(stream);
    }

    @Test
    void emptyPageStaysOpenAfterHalfOfDeadlineUntilFirstRange() {
        nanos.set(TimeUnit.SECONDS.toNanos(6));
        collector.onNext(new Received<>(EMPTY, "empty"));
        assertThat(collector.page()).isNotDone();
        assertThat(requested).hasValue(2);

        collector.onNext(new Received<>(RANGE, "range"));

        assertThat(collector.page()).isCompleted();
        assertThat(collector.page().join().complete()).isFalse();
        assertThat(collector.page().join().messages()).containsExactly("empty", "range");
        assertThat(cancelled).isTrue();
    }

    @Test
    void pageWithRangesStaysOpenWhileTimeAndSpaceAreLeft() {
        nanos.set(TimeUnit.SECONDS.toNanos(4));
        collector.onNext(new Received<>(RANGE, "range"));
        assertThat(collector.page()).isNotDone();
        collector.onComplete();
        assertThat(collector.page().join().complete()).isTrue();
    }

    @Test
    void failureBeforeFirstRangeFailsPage() {
        IllegalStateException failure = new IllegalStateException("the plugin broke the stream");
        collector.onNext(new Received<>(EMPTY, "empty"));
        collector.onError(failure);
        assertThat(collector.page()).isCompletedExceptionally();
        assertThat(collector.page().handle((page, thrown) -> thrown).join()).isSameAs(failure);
    }

    @Test
    void failureAfterRangeCompletesPageWithReceivedRanges() {
        collector.onNext(new Received<>(RANGE, "range"));
        collector.onError(new IllegalStateException("the plugin broke the stream"));
        assertThat(collector.page().join().complete()).isFalse();
        assertThat(collector.page().join().messages()).hasSize(1);
    }

    @Test
    void streamOfMessagesWithoutRangeEndsPageAfterThousandMessages() {
        int sent = 0;
        while (!collector.page().isDone() && sent < 100_000) {
            collector.onNext(new Received<>(EMPTY, "empty"));
            sent++;
        }
        assertThat(sent).isEqualTo(1_000);
        assertThat(collector.page().join().complete()).isFalse();
    }

    @Test
    void streamOfMessagesWithoutBytesEndsPageAfterTenThousandMessages() {
        collector.onNext(new Received<>(RANGE, "range"));
        int sent = 1;
        while (!collector.page().isDone() && sent < 100_000) {
            collector.onNext(new Received<>(EMPTY, "empty"));
            sent++;
        }
        assertThat(sent).isEqualTo(10_000);
    }

    @Test
    void pageWithoutRangeEndsAtItsDeadline() {
        nanos.set(TimeUnit.SECONDS.toNanos(10) - 1);
        collector.onNext(new Received<>(EMPTY, "empty"));
        assertThat(collector.page()).isNotDone();
        nanos.set(TimeUnit.SECONDS.toNanos(10));
        collector.onNext(new Received<>(EMPTY, "empty"));
        assertThat(collector.page()).isCompleted();
        assertThat(collector.page().join().messages()).hasSize(2);
        assertThat(collector.page().join().complete()).isFalse();
    }

    @Test
    void pageOfEnoughBytesEnds() {
        BlockMetadata range = BlockMetadata.newBuilder()
                .setByteOffset(1L << 40)
                .setSizeBytes(4096)
                .build();
        int half = PageCollector.ENOUGH_BYTES / 2 / range.getSerializedSize();
        GetMetadataAllocatedResponse large = GetMetadataAllocatedResponse.newBuilder()
                .addAllBlockMetadata(Collections.nCopies(half, range))
                .build();
        collector.onNext(new Received<>(RANGE, "small"));
        assertThat(collector.page()).isNotDone();
        // With its tags and lengths, a message is larger than its ranges.
        collector.onNext(new Received<>(large, "large"));
        assertThat(collector.page()).isNotDone();
        collector.onNext(new Received<>(large, "large"));
        assertThat(collector.page()).isCompleted();
        assertThat(collector.page().join().messages()).containsExactly("small", "large", "large");
        assertThat(collector.page().join().complete()).isFalse();
        assertThat(cancelled).isTrue();
    }

    @Test
    void pageWithRangeEndsAtHalfOfItsDeadline() {
        long begin = TimeUnit.HOURS.toNanos(1);
        nanos.set(begin);
        PageCollector<String> later = new PageCollector<>(nanos::get, Duration.ofSeconds(10));
        nanos.set(begin + TimeUnit.SECONDS.toNanos(5) - 1);
        later.onNext(new Received<>(RANGE, "range"));
        assertThat(later.page()).isNotDone();
        nanos.set(begin + TimeUnit.SECONDS.toNanos(5));
        later.onNext(new Received<>(EMPTY, "empty"));
        assertThat(later.page()).isCompleted();
    }

    @Test
    void pageEndsAtExactlyEnoughBytes() {
        GetMetadataAllocatedResponse unit = withUnknownField(1);
        GetMetadataAllocatedResponse rest = withUnknownField(1 << 16);
        collector.onNext(new Received<>(RANGE, "range"));
        int bytes = RANGE.getSerializedSize();
        while (bytes + rest.getSerializedSize() < PageCollector.ENOUGH_BYTES) {
            collector.onNext(new Received<>(rest, "rest"));
            bytes += rest.getSerializedSize();
        }
        int left = PageCollector.ENOUGH_BYTES - bytes;
        GetMetadataAllocatedResponse almost = withUnknownField(left - unit.getSerializedSize() - 4);
        collector.onNext(new Received<>(almost, "almost"));
        assertThat(collector.page()).isNotDone();
        int missing = left - almost.getSerializedSize();
        GetMetadataAllocatedResponse last = withUnknownField(missing - unit.getSerializedSize() + 1);
        assertThat(last.getSerializedSize()).isEqualTo(missing);
        collector.onNext(new Received<>(last, "last"));
        assertThat(collector.page()).isCompleted();
    }

    private static GetMetadataAllocatedResponse withUnknownField(int bytes) {
        UnknownFieldSet.Field field = UnknownFieldSet.Field.newBuilder()
                .addLengthDelimited(ByteString.copyFrom(new byte[bytes]))
                .build();
        return GetMetadataAllocatedResponse.newBuilder()
                .setUnknownFields(
                        UnknownFieldSet.newBuilder().addField(1000, field).build())
                .build();
    }

    @Test
    void cancellationOfPageReachesStreamThatBeginsLater() {
        PageCollector<String> early = new PageCollector<>(nanos::get, Duration.ofSeconds(10));
        early.page().cancel(false);
        early.onSubscribe(stream);
        assertThat(cancelled).isTrue();
        assertThat(requested).hasValue(1);
    }
}
