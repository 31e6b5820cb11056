package io.csi4j.core.internal.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A stream over pages, against pages that the test gives one by one. */
class PagedSnapshotMetadataTest {
    private static final GetMetadataAllocatedRequest REQUEST = GetMetadataAllocatedRequest.builder(
                    SnapshotId.of("snap-1"))
            .startingOffset(5)
            .maxResults(2)
            .build();

    private final List<GetMetadataAllocatedRequest> requests = new ArrayList<>();
    private final Deque<CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>>> answers = new ArrayDeque<>();

    private final MetadataPages pages = new MetadataPages() {
        @Override
        public CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> allocated(
                GetMetadataAllocatedRequest request) {
            requests.add(request);
            return answers.remove();
        }

        @Override
        public CompletableFuture<MetadataPage<GetMetadataDeltaResponse>> delta(GetMetadataDeltaRequest request) {
            throw new AssertionError("unexpected delta request");
        }
    };

    /** Ranges of ten bytes that begin at the given offsets. */
    private static GetMetadataAllocatedResponse at(long... offsets) {
        return message(1_000, offsets);
    }

    private static GetMetadataAllocatedResponse message(long capacity, long... offsets) {
        return new GetMetadataAllocatedResponse(
                BlockMetadataType.FIXED_LENGTH,
                capacity,
                LongStream.of(offsets)
                        .mapToObj(offset -> new BlockMetadata(offset, 10))
                        .toList());
    }

    private CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> later() {
        CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> answer = new CompletableFuture<>();
        answers.add(answer);
        return answer;
    }

    private void page(GetMetadataAllocatedResponse... messages) {
        later().complete(new MetadataPage<>(List.of(messages), false));
    }

    private void last(GetMetadataAllocatedResponse... messages) {
        later().complete(new MetadataPage<>(List.of(messages), true));
    }

    private Received<GetMetadataAllocatedResponse> receiveAll() {
        return Received.all(new PagedSnapshotMetadata(() -> pages, "csi.example.com").getMetadataAllocated(REQUEST));
    }

    private Received<GetMetadataAllocatedResponse> receiveOnDemand() {
        return Received.onDemand(
                new PagedSnapshotMetadata(() -> pages, "csi.example.com").getMetadataAllocated(REQUEST));
    }

    @Test
    void eachPageRequestStartsAfterRangesAlreadyReceived() {
        page(at(10, 20), at(), at(30));
        page(at(50));
        last(at(60));

        Received<GetMetadataAllocatedResponse> received = receiveAll();

        assertThat(received.items()).containsExactly(at(10, 20), at(), at(30), at(50), at(60));
        assertThat(received.completed()).isTrue();
        assertThat(requests)
                .containsExactly(
                        REQUEST,
                        REQUEST.toBuilder().startingOffset(40).build(),
                        REQUEST.toBuilder().startingOffset(60).build());
    }

    @Test
    void pageIsFetchedOnlyWhenSubscriberRequestsMore() {
        page(at(10), at(20));
        last(at(30));
        Received<GetMetadataAllocatedResponse> received = receiveOnDemand();
        assertThat(requests).isEmpty();

        received.subscription().request(1);
        assertThat(received.items()).containsExactly(at(10));
        received.subscription().request(1);
        assertThat(received.items()).containsExactly(at(10), at(20));
        assertThat(requests).hasSize(1);
        received.subscription().request(1);
        assertThat(received.completed()).isTrue();
        assertThat(requests).hasSize(2);
    }

    @Test
    void manyPagesThatArriveAtOnceDoNotOverflowStack() {
        for (int i = 1; i < 50_000; i++) {
            later().complete(new MetadataPage<>(List.of(message(1_000_000, i * 20L)), false));
        }
        later().complete(new MetadataPage<>(List.of(message(1_000_000)), true));
        Received<GetMetadataAllocatedResponse> received = receiveAll();
        assertThat(received.items()).hasSize(50_000);
        assertThat(received.completed()).isTrue();
    }

    @Test
    void rangesThatWereAlreadyDeliveredAreLeftOut() {
        page(at(10, 20));
        last(at(0, 10, 20, 30));
        assertThat(receiveAll().items()).containsExactly(at(10, 20), at(30));
    }

    @Test
    void streamDeliversEarlierRangesAndThenFailsIfPageFails() {
        page(at(10));
        IllegalStateException failure = new IllegalStateException("closed");
        later().completeExceptionally(failure);
        Received<GetMetadataAllocatedResponse> received = receiveAll();
        assertThat(received.items()).containsExactly(at(10));
        assertThat(received.failure()).isSameAs(failure);
        assertThat(received.ends()).isEqualTo(1);
    }

    @Test
    void pageWithoutNewRangeFailsStream() {
        page(at(10));
        page(at(10));
        assertBroken(receiveAll(), "holds no new range");
    }

    @Test
    void pageWithDifferentCapacityFailsStream() {
        page(at(10));
        last(message(2_000, 30));
        assertBroken(receiveAll(), "volumeCapacityBytes changed from 1000 to 2000");
    }

    private static void assertBroken(Received<?> received, String problem) {
        assertThat(received.failure()).isInstanceOfSatisfying(CsiCallException.class, broken -> {
            assertThat(broken.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
            assertThat(broken).hasMessageContainingAll("snap-1", "csi.example.com", "R101", problem);
        });
        assertThat(received.ends()).isEqualTo(1);
    }

    @Test
    void cancellingSubscriptionCancelsPageRequestAndEndsDelivery() {
        CompletableFuture<MetadataPage<GetMetadataAllocatedResponse>> open = later();
        Received<GetMetadataAllocatedResponse> received = receiveAll();
        received.subscription().cancel();
        assertThat(open).isCancelled();
        assertThat(received.items()).isEmpty();
        assertThat(received.ends()).isZero();
    }

    @Test
    void requestForZeroMessagesFailsStream() {
        Received<GetMetadataAllocatedResponse> received = receiveOnDemand();
        received.subscription().request(0);
        assertThat(received.failure()).isInstanceOf(IllegalArgumentException.class);
        received.subscription().request(1);
        assertThat(received.ends()).isEqualTo(1);
        assertThat(requests).isEmpty();
    }

    @Test
    void eachSubscriberGetsItsOwnStream() {
        last(at(10));
        last(at(10));
        AtomicBoolean made = new AtomicBoolean();
        PagedSnapshotMetadata service = new PagedSnapshotMetadata(
                () -> {
                    made.set(true);
                    return pages;
                },
                "csi.example.com");
        var publisher = service.getMetadataAllocated(REQUEST);
        assertThat(made).isFalse();
        assertThat(Received.all(publisher).completed()).isTrue();
        assertThat(Received.all(publisher).completed()).isTrue();
        assertThat(requests).containsExactly(REQUEST, REQUEST);
    }
}
