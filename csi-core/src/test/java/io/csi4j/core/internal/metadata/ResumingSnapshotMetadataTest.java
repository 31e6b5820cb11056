package io.csi4j.core.internal.metadata;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ResumingSnapshotMetadataTest {
    private static final long CAPACITY = 10_000;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Longer than all pauses of a test together. */
    private static final Duration ALL_PAUSES = Duration.ofHours(1);

    private static final GetMetadataAllocatedRequest REQUEST = GetMetadataAllocatedRequest.builder(
                    SnapshotId.of("snap-1"))
            .maxResults(2)
            .secrets(Secrets.of(Map.of("token", "t")))
            .build();

    private final ScriptedMetadata plugin = new ScriptedMetadata();
    private final VirtualTime time = VirtualTime.inOrder();
    private final ResumingSnapshotMetadata.Timer timer = (task, delay) -> time.schedule(delay, task);

    /** Ranges of ten bytes that begin at the given offsets. */
    private static GetMetadataAllocatedResponse at(long... offsets) {
        return message(BlockMetadataType.FIXED_LENGTH, CAPACITY, offsets);
    }

    private static GetMetadataAllocatedResponse message(BlockMetadataType type, long capacity, long... offsets) {
        List<BlockMetadata> ranges = new ArrayList<>();
        for (long offset : offsets) {
            ranges.add(new BlockMetadata(offset, 10));
        }
        return of(type, capacity, ranges);
    }

    private static GetMetadataAllocatedResponse of(BlockMetadataType type, long capacity, List<BlockMetadata> ranges) {
        return new GetMetadataAllocatedResponse(type, capacity, ranges);
    }

    private ResumingSnapshotMetadata.Builder resuming() {
        return ResumingSnapshotMetadata.builder(plugin, "csi.example.com").timer(timer);
    }

    private Received<GetMetadataAllocatedResponse> receiveAll() {
        Received<GetMetadataAllocatedResponse> received =
                Received.all(resuming().build().getMetadataAllocated(REQUEST));
        time.advance(ALL_PAUSES);
        return received;
    }

    private static List<Long> offsets(Received<GetMetadataAllocatedResponse> received) {
        return received.items().stream()
                .flatMap(message -> message.blockMetadata().stream())
                .map(BlockMetadata::byteOffset)
                .toList();
    }

    @Test
    void unbrokenStreamIsPassedOnUnchanged() {
        plugin.complete(at(0, 20), at(), at(30, 100));

        Received<GetMetadataAllocatedResponse> received = receiveAll();

        assertThat(received.items()).containsExactly(at(0, 20), at(), at(30, 100));
        assertThat(received.completed()).isTrue();
        assertThat(plugin.requests()).containsExactly(REQUEST);
    }

    @Test
    void streamThatBreaksAfterAnyMessageIsResumedWithoutEffectForSubscriber() {
        List<GetMetadataAllocatedResponse> messages = List.of(at(0, 20), at(30, 40), at(100), at(200, 300));
        for (int breaks = 0; breaks <= messages.size(); breaks++) {
            ScriptedMetadata scripted = new ScriptedMetadata()
                    .breakOff(messages.subList(0, breaks).toArray())
                    .complete(messages.subList(breaks, messages.size()).toArray());
            Received<GetMetadataAllocatedResponse> received =
                    Received.all(ResumingSnapshotMetadata.builder(scripted, "p")
                            .timer(timer)
                            .build()
                            .getMetadataAllocated(REQUEST));
            time.advance(ALL_PAUSES);

            assertThat(received.items()).as("broken after %d", breaks).isEqualTo(messages);
            assertThat(received.completed()).isTrue();
            long end = breaks == 0
                    ? 0
                    : messages.get(breaks - 1)
                            .blockMetadata()
                            .get(messages.get(breaks - 1).blockMetadata().size() - 1)
                            .endOffset();
            // The same fields but for the offset.
            assertThat(scripted.requests())
                    .containsExactly(
                            REQUEST, REQUEST.toBuilder().startingOffset(end).build());
        }
    }

    @Test
    void streamThatBreaksAfterEachMessageWaitsOneBackoffForEachBreak() {
        IntStream.range(0, 50).forEach(i -> plugin.breakOff(at(i * 10L)));
        plugin.complete();
        Received<GetMetadataAllocatedResponse> received =
                Received.all(resuming().build().getMetadataAllocated(REQUEST));

        for (int resumption = 1; resumption <= 50; resumption++) {
            assertThat(time.timers()).isOne();
            assertThat(time.timersDueIn(PAUSE)).as("resumption %d", resumption).isOne();
            time.advance(PAUSE);
        }

        assertThat(offsets(received)).hasSize(50).isSorted().doesNotHaveDuplicates();
        assertThat(received.completed()).isTrue();
        assertThat(plugin.left()).isZero();
        assertThat(time.timers()).isZero();
        assertThat(time.fired()).isEqualTo(50);
    }

    @Test
    void streamThatBreaksBeforeFirstMessageResumesAtRequestedOffset() {
        GetMetadataAllocatedRequest request =
                REQUEST.toBuilder().startingOffset(500).build();
        plugin.breakOff().breakOff(at(510)).complete(at(600));
        Received<GetMetadataAllocatedResponse> received =
                Received.all(resuming().build().getMetadataAllocated(request));
        time.advance(ALL_PAUSES);

        assertThat(offsets(received)).containsExactly(510L, 600L);
        assertThat(plugin.requests())
                .containsExactly(
                        request,
                        request,
                        request.toBuilder().startingOffset(520).build());
    }

    @Test
    void rangesRepeatedBecausePluginRoundedOffsetAreRemoved() {
        plugin.breakOff(at(0, 20))
                .complete(
                        at(0),
                        at(20),
                        of(BlockMetadataType.FIXED_LENGTH, CAPACITY, List.of(new BlockMetadata(30, 10))));

        Received<GetMetadataAllocatedResponse> received =
                Received.oneByOne(resuming().build().getMetadataAllocated(REQUEST));
        time.advance(ALL_PAUSES);

        assertThat(received.items()).containsExactly(at(0, 20), at(30));
        assertThat(received.completed()).isTrue();
    }

    @Test
    void partlyRepeatedRangeIsCutToItsNewPart() {
        plugin.breakOff(at(0, 20))
                .complete(of(
                        BlockMetadataType.FIXED_LENGTH,
                        CAPACITY,
                        List.of(new BlockMetadata(16, 20), new BlockMetadata(50, 10))));

        Received<GetMetadataAllocatedResponse> received = receiveAll();

        assertThat(received.items().get(1).blockMetadata())
                .containsExactly(new BlockMetadata(30, 6), new BlockMetadata(50, 10));
    }

    @Test
    void resumedStreamDeliversMessagesRequestedBeforeBreak() {
        plugin.breakOff(at(0)).breakOff(at(0), at(10)).complete(at(20), at(30));
        Received<GetMetadataAllocatedResponse> received =
                Received.onDemand(resuming().build().getMetadataAllocated(REQUEST));
        assertThat(received.items()).isEmpty();

        received.subscription().request(2);
        time.advance(ALL_PAUSES);
        assertThat(offsets(received)).containsExactly(0L, 10L);

        received.subscription().request(1);
        time.advance(ALL_PAUSES);
        assertThat(offsets(received)).containsExactly(0L, 10L, 20L);
        assertThat(received.ends()).isZero();

        received.subscription().request(1);
        assertThat(offsets(received)).containsExactly(0L, 10L, 20L, 30L);
        assertThat(received.completed()).isTrue();
    }

    @Test
    void overlappingRangesFailStream() {
        plugin.hang(at(0, 20), at(25));

        assertBroken(receiveAll(), "the range at 25 begins before 30");
    }

    @Test
    void rangeRepeatedWithinOneStreamFailsStream() {
        plugin.hang(at(0, 20), at(20));

        assertBroken(receiveAll(), "the range at 20 begins before 30");
    }

    @Test
    void descendingRangesInOneMessageFailStream() {
        plugin.hang(at(50, 20));

        assertBroken(receiveAll(), "the range at 20 begins before 60");
    }

    @Test
    void changedRangeTypeFailsStream() {
        plugin.hang(at(0), message(BlockMetadataType.VARIABLE_LENGTH, CAPACITY, 20));

        assertBroken(receiveAll(), "blockMetadataType changed from FIXED_LENGTH to VARIABLE_LENGTH");
    }

    @Test
    void changedCapacityAfterResumptionFailsStream() {
        plugin.breakOff(at(0)).hang(message(BlockMetadataType.FIXED_LENGTH, CAPACITY + 1, 20));

        assertBroken(receiveAll(), "volumeCapacityBytes changed from 10000 to 10001");
    }

    @Test
    void rangeWithOverflowingEndFailsStream() {
        plugin.hang(of(BlockMetadataType.FIXED_LENGTH, CAPACITY, List.of(new BlockMetadata(Long.MAX_VALUE, 2))));

        assertBroken(receiveAll(), "is no range");
    }

    private void assertBroken(Received<GetMetadataAllocatedResponse> received, String problem) {
        assertThat(received.failure())
                .isInstanceOfSatisfying(CsiCallException.class, failure -> {
                    assertThat(failure.rpc()).isEqualTo(Rpc.GET_METADATA_ALLOCATED);
                    assertThat(failure.plugin()).isEqualTo("csi.example.com");
                    assertThat(failure.volume()).contains("snap-1");
                    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
                    assertThat(failure.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
                })
                .hasMessageContaining(problem)
                .hasMessageContaining("snap-1")
                .hasMessageContaining("csi.example.com")
                .hasMessageContaining("copy the whole volume instead");
        assertThat(received.ends()).isOne();
        assertThat(plugin.cancelled()).isOne();
        assertThat(plugin.left()).isZero();
    }

    @Test
    void tooManyBreaksWithoutNewRangeFailStream() {
        plugin.breakOff(at(0))
                .breakOff()
                .breakOff(at(10))
                .breakOff()
                .breakOff(at(0))
                .breakOff();
        Received<GetMetadataAllocatedResponse> received =
                Received.all(resuming().maxResumesWithoutProgress(2).build().getMetadataAllocated(REQUEST));
        time.advance(ALL_PAUSES);

        // The break that follows the last progress, and two resumptions.
        assertThat(plugin.left()).isOne();
        assertThat(received.failure())
                .isInstanceOfSatisfying(CsiCallException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
                    assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
                    assertThat(failure.retryable()).isTrue();
                })
                .hasMessageContaining("3 times without a new range")
                .hasMessageContaining("at the offset 20")
                .hasCauseInstanceOf(CsiCallException.class);
        assertThat(received.ends()).isOne();
    }

    @Test
    void streamThatBreaksAfterLastByteOfVolumeCompletes() {
        plugin.breakOff(of(BlockMetadataType.VARIABLE_LENGTH, CAPACITY, List.of(new BlockMetadata(CAPACITY - 5, 5))));

        Received<GetMetadataAllocatedResponse> received = receiveAll();

        assertThat(received.completed()).isTrue();
        assertThat(plugin.requests()).hasSize(1);
    }

    @Test
    void failureWithKnownOutcomeIsPassedOnWithoutResumption() {
        for (CallOutcome outcome :
                List.of(CallOutcome.RETRY_AFTER_CAUSE, CallOutcome.CHANGE_REQUEST, CallOutcome.NEVER)) {
            CsiCallException failure = ScriptedMetadata.failure(StatusCode.NOT_FOUND, outcome);
            plugin.end(failure, at(0));

            assertThat(receiveAll().failure()).isSameAs(failure);
        }
        IllegalStateException fault = new IllegalStateException("closed");
        plugin.end(fault);
        assertThat(receiveAll().failure()).isSameAs(fault);
        assertThat(time.timers()).isZero();
        assertThat(time.fired()).isZero();
    }

    @Test
    void streamFailsIfServiceThrowsOnResumption() {
        plugin.breakOff(at(0));

        // Nothing is scripted for the second stream.
        assertThat(receiveAll().failure()).isInstanceOf(NoSuchElementException.class);
    }

    @Test
    void streamFailsWithOriginalErrorIfTimerThrows() {
        CsiCallException broken = ScriptedMetadata.broken();
        plugin.end(broken, at(0));
        Received<GetMetadataAllocatedResponse> received = Received.all(resuming()
                .timer((task, delay) -> {
                    throw new IllegalStateException("stopped");
                })
                .build()
                .getMetadataAllocated(REQUEST));

        assertThat(received.failure()).isSameAs(broken);
        assertThat(broken.getSuppressed()).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void cancellingTwiceCancelsPluginStreamOnce() {
        plugin.hang(at(0));
        Received<GetMetadataAllocatedResponse> received = receiveAll();

        received.subscription().cancel();
        received.subscription().cancel();

        assertThat(plugin.cancelled()).isOne();
        assertThat(received.ends()).isZero();
    }

    @Test
    void cancellingDuringBackoffPreventsResumption() {
        plugin.breakOff(at(0)).complete(at(10));
        Received<GetMetadataAllocatedResponse> received =
                Received.all(resuming().build().getMetadataAllocated(REQUEST));
        received.subscription().cancel();
        time.advance(ALL_PAUSES);

        assertThat(plugin.requests()).hasSize(1);
        assertThat(received.ends()).isZero();
    }

    @Test
    void requestForZeroMessagesFailsStream() {
        plugin.hang(at(0));
        Received<GetMetadataAllocatedResponse> received =
                Received.onDemand(resuming().build().getMetadataAllocated(REQUEST));

        received.subscription().request(0);

        assertThat(received.failure()).isInstanceOf(IllegalArgumentException.class);
        assertThat(plugin.cancelled()).isOne();
    }

    @Test
    void eachOfTwoSubscribersGetsItsOwnStream() {
        plugin.complete(at(0)).complete(at(0));
        var publisher = resuming().build().getMetadataAllocated(REQUEST);

        assertThat(Received.all(publisher).items())
                .isEqualTo(Received.all(publisher).items());
        assertThat(plugin.left()).isZero();
    }

    @Test
    void brokenDeltaStreamIsResumedAfterLastRangeAndFailsIfNewRangesOverlap() {
        GetMetadataDeltaRequest request = GetMetadataDeltaRequest.builder(
                        SnapshotId.of("base"), SnapshotId.of("snap-2"))
                .maxResults(7)
                .secrets(Secrets.of(Map.of("token", "t")))
                .build();
        GetMetadataDeltaResponse first = delta(0);
        GetMetadataDeltaResponse second = delta(10);
        plugin.breakOff(first).end(ScriptedMetadata.broken(), second).hang(delta(5), delta(7));

        Received<GetMetadataDeltaResponse> received =
                Received.all(resuming().build().getMetadataDelta(request));
        time.advance(ALL_PAUSES);

        assertThat(received.items()).containsExactly(first, second);
        assertThat(plugin.requests())
                .containsExactly(
                        request,
                        request.toBuilder().startingOffset(10).build(),
                        request.toBuilder().startingOffset(20).build());
        assertThat(received.failure()).isInstanceOfSatisfying(CsiCallException.class, failure -> {
            assertThat(failure.rpc()).isEqualTo(Rpc.GET_METADATA_DELTA);
            assertThat(failure.volume()).contains("snap-2");
        });
    }

    private static GetMetadataDeltaResponse delta(long offset) {
        return new GetMetadataDeltaResponse(
                BlockMetadataType.VARIABLE_LENGTH, CAPACITY, List.of(new BlockMetadata(offset, 10)));
    }

    @Test
    void invalidSettingsAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resuming().maxResumesWithoutProgress(-1))
                .withMessageContaining("-1");
        assertThatIllegalArgumentException().isThrownBy(() -> resuming().pause(Duration.ofMillis(-1)));
        assertThatThrownBy(() -> ResumingSnapshotMetadata.builder(plugin, "p").build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("timer");
    }
}
