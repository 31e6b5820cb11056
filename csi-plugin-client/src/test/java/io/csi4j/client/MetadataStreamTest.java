package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.internal.codec.MetadataCodec;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.internal.metadata.ResumingSnapshotMetadata;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.core.rpc.GetMetadataDeltaResponse;
import io.csi4j.core.rpc.SnapshotMetadataService;
import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.BlockMetadataType;
import io.grpc.Status;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams of snapshot metadata over a socket, with and without resumption. */
class MetadataStreamTest {
    private static final long CAPACITY = 1 << 20;
    private static final int MESSAGES = 6;
    private static final GetMetadataAllocatedRequest ALLOCATED = GetMetadataAllocatedRequest.builder(
                    SnapshotId.of("snap-1"))
            .maxResults(3)
            .secrets(Secrets.of(Map.of("token", "hunter2")))
            .build();
    private static final GetMetadataDeltaRequest DELTA = GetMetadataDeltaRequest.builder(
                    SnapshotId.of("snap-0"), SnapshotId.of("snap-1"))
            .maxResults(3)
            .secrets(Secrets.of(Map.of("token", "hunter2")))
            .build();

    @TempDir
    Path dir;

    private final ScheduledExecutorService scheduler = new ScheduledThreadPoolExecutor(1);
    private Path socket;
    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws IOException {
        socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, MetadataStreamTest::sendAll);
        client = CsiClient.connect("unix://" + socket);
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
        scheduler.shutdownNow();
    }

    private SnapshotMetadataService resuming() {
        return ResumingSnapshotMetadata.builder(client.snapshotMetadata(), client.plugin())
                .timer((task, pause) -> {
                    var unused = scheduler.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
                })
                .pause(Duration.ofMillis(5))
                .build();
    }

    /** Returns a message with two ranges of 100 bytes that begin 300 bytes apart. */
    private static byte[] message(int index) {
        return message(index, BlockMetadataType.FIXED_LENGTH);
    }

    private static byte[] message(int index, BlockMetadataType type) {
        // The responses of both RPCs have the same fields.
        return io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse.newBuilder()
                .setBlockMetadataType(type)
                .setVolumeCapacityBytes(CAPACITY)
                .addBlockMetadata(range(index * 600L))
                .addBlockMetadata(range(index * 600L + 300))
                .build()
                .toByteArray();
    }

    private static BlockMetadata range(long offset) {
        return BlockMetadata.newBuilder()
                .setByteOffset(offset)
                .setSizeBytes(100)
                .build();
    }

    private static void sendAll(PluginServer.Call call) {
        call.headers();
        for (int i = 0; i < MESSAGES; i++) {
            call.send(message(i));
        }
        call.end(Status.OK);
    }

    /** Sends the messages that a correct plugin would send from an offset on, up to a number of messages. */
    private static int send(PluginServer.Call call, long from, int max) {
        int sent = 0;
        call.headers();
        for (int i = 0; i < MESSAGES && sent < max; i++) {
            if (i * 600L >= from) {
                call.send(message(i));
                sent++;
            }
        }
        return sent;
    }

    private static long offset(PluginServer.Call call) {
        try {
            return call.rpc().equals(Rpc.GET_METADATA_DELTA.csiName())
                    ? io.csi4j.proto.csi.v1.GetMetadataDeltaRequest.parseFrom(call.request())
                            .getStartingOffset()
                    : io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest.parseFrom(call.request())
                            .getStartingOffset();
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }

    private static List<Long> offsets(List<GetMetadataAllocatedResponse> messages) {
        return messages.stream()
                .flatMap(message -> message.blockMetadata().stream())
                .map(io.csi4j.core.csi.BlockMetadata::byteOffset)
                .toList();
    }

    private static List<Long> all() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            all.add(i * 600L);
            all.add(i * 600L + 300);
        }
        return all;
    }

    private static <T> List<T> collect(Flow.Publisher<T> publisher) throws Exception {
        return Collector.of(publisher).all().get(20, TimeUnit.SECONDS);
    }

    @Test
    void allocatedAndDeltaStreamsAreReceivedCompletely() throws Exception {
        assertThat(offsets(collect(client.snapshotMetadata().getMetadataAllocated(ALLOCATED))))
                .isEqualTo(all());

        List<GetMetadataDeltaResponse> delta = collect(client.snapshotMetadata().getMetadataDelta(DELTA));
        assertThat(delta).hasSize(MESSAGES);
        assertThat(delta.get(1).blockMetadata().get(1).byteOffset()).isEqualTo(900);
    }

    @Test
    void resumedStreamDeliversOnlyAsManyMessagesAsRequested() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        plugin.behave(call -> {
            send(call, offset(call), calls.getAndIncrement() == 0 ? 2 : MESSAGES);
            call.end(calls.get() == 1 ? Status.UNAVAILABLE : Status.OK);
        });
        BlockingQueue<GetMetadataAllocatedResponse> received = new LinkedBlockingQueue<>();
        AtomicReference<Flow.Subscription> subscription = new AtomicReference<>();
        CountDownLatch end = new CountDownLatch(1);
        resuming().getMetadataAllocated(ALLOCATED).subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription given) {
                subscription.set(given);
            }

            @Override
            public void onNext(GetMetadataAllocatedResponse item) {
                received.add(item);
            }

            @Override
            public void onError(Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onComplete() {
                end.countDown();
            }
        });

        for (int i = 0; i < MESSAGES; i++) {
            assertThat(received).isEmpty();
            subscription.get().request(1);
            GetMetadataAllocatedResponse message = received.poll(20, TimeUnit.SECONDS);
            assertThat(message.blockMetadata().get(0).byteOffset()).isEqualTo(i * 600L);
        }
        assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(calls).hasValue(2);
    }

    @Test
    void streamBrokenAtAnyMessageIsResumedAtNewOffset() throws Exception {
        for (int max = 1; max < MESSAGES; max++) {
            int atOnce = max;
            plugin.behave(call -> {
                int sent = send(call, offset(call), atOnce);
                call.end(sent == 0 ? Status.OK : Status.UNAVAILABLE.withDescription("going down"));
            });
            int before = plugin.calls();

            assertThat(offsets(collect(resuming().getMetadataAllocated(ALLOCATED))))
                    .isEqualTo(all());

            int calls = plugin.calls() - before;
            assertThat(calls).isEqualTo(1 + (MESSAGES + max - 1) / max);
            for (int i = 0; i < calls; i++) {
                int sentBefore = Math.min(i * max, MESSAGES);
                long offset = i == 0 ? 0 : (sentBefore - 1) * 600L + 400;
                assertThat(io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest.parseFrom(
                                plugin.next().request()))
                        .isEqualTo(MetadataCodec.write(
                                ALLOCATED.toBuilder().startingOffset(offset).build()));
            }
        }
    }

    @Test
    void deltaStreamIsResumedAfterBreak() throws Exception {
        plugin.behave(call -> {
            int sent = send(call, offset(call), 4);
            call.end(sent == 4 ? Status.UNAVAILABLE : Status.OK);
        });

        assertThat(collect(resuming().getMetadataDelta(DELTA))).hasSize(MESSAGES);

        plugin.next();
        assertThat(io.csi4j.proto.csi.v1.GetMetadataDeltaRequest.parseFrom(
                        plugin.next().request()))
                .isEqualTo(MetadataCodec.write(
                        DELTA.toBuilder().startingOffset(3 * 600 + 400).build()));
    }

    @Test
    void streamResumesAfterPluginRestart() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        plugin.behave(call -> {
            send(call, 0, 3);
            sent.countDown();
        });
        CountDownLatch arrived = new CountDownLatch(3);
        Collector<GetMetadataAllocatedResponse> collector = new Collector<>() {
            @Override
            public synchronized void onNext(GetMetadataAllocatedResponse item) {
                super.onNext(item);
                arrived.countDown();
            }
        };
        client.resumingSnapshotMetadata().getMetadataAllocated(ALLOCATED).subscribe(collector);
        assertThat(sent.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();

        plugin.close();
        plugin = PluginServer.start(socket, call -> {
            send(call, offset(call), MESSAGES);
            call.end(Status.OK);
        });

        assertThat(offsets(collector.all().get(20, TimeUnit.SECONDS))).isEqualTo(all());
        assertThat(offset(plugin.next())).isEqualTo(2 * 600 + 400);
    }

    @Test
    void rangesThatPluginRepeatsAfterResumptionAreRemoved() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        plugin.behave(call -> {
            boolean first = calls.getAndIncrement() == 0;
            send(call, 0, first ? 3 : MESSAGES);
            call.end(first ? Status.UNAVAILABLE : Status.OK);
        });

        assertThat(offsets(collect(resuming().getMetadataAllocated(ALLOCATED)))).isEqualTo(all());
    }

    @Test
    void repeatedRangeWithinOneStreamFailsStream() throws Exception {
        plugin.behave(call -> {
            call.headers();
            call.send(message(0));
            call.send(message(0));
        });

        assertBroken("the range at 0 begins before 400");
    }

    @Test
    void streamFailsIfBlockMetadataTypeChanges() throws Exception {
        plugin.behave(call -> {
            call.headers();
            call.send(message(0));
            call.send(message(1, BlockMetadataType.VARIABLE_LENGTH));
        });

        assertBroken("blockMetadataType changed");
    }

    private void assertBroken(String problem) throws Exception {
        assertThatThrownBy(() -> collect(resuming().getMetadataAllocated(ALLOCATED)))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(CsiCallException.class, failure -> {
                    assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
                    assertThat(failure.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
                    assertThat(failure.plugin()).isEqualTo(client.plugin());
                })
                .hasMessageContaining(problem);
        plugin.nextCancelled();
        assertThat(plugin.calls()).isOne();
    }

    @Test
    void refusedStreamIsNotResumed() throws Exception {
        plugin.behave(call -> {
            call.headers();
            call.send(message(0));
            call.end(Status.OUT_OF_RANGE.withDescription("offset behind the end"));
        });

        assertThatThrownBy(() -> collect(resuming().getMetadataAllocated(ALLOCATED)))
                .cause()
                .isInstanceOfSatisfying(
                        CsiCallException.class,
                        failure -> assertThat(failure.code()).isEqualTo(StatusCode.OUT_OF_RANGE));
        assertThat(plugin.calls()).isOne();
    }

    @Test
    void streamThatBreaksRepeatedlyWithoutProgressFails() throws Exception {
        plugin.behave(call -> call.end(Status.UNAVAILABLE.withDescription("no")));

        assertThatThrownBy(() -> collect(resuming().getMetadataAllocated(ALLOCATED)))
                .cause()
                .isInstanceOf(CsiCallException.class)
                .hasMessageContaining("6 times without a new range");
        assertThat(plugin.calls()).isEqualTo(6);
    }

    @Test
    void streamThatIsResumingEndsWhenClientIsClosed() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        plugin.behave(call -> {
            send(call, 0, 1);
            sent.countDown();
        });
        Collector<GetMetadataAllocatedResponse> collector =
                Collector.of(client.resumingSnapshotMetadata().getMetadataAllocated(ALLOCATED));
        assertThat(sent.await(20, TimeUnit.SECONDS)).isTrue();

        client.close();

        assertThatThrownBy(() -> collector.all().get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    }

    @Test
    void closingClientEndsStreamDuringBackoff() throws Exception {
        plugin.behave(call -> call.end(Status.UNAVAILABLE));
        Collector<GetMetadataAllocatedResponse> collector =
                Collector.of(client.resumingSnapshotMetadata().getMetadataAllocated(ALLOCATED));
        plugin.next();

        client.close();

        assertThatThrownBy(() -> collector.all().get(20, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    }

    @Test
    void cancellingStreamEndsCallAtPlugin() throws Exception {
        plugin.behave(call -> send(call, 0, 1));
        AtomicReference<Flow.Subscription> subscription = new AtomicReference<>();
        CountDownLatch arrived = new CountDownLatch(1);
        resuming().getMetadataAllocated(ALLOCATED).subscribe(new Flow.Subscriber<>() {
            @Override
            public void onSubscribe(Flow.Subscription given) {
                subscription.set(given);
                given.request(Long.MAX_VALUE);
            }

            @Override
            public void onNext(GetMetadataAllocatedResponse item) {
                arrived.countDown();
            }

            @Override
            public void onError(Throwable failure) {
                throw new AssertionError(failure);
            }

            @Override
            public void onComplete() {
                throw new AssertionError("unexpected completion");
            }
        });
        assertThat(arrived.await(20, TimeUnit.SECONDS)).isTrue();

        subscription.get().cancel();

        plugin.nextCancelled();
    }
}
